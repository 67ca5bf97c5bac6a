// SPDX-License-Identifier: MIT
// Virtual time: a discrete-event simulation of the modelled kernel over N CPUs. Each task has a clock; the one with the
// least goes on. What a stage or an event takes comes from a cost profile and is booked to the call path it happened in.
#pragma once
#include "core/kernel/kernel.hpp"
#include "sim/des/ledger.hpp"
#include "sim/des/profile.hpp"
#include "sim/des/random.hpp"
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace pipescope {

class Program { // what a simulated task runs: a state machine between its system calls
public:
    virtual ~Program() = default;
    // The next call after one that gave `result` (0 before the first); null: the program ends. Stays valid until asked again.
    virtual const Call* next(long result) = 0;
};

struct EngineOptions {
    std::uint32_t cpus = 2;
    std::uint64_t seed = 1;
    bool preempt = false; // a task may lose its CPU inside the kernel too, not only on the way out of it
};

class Engine {
public:
    Engine(EventSink& into, const Profile& profile, const KernelVersion& version, const EngineOptions& options = {});
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    Kernel& kernel() { return kernel_; }
    const Ledger& ledger() const { return ledger_; }
    // A task of the kernel gets a program; it makes its first call at start_ns. Pinned: it stays on its CPU. Else it goes on
    // where a CPU is idle when its own is not.
    void add(TaskId task, const std::string& name, Program& program, double start_ns, bool pinned = true);
    // Until `task` ends its program, or nobody can go on: false.
    bool run(TaskId task);
    void forget(); // times and counts so far: warming up is over
    double now_ns() const { return static_cast<double>(now_) / 1000; }
    double elapsed_ns() const { return static_cast<double>(now_ - since_) / 1000; }
    // All tasks' time: the ledger's total and idle_ps() together, to the picosecond.
    Ps accounted_ps() const;
    Ps idle_ps() const { return idle_; }                                // asleep, on the way to a CPU, or in its queue
    std::uint64_t sleeps(TaskId t) const { return runners_[t].sleeps; } // switched out on a wait queue or on the mutex

private:
    // A sleep has phases: `testing` again after joining the queue, `committing` to it inside schedule(), `switching` out,
    // `asleep`. A wake-up finds the task in one of them, and each has its price.
    enum class Phase : std::uint8_t { absent, user, inside, spinning, testing, committing, switching, asleep, waking, queued, gone };
    struct Runner {
        Program* program = nullptr;
        const Call* call = nullptr;
        Thread thread;
        Co<long> co;
        Phase phase = Phase::absent;
        bool pinned = true;
        bool woken = false;    // before it slept
        bool on_queue = false; // it waits on a wait queue and not for the mutex
        bool drops = false;    // it gives back pages that found no slot: iter_to_pipe does, not add_to_pipe
        bool spun = false;     // it had to wait for the mutex
        std::uint32_t cpu = 0;
        Ps when = never;     // its clock, and the time of its next step
        Ps spent = 0;        // since the last step, not yet on the clock
        Ps since = 0;        // it spins, sleeps or runs since then
        Ps slice = 0;        // it has its CPU since then
        Ps from = 0;         // the first time that is booked
        double factor = 1;   // how slow this call is
        PipeId pipe = no_id; // it waits on
        WaitFor wait_for = WaitFor::nothing;
        std::uint64_t sleeps = 0;
        std::uint32_t depth = 0;
        Ledger::NodeId root = 0, base = 0; // the program; do_syscall_64 of the current call
        std::array<Ledger::NodeId, 12> path{};
        std::array<std::uint8_t, 12> levels{}; // nodes that each model function added
    };
    static constexpr Ps never = std::numeric_limits<Ps>::max();

    class Sink final : public EventSink { // lets the engine see each event before it is applied
    public:
        Sink(Engine& e, EventSink& into) : engine_(e), into_(into) {}
        void append(const Event& e) override {
            engine_.before(e);
            into_.append(e);
            engine_.after(e);
        }
        const State& state() const override { return into_.state(); }

    private:
        Engine& engine_;
        EventSink& into_;
    };

    // engine.cpp, sleep.cpp: whose turn it is
    void step(TaskId t);
    void resume(TaskId t);
    void begin_call(TaskId t);
    void blocked(TaskId t);
    void woken(TaskId t);
    bool may_go_on(TaskId t) const;
    void take_cpu(TaskId t);
    void move_to(TaskId t, std::uint32_t cpu);
    void give_cpu(TaskId t);
    void set_horizon(TaskId t);
    bool outlived_slice(const Runner& r) const;
    void yield_cpu(TaskId t);
    void flush(Runner& r) { r.when += r.spent, r.spent = 0; }
    Ps latency(double ns) { return ps(ns * std::max(0.2, 1 + profile_[Cost::jitter_latency] * random_.normal())); }
    static Ps ps(double ns) { return static_cast<Ps>(ns * 1000 + 0.5); }

    // charge.cpp: what things take
    void before(const Event& e);
    void after(const Event& e);
    void on_stage(const Event& e);
    void on_enter(const Event& e);
    void on_exit(const Event& e);
    void on_page_ref(const Event& e);
    void on_copy(const Event& e);
    void enter_fn(Fn f);
    void leave_fn();
    Ledger::NodeId caller(const Runner& r) const { return r.depth > 1 ? r.path[r.depth - 2] : r.base; }
    Ledger::NodeId node(const Runner& r) const { return r.depth ? r.path[r.depth - 1] : r.base; }
    void charge(Runner& r, Cost c, Sym leaf = Sym::self, double times = 1) { charge_at(r, node(r), c, leaf, times); }
    void charge_at(Runner& r, Ledger::NodeId at, Cost c, Sym leaf, double times = 1);
    std::uint8_t& cpu_of(std::vector<std::uint8_t>& v, PageId page) {
        if (page >= v.size()) v.resize(page + std::size_t{64}, 0);
        return v[page];
    }

    struct Cpu {
        TaskId task = no_id; // on it; no_id: idle
        std::deque<TaskId> queue;
    };
    Profile profile_;
    EngineOptions options_;
    Random random_;
    Ledger ledger_;
    Sink sink_;
    Kernel kernel_;
    std::deque<Runner> runners_; // by TaskId
    std::vector<Cpu> cpus_;
    Runner* cur_ = nullptr;
    TaskId cur_task_ = no_id;
    Ps now_ = 0, since_ = 0, horizon_ = 0, idle_ = 0;
    bool first_wake_ = false;
    std::vector<TaskId> holder_;        // by pipe: who had its mutex last
    std::vector<std::uint8_t> counted_; // by page: CPU + 1 that changed its reference count last
    std::vector<std::uint8_t> written_; // by page: CPU + 1 whose cache has its content, changed; 0: none
};

} // namespace pipescope

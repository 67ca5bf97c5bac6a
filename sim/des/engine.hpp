// SPDX-License-Identifier: MIT
// Virtual time: a discrete-event simulation of the modelled kernel over N CPUs. Each task has a clock; the one with the
// least goes on. What a stage or an event takes comes from a cost profile and is booked to the call path it happened in.
#pragma once
#include "core/kernel/kernel.hpp"
#include "sim/des/ledger.hpp"
#include "sim/des/net_profile.hpp"
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

class KernelThread { // works when it is woken; takes the CPU as soon as the call of the task that has it is over
public:
    virtual ~KernelThread() = default;
    virtual bool work() = 0; // one round on its CPU, which takes what it spends; false: nothing is left, it sleeps
};

class Outside { // what goes on beside the CPUs: a line, and who is at its other end
public:
    virtual ~Outside() = default;
    virtual double next_ns() const = 0; // when it acts next; infinity: not before something else happens
    virtual void act() = 0;             // at that time
    virtual void seen(const Event& e, double now_ns) = 0; // each event of a task, once it is applied
};

struct EngineOptions {
    std::uint32_t cpus = 2;
    std::uint64_t seed = 1;
    const NetProfile* net = nullptr; // what sockets take; null: nothing. Stays valid
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
    void add_thread(TaskId task, const std::string& name, KernelThread& thread);
    void interrupt(TaskId thread); // wakes it, from outside
    // What a kernel thread does, to be called from work().
    void spend(Net n, Sym leaf, double times = 1) { charge_net(*cur_, node(*cur_), n, leaf, times); }
    void set_outside(Outside& o) { outside_ = &o; }
    // Until `task` ends its program, or nobody can go on: false.
    bool run(TaskId task) { return run(task, never); }
    bool run_until(double ns) { return run(no_id, ps(ns)); } // this much virtual time since the start
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
        KernelThread* worker = nullptr; // instead of a program
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
        SockId polled = no_id; // it waits in poll() for something to read there
        Ps lock_since = 0;     // it waits for a mutex since then
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

    // engine.cpp, sleep.cpp, thread.cpp: whose turn it is
    bool run(TaskId task, Ps until);
    void step(TaskId t);
    void work(TaskId t);
    bool polls(TaskId t);
    void wake_pollers(SockId sock);
    void stop_spinning(TaskId t);
    Ps outside_when() const;
    void resume(TaskId t);
    void begin_call(TaskId t);
    void blocked(TaskId t);
    void woken(TaskId t);
    bool may_go_on(TaskId t) const;
    const std::array<double, 2>& draw_wake(double idle_ns);
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
    void charge_ns(Runner& r, Ledger::NodeId at, double ns, Sym leaf);
    void charge_net(Runner& r, Ledger::NodeId at, Net n, Sym leaf, double times = 1);
    void on_lock(const Event& e);
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
    Outside* outside_ = nullptr;
    std::vector<Ps> held_since_;        // by pipe
    std::vector<TaskId> holder_;        // by pipe: who had its mutex last
    std::vector<std::uint8_t> counted_; // by page: CPU + 1 that changed its reference count last
    std::vector<std::uint8_t> written_; // by page: CPU + 1 whose cache has its content, changed; 0: none
};

} // namespace pipescope

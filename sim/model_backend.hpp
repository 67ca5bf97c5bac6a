// SPDX-License-Identifier: MIT
// A scenario's back end on the model: calls one after another for litmus cases, or tasks side by side in virtual time.
#pragma once
#include "core/describe.hpp"
#include "core/kernel/kernel.hpp"
#include "core/strings.hpp"
#include "sim/backend.hpp"
#include "sim/timeline.hpp"
#include <deque>

namespace pipescope {

class ModelBackend final : public Backend {
public:
    explicit ModelBackend(const KernelVersion& v);
    ~ModelBackend() override;
    const char* name() const override { return "model"; }

    TaskId task_new(const std::string& name, int cpu) override;
    std::array<int, 2> pipe_new(TaskId t, const PipeOptions& o) override;
    Memory buffer_new(TaskId t, const BufferOptions& o) override;
    int open_null(TaskId t) override;
    int open_zero(TaskId t) override;
    int file_new(TaskId t, const FileOptions& o) override;
    std::array<int, 2> socketpair_new(TaskId t, const SocketOptions& o) override;
    std::uint32_t fifo_new(TaskId t) override;
    TaskId fork_task(TaskId parent, const std::string& name) override;
    void hold(TaskId t, bool on) override;
    void exit_task(TaskId t) override;
    void kill(TaskId to, int sig) override;
    long epoll_add(TaskId t, int fd, std::uint32_t events, bool edge) override;
    std::uint32_t epoll_wait(TaskId t, std::uint32_t item) override;
    void start(TaskId t, const Call& c) override;
    void settle() override;
    bool can_stop() const override { return true; }
    bool run_to(TaskId t, Stage stage) override;
    void let_go(TaskId t) override;
    bool pin(TaskId t, std::uint64_t addr, std::uint32_t n) override;
    std::optional<long> finished(TaskId t) override;
    bool store(TaskId t, std::uint64_t addr, std::span<const std::uint8_t> bytes) override;
    bool load(TaskId t, std::uint64_t addr, std::span<std::uint8_t> bytes) override;
    Memory scratch(TaskId t, std::uint64_t len) override;
    std::uint32_t take_signals(TaskId t) override;
    std::optional<std::string> ring(int fd) override;
    std::optional<std::uint32_t> ring_size(int fd) override;
    std::optional<std::uint32_t> max_usage(int fd) override;
    std::optional<std::uint32_t> tmp_pages(int fd) override;
    std::optional<std::uint64_t> wakeups() override;
    std::optional<PageInfo> page(TaskId t, std::uint64_t addr) override;
    std::optional<std::string> walk(TaskId t, std::uint64_t addr) override;
    std::optional<std::string> entry(TaskId t, std::uint64_t addr) override;
    std::optional<TlbInfo> tlb(TaskId t) override;
    std::string paging_levels(int levels) override;
    long pin_pages(TaskId t, std::uint64_t addr, std::uint64_t len, bool write) override { return kernel_.pin_user_pages(t, addr, len, write); }
    long mbuf_pool_new(TaskId t, std::uint32_t clusters) override;
    Memory clusters_take(TaskId t, std::uint32_t n) override;
    std::string packets_text() override { return mbuf_packets_string(kernel_.s, kernel_.s.mbufs.queue); }
    std::string fetched_text() override { return kernel_.s.mbufs.fetched.empty() ? "" : runs_string(*kernel_.s.mbufs.fetched.back().bytes); }
    long unpin_pages(TaskId t, std::uint64_t addr, std::uint64_t len) override { return kernel_.unpin_user_pages(t, addr, len); }

    Timeline& timeline() { return timeline_; }
    StringTable& strings() { return strings_; }
    Kernel& kernel() { return kernel_; }
    void user_line(TaskId t, std::uint32_t line);

    // Side by side: the task with the least virtual time goes on by one stage. Returns a task that is in user code and
    // whose turn it is (answer with start() or exit_task() before the next call); no_id when a stage was done; nothing
    // when nobody can go on any more. A task keeps its CPU until it blocks.
    std::optional<TaskId> advance();

    // In an order of somebody else's choosing. A turn ends before the next stage where the order of tasks can matter, see
    // sim/turns.hpp; can_turn() is false of a task that sleeps, waits for a held mutex, or is gone.
    bool can_turn(TaskId t) const;
    bool in_user(TaskId t) const { return runners_[t].at == At::user; } // answer with start() or exit_task(), then turn()
    void turn(TaskId t); // t is inside the kernel
    bool gone(TaskId t) const { return runners_[t].at == At::gone; }

private:
    enum class At { user, inside, blocked, gone, held }; // held: stopped at a stage, until it is let go
    struct Runner { // what the engine knows of a task beside the state
        Call call;
        Thread thread;
        Co<long> co;
        At at = At::user;
        bool spun = false;    // blocked in the mutex, spinning
        bool result_due = false;
        bool dying = false;   // in do_exit()
        std::uint64_t t_ns = 0;
        Memory scratch;
    };
    void run(TaskId t); // until it pauses, blocks or is done
    void take_woken();
    PipeId waiting_for(TaskId t) const;
    const Pipe* pipe_of(int fd) const;
    template <class F> std::optional<std::uint32_t> ask(int fd, F f) const;

    Timeline timeline_;
    StringTable strings_;
    Kernel kernel_;
    std::deque<Runner> runners_; // by TaskId; stays in place
    std::vector<TaskId> on_cpu_; // by CPU: who holds it, or no_id
    std::uint32_t buffers_ = 0, files_ = 0, fifos_ = 0;
    Memory pool_; // where the clusters are
};

} // namespace pipescope

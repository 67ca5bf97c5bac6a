// SPDX-License-Identifier: MIT
// A scenario's back end on the live kernel: real system calls, a thread or a process a task, one after another on one CPU.
#pragma once
#include "sim/backend.hpp"
#include "sim/live/ring_reader.hpp"
#include "sim/scenario/kernel_child.hpp"
#include "sim/scenario/kernel_files.hpp"
#include "sim/scenario/kernel_memory.hpp"
#include "sim/scenario/kernel_worker.hpp"
#include <memory>
#include <mutex>
#include <vector>

namespace pipescope {

// Changes the calling thread's CPU set and the process's signal handlers: for a process of its own.
class KernelBackend final : public Backend {
public:
    // `shared` reads the rings, one that this process or its parent opened; without it one is opened here.
    explicit KernelBackend(RingReader* shared = nullptr);
    ~KernelBackend() override;
    std::string unusable() const;                           // why it cannot work at all here; empty when it can
    const std::string& unknown() const { return unknown_; } // why questions stay unanswered; empty when none does

    const char* name() const override { return "kernel"; }
    TaskId task_new(const std::string& name, int cpu) override;
    std::array<int, 2> pipe_new(TaskId t, const PipeOptions& o) override;
    Memory buffer_new(TaskId t, const BufferOptions& o) override;
    int open_null(TaskId t) override;
    int open_zero(TaskId t) override;
    int file_new(TaskId t, const FileOptions& o) override;
    std::array<int, 2> socketpair_new(TaskId t, const SocketOptions& o) override;
    std::uint32_t fifo_new(TaskId t) override;
    TaskId fork_task(TaskId parent, const std::string& name) override;
    void exit_task(TaskId t) override;
    void kill(TaskId t, int sig) override;
    long epoll_add(TaskId t, int fd, std::uint32_t events, bool edge) override;
    std::uint32_t epoll_wait(TaskId t, std::uint32_t item) override;
    void start(TaskId t, const Call& c) override;
    void settle() override;
    std::optional<long> finished(TaskId t) override;
    bool store(TaskId t, std::uint64_t addr, std::span<const std::uint8_t> bytes) override;
    bool load(TaskId t, std::uint64_t addr, std::span<std::uint8_t> bytes) override;
    Memory scratch(TaskId t, std::uint64_t len) override;
    std::uint32_t take_signals(TaskId t) override;
    std::optional<std::string> ring(int fd) override;
    std::optional<std::uint32_t> ring_size(int fd) override;
    std::optional<std::uint32_t> max_usage(int fd) override;
    std::optional<std::uint32_t> tmp_pages(int fd) override;
    std::optional<PageInfo> page(TaskId t, std::uint64_t addr) override;
    std::optional<std::string> walk(TaskId t, std::uint64_t addr) override;
    std::optional<std::string> entry(TaskId t, std::uint64_t addr) override;
    std::string paging_levels(int levels) override;
    long pin_pages(TaskId t, std::uint64_t addr, std::uint64_t len, bool write) override;
    long unpin_pages(TaskId t, std::uint64_t addr, std::uint64_t len) override;

private:
    struct Runner { // one of the two
        std::unique_ptr<KernelWorker> worker;
        std::unique_ptr<KernelChild> child;
        bool due = false; // a call was started, its result not yet asked for
        bool busy() const { return worker ? worker->busy() : child->busy(); }
        KernelEye::Look look() const { return worker ? worker->look() : child->look(); }
        long result() const { return worker ? worker->result() : child->result(); }
    };
    long ask(TaskId t, KernelJob job, KernelOrder& o); // in the task's own thread or process
    int open_device(TaskId t, bool zero);
    long perform(const Call& c); // on a worker's thread, or in a child
    long close_fd(int fd);
    int real(int fd) const;   // -1 for a number that names nothing the case has opened
    int install(int real_fd); // lowest free number from 3, as a program of its own would get
    std::optional<LiveRing> snapshot(int fd);

    std::vector<int> cpus_; // that this process may use
    KernelMemory memory_;
    KernelFiles files_;
    struct Pin {
        std::uint64_t addr, len;
        int ring; // an io_uring that this buffer is registered with
    };
    std::vector<Pin> pins_;
    bool five_levels_ = false; // asked for by the case: walks are shown with all of them
    std::vector<int> epolls_; // by item: the descriptor of an epoll that watches one file
    std::unique_ptr<RingReader> own_reader_;
    RingReader* reader_ = nullptr; // null: rings are not to be read here
    std::string unknown_;
    mutable std::mutex fds_mutex_;
    std::vector<int> fds_; // the case's number → the real one, or -1
    std::vector<Runner> runners_;
};

} // namespace pipescope

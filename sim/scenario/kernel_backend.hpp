// SPDX-License-Identifier: MIT
// A scenario's back end on the live kernel: real system calls, a thread a task, one after another on one CPU.
#pragma once
#include "sim/backend.hpp"
#include "sim/live/ring_reader.hpp"
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

private:
    struct Runner {
        std::unique_ptr<KernelWorker> worker;
        bool due = false; // a call was started, its result not yet asked for
    };
    long perform(const Call& c); // on a worker's thread
    long close_fd(int fd);
    int real(int fd) const;   // -1 for a number that names nothing the case has opened
    int install(int real_fd); // lowest free number from 3, as a program of its own would get
    std::optional<LiveRing> snapshot(int fd);

    std::vector<int> cpus_; // that this process may use
    KernelMemory memory_;
    std::unique_ptr<RingReader> own_reader_;
    RingReader* reader_ = nullptr; // null: rings are not to be read here
    std::string unknown_;
    mutable std::mutex fds_mutex_;
    std::vector<int> fds_; // the case's number → the real one, or -1
    std::vector<Runner> runners_;
};

} // namespace pipescope

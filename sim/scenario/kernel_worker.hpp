// SPDX-License-Identifier: MIT
// A thread that does one task's system calls, and how to see from outside whether it sleeps in one.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>

namespace pipescope {

class KernelWorker {
public:
    // Runs on `cpu` alone, with a real-time priority where that is permitted: then nobody overtakes anybody, and who was
    // woken first goes on first.
    explicit KernelWorker(int cpu);
    ~KernelWorker(); // breaks off whatever call it is in
    KernelWorker(const KernelWorker&) = delete;
    KernelWorker& operator=(const KernelWorker&) = delete;

    void start(std::function<long()> job); // it is idle
    bool busy() const { return state_.load(std::memory_order_acquire) == busy_state; }
    long result() const { return result_; } // of the last job, when it is idle
    long call(std::function<long()> job);   // start, and wait for the end
    std::uint32_t take_signals() { return signals_.exchange(0); }

    // While busy: whether the kernel says that it sleeps inside a system call, and how often it has slept so far.
    struct Look {
        bool asleep = false;
        std::uint64_t switches = 0;
        bool operator==(const Look&) const = default;
    };
    Look look() const;
    // Why sleeping threads cannot be told from running ones here; empty when they can.
    std::string blind() const;

private:
    static constexpr int idle_state = 0, busy_state = 1, stop_state = 2;
    void loop();
    void open_files();

    int cpu_;
    std::atomic<int> state_{busy_state}; // until the thread is ready
    std::atomic<std::uint32_t> signals_{0};
    std::function<long()> job_;
    long result_ = 0;
    int tid_ = 0, stat_ = -1, status_ = -1, syscall_ = -1, wchan_ = -1;
    std::thread thread_;
};

// Catches signals such as SIGPIPE and remembers them for the worker they were sent to; for the whole process.
void catch_worker_signals();

} // namespace pipescope

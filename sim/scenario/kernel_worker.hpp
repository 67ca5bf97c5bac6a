// SPDX-License-Identifier: MIT
// A thread that does one task's system calls, watched from outside.
#pragma once
#include "sim/scenario/kernel_eye.hpp"
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

    using Look = KernelEye::Look;
    Look look() const { return eye_.look(); } // while busy
    std::string blind() const { return eye_.blind(); } // this thread waits for work, so each file must say something
    void signal(int n); // delivered, or its call broken off by it, when settled

private:
    static constexpr int idle_state = 0, busy_state = 1, stop_state = 2;
    void loop();

    int cpu_;
    std::atomic<int> state_{busy_state}; // until the thread is ready
    std::atomic<std::uint32_t> signals_{0};
    std::function<long()> job_;
    long result_ = 0;
    int tid_ = 0;
    KernelEye eye_;
    std::thread thread_;
};

// Catches signals such as SIGPIPE and remembers them for the worker they were sent to; for the whole process.
void catch_worker_signals();
// The calling thread's go there instead.
void remember_signals_in(std::atomic<std::uint32_t>& bits);

} // namespace pipescope

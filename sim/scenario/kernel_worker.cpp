// SPDX-License-Identifier: MIT
// Worker threads: pinned and interruptible.
#include "sim/scenario/kernel_worker.hpp"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pipescope {
namespace {

thread_local std::atomic<std::uint32_t>* my_signals = nullptr;
constexpr int break_signal = SIGURG; // only breaks a call off

void on_signal(int n) {
    if (n != break_signal && my_signals) my_signals->fetch_or(1u << n);
}

} // namespace

void catch_worker_signals() {
    struct sigaction sa {};
    sa.sa_handler = on_signal; // without SA_RESTART: a call that a signal reaches gives EINTR, as the model's does
    for (const int n : {SIGPIPE, SIGUSR1, break_signal}) ::sigaction(n, &sa, nullptr);
    sa.sa_flags = SA_RESTART;
    ::sigaction(SIGUSR2, &sa, nullptr);
}

void remember_signals_in(std::atomic<std::uint32_t>& bits) { my_signals = &bits; }

KernelWorker::KernelWorker(int cpu) : cpu_(cpu), thread_([this] { loop(); }) {
    while (busy()) state_.wait(busy_state);
    eye_ = KernelEye(::getpid(), tid_);
}

KernelWorker::~KernelWorker() {
    while (busy()) { // a signal that comes just before the call starts is lost: hence again and again
        ::pthread_kill(thread_.native_handle(), break_signal);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    state_.store(stop_state, std::memory_order_release);
    state_.notify_all();
    thread_.join();
}

void KernelWorker::loop() {
    my_signals = &signals_;
    tid_ = static_cast<int>(::syscall(SYS_gettid));
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<unsigned>(cpu_), &set);
    ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set);
    const sched_param priority{.sched_priority = 1};
    ::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &priority);
    state_.store(idle_state, std::memory_order_release);
    state_.notify_all();
    for (;;) {
        int s = state_.load(std::memory_order_acquire);
        while (s == idle_state) {
            state_.wait(idle_state);
            s = state_.load(std::memory_order_acquire);
        }
        if (s == stop_state) return;
        result_ = job_();
        state_.store(idle_state, std::memory_order_release);
        state_.notify_all();
    }
}

void KernelWorker::start(std::function<long()> job) {
    job_ = std::move(job);
    state_.store(busy_state, std::memory_order_release);
    state_.notify_all();
}

long KernelWorker::call(std::function<long()> job) {
    start(std::move(job));
    while (busy()) state_.wait(busy_state);
    return result_;
}

void KernelWorker::signal(int n) {
    ::pthread_kill(thread_.native_handle(), n);
    const bool idle = !busy();
    for (int i = 0; idle && i < 1000 && !(signals_.load() & 1u << n); ++i) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

} // namespace pipescope

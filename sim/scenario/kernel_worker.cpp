// SPDX-License-Identifier: MIT
// Worker threads: pinned, interruptible, and observed through /proc.
#include "sim/scenario/kernel_worker.hpp"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
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

int open_of(int tid, const char* name) {
    const std::string path = "/proc/self/task/" + std::to_string(tid) + "/" + name;
    return ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

std::string contents(int fd, std::size_t size) {
    std::string text(size, '\0');
    const ssize_t n = fd >= 0 ? ::pread(fd, text.data(), size, 0) : -1;
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return text;
}

} // namespace

void catch_worker_signals() {
    struct sigaction sa {};
    sa.sa_handler = on_signal; // without SA_RESTART: a call that a signal reaches gives EINTR, as the model's does
    for (const int n : {SIGPIPE, SIGUSR1, SIGUSR2, break_signal}) ::sigaction(n, &sa, nullptr);
}

KernelWorker::KernelWorker(int cpu) : cpu_(cpu), thread_([this] { loop(); }) {
    while (busy()) state_.wait(busy_state);
    open_files();
}

KernelWorker::~KernelWorker() {
    while (busy()) { // a signal that comes just before the call starts is lost: hence again and again
        ::pthread_kill(thread_.native_handle(), break_signal);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    state_.store(stop_state, std::memory_order_release);
    state_.notify_all();
    thread_.join();
    for (const int fd : {stat_, status_, syscall_, wchan_})
        if (fd >= 0) ::close(fd);
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

void KernelWorker::open_files() {
    stat_ = open_of(tid_, "stat");
    status_ = open_of(tid_, "status");
    syscall_ = open_of(tid_, "syscall");
    wchan_ = open_of(tid_, "wchan");
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

std::string KernelWorker::blind() const {
    // This thread waits for work now, so each file must say something.
    if (!contents(syscall_, 32).empty()) return "";
    const std::string where = contents(wchan_, 64);
    if (!where.empty() && where != "0") return "";
    return "whether a thread sleeps in a call cannot be seen here: /proc/self/task/TID/syscall and wchan tell nothing";
}

KernelWorker::Look KernelWorker::look() const {
    Look out;
    const std::string stat = contents(stat_, 512);
    const std::size_t paren = stat.rfind(')'); // the name before it may hold anything
    if (paren == std::string::npos || paren + 2 >= stat.size() || stat[paren + 2] != 'S') return out;
    // Asleep, but not where it waits for its next job.
    if (const std::string call = contents(syscall_, 64); !call.empty()) {
        if (call[0] < '0' || call[0] > '9') return out; // "running"
        if (std::atol(call.c_str()) == SYS_futex) return out;
    } else if (contents(wchan_, 64).find("pipe") == std::string::npos) {
        return out;
    }
    const std::string status = contents(status_, 4096);
    const std::size_t at = status.find("\nvoluntary_ctxt_switches:");
    if (at != std::string::npos) out.switches = std::strtoull(status.c_str() + at + 25, nullptr, 10);
    out.asleep = true;
    return out;
}

} // namespace pipescope

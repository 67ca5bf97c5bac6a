// SPDX-License-Identifier: MIT
// The loops of senders, workers and receivers. No memory is allocated between the gate and the end.
#include "sim/live/forwarder_task.hpp"
#include "sim/live/clock.hpp"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace pipescope {
namespace {

constexpr const char* role_names[] = {"sender", "worker", "receiver"};

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; }

} // namespace

std::string ForwardTask::name() const { return std::string(role_names[static_cast<int>(role_)]) + " " + std::to_string(connection_ + 1); }

// One sentence; with the error's name when there is one.
bool ForwardTask::fail(const char* what, int err) {
    std::snprintf(report_.error, sizeof report_.error, "%s %u of the forwarder: %s%s%s", role_names[static_cast<int>(role_)], connection_ + 1, what,
        err ? ": " : "", err ? std::strerror(err) : "");
    return false;
}

void ForwardTask::run() {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::signal(SIGINT, SIG_DFL);
    ::signal(SIGTERM, SIG_DFL);
    ::signal(SIGPIPE, SIG_IGN);
    keep_own_ends();
    if (!prepare()) ::_exit(1);
    wait_at_gate();
    rusage before{}, after{};
    ::getrusage(RUSAGE_SELF, &before);
    const bool whole = role_ == ForwardRole::sender ? send_all() : role_ == ForwardRole::worker ? forward_all() : receive_all();
    report_.end_ns = clock_ns(CLOCK_MONOTONIC);
    ::getrusage(RUSAGE_SELF, &after);
    report_.user_s = seconds(after.ru_utime) - seconds(before.ru_utime);
    report_.system_s = seconds(after.ru_stime) - seconds(before.ru_stime);
    report_.sleeps = static_cast<std::uint64_t>(after.ru_nvcsw - before.ru_nvcsw);
    report_.pushed = static_cast<std::uint64_t>(after.ru_nivcsw - before.ru_nivcsw);
    report_.done = whole;
    ::_exit(whole ? 0 : 1);
}

// All others are closed: one that stays open anywhere hides the end from whoever waits for it.
void ForwardTask::keep_own_ends() {
    const auto& ends = forwarder_.ends_;
    const Forwarder::Ends& mine = ends[connection_];
    if (role_ == ForwardRole::sender) out_ = mine.sender;
    if (role_ == ForwardRole::worker) in_ = mine.in, out_ = mine.out, pipe_ = options_.shared() ? ends[0].pipe : mine.pipe;
    if (role_ == ForwardRole::receiver) in_ = mine.receiver;
    for (const Forwarder::Ends& e : ends)
        for (const int fd : {e.sender, e.in, e.out, e.receiver, e.pipe[0], e.pipe[1]})
            if (fd >= 0 && fd != in_ && fd != out_ && fd != pipe_[0] && fd != pipe_[1]) ::close(fd);
}

bool ForwardTask::prepare() {
    if (role_ == ForwardRole::worker && options_.how != Forward::copy) return true;
    void* memory = ::mmap(nullptr, options_.request, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED) return fail("no memory for its buffer", errno);
    buffer_ = static_cast<char*>(memory);
    if (role_ == ForwardRole::worker) return true;
    const std::uint64_t size = options_.request + forward_period;
    memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return fail("no memory for its bytes", errno);
    pattern_ = static_cast<char*>(memory);
    for (std::uint64_t at = 0; at < size; ++at) pattern_[at] = forward_byte(connection_, at);
    return true;
}

void ForwardTask::wait_at_gate() {
    std::atomic_ref(report_.ready).store(1);
    std::atomic<std::uint32_t>& gate = forwarder_.shared_->gate;
    while (!gate) ::syscall(SYS_futex, &gate, FUTEX_WAIT, 0, nullptr, nullptr, 0);
}

// Its bytes, then the end of its half; what comes back is the end of the other one.
bool ForwardTask::send_all() {
    for (std::uint64_t left = options_.share(connection_); left;) {
        const ssize_t n = ::write(out_, pattern_ + report_.bytes % forward_period, std::min(left, options_.request));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return fail("write", errno);
        ++report_.calls;
        report_.bytes += static_cast<std::uint64_t>(n), left -= static_cast<std::uint64_t>(n);
    }
    if (::shutdown(out_, SHUT_WR)) return fail("shutdown", errno);
    char none = 0;
    ssize_t n = 0;
    while ((n = ::read(out_, &none, 1)) < 0 && errno == EINTR) {}
    return n == 0 || fail(n < 0 ? "its connection's end" : "something came back", n < 0 ? errno : 0);
}

// The result, or -errno.
std::int64_t ForwardTask::take() {
    ++report_.calls;
    const unsigned flags = options_.how == Forward::shared_waiting ? 0 : SPLICE_F_NONBLOCK;
    const ssize_t n = options_.how == Forward::copy ? ::read(in_, buffer_, options_.request)
                                                    : ::splice(in_, nullptr, pipe_[1], nullptr, options_.request, flags);
    return n < 0 ? -errno : n;
}

std::int64_t ForwardTask::give(const char* from, std::uint64_t len) {
    ++report_.calls;
    const ssize_t n = options_.how == Forward::copy ? ::write(out_, from, len) : ::splice(pipe_[0], nullptr, out_, nullptr, len, 0);
    return n < 0 ? -errno : n;
}

// Waits for its connection, takes what is there, sends as much on, and waits again; until there is nothing more to come.
bool ForwardTask::forward_all() {
    for (bool full = false;;) {
        pollfd p{in_, POLLIN, 0};
        if (!full && ::poll(&p, 1, -1) < 0) {
            if (errno == EINTR) continue;
            return fail("poll", errno);
        }
        std::int64_t left = take();
        full = left == -EAGAIN; // the pipe: at once again
        if (full) ++report_.agains;
        if (full || left == -EINTR) continue;
        if (left < 0) return fail(options_.how == Forward::copy ? "read" : "splice from its socket", static_cast<int>(-left));
        if (left == 0) break;
        for (const char* from = buffer_; left;) {
            const std::int64_t n = give(from, static_cast<std::uint64_t>(left));
            if (n == -EINTR) continue;
            if (n <= 0) return fail(options_.how == Forward::copy ? "write" : "splice to its socket", static_cast<int>(-n));
            from += n, left -= n;
            report_.bytes += static_cast<std::uint64_t>(n);
        }
    }
    return ::shutdown(out_, SHUT_WR) == 0 || fail("shutdown", errno);
}

bool ForwardTask::receive_all() {
    for (;;) {
        const ssize_t n = ::read(in_, buffer_, options_.request);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail("read", errno);
        if (n == 0) return true;
        ++report_.calls;
        if (options_.verify && !as_sent(report_.bytes, static_cast<std::uint64_t>(n))) return fail("a byte is not the one that was sent");
        report_.bytes += static_cast<std::uint64_t>(n);
    }
}

bool ForwardTask::as_sent(std::uint64_t at, std::uint64_t len) {
    if (!options_.shared()) return std::memcmp(buffer_, pattern_ + at % forward_period, len) == 0;
    for (std::uint64_t i = 0; i < len; ++i) report_.sum += static_cast<std::uint8_t>(buffer_[i]);
    return true;
}

} // namespace pipescope

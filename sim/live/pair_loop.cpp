// SPDX-License-Identifier: MIT
// The loops of the writer and the reader. No memory is allocated between the gate and the end.
#include "sim/live/pair_child.hpp"
#include "sim/live/clock.hpp"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

namespace pipescope {
void PairChild::loop() {
    SideReport& r = report();
    rusage before{}, after{};
    ::getrusage(RUSAGE_SELF, &before);
    r.start_ns = clock_ns(CLOCK_MONOTONIC);
    if (side_ == side_writer) loop_writer();
    else loop_reader();
    r.end_ns = clock_ns(CLOCK_MONOTONIC);
    ::getrusage(RUSAGE_SELF, &after);
    r.sleeps = static_cast<std::uint64_t>(after.ru_nvcsw - before.ru_nvcsw);
}

// The result, or -errno.
std::int64_t PairChild::system_call(std::uint64_t addr, std::uint64_t len) {
    void* at = reinterpret_cast<void*>(addr);
    std::int64_t n = 0;
    switch (sys_) {
    case Sys::splice: n = ::splice(fd_, nullptr, null_, nullptr, len, flags_); break;
    case Sys::read: n = ::read(fd_, at, len); break;
    case Sys::vmsplice: {
        const iovec iov{at, len};
        n = ::vmsplice(fd_, &iov, 1, flags_);
        break;
    }
    default: n = ::write(fd_, at, len); break;
    }
    return n < 0 ? -errno : n;
}

std::int64_t PairChild::call(std::uint64_t addr, std::uint64_t len) {
    if (options_.poll) {
        pollfd p{fd_, static_cast<short>(side_ == side_writer ? POLLOUT : POLLIN), 0};
        while (::poll(&p, 1, options_.busy_loop ? 0 : -1) == 0) {
        }
    }
    return log_calls_ ? logged_call(addr, len) : system_call(addr, len);
}

std::int64_t PairChild::logged_call(std::uint64_t addr, std::uint64_t len) {
    LoggedCall one;
    one.sys = sys_, one.flags = flags_, one.len = len;
    one.addr = sys_ == Sys::splice ? 0 : addr;
    rusage before{}, after{};
    ::getrusage(RUSAGE_THREAD, &before);
    const std::uint64_t cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    one.enter_ns = clock_ns(CLOCK_MONOTONIC);
    one.result = system_call(addr, len);
    one.exit_ns = clock_ns(CLOCK_MONOTONIC);
    const std::uint64_t awake_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns, whole_ns = one.exit_ns - one.enter_ns;
    ::getrusage(RUSAGE_THREAD, &after);
    one.sleeps = static_cast<std::uint32_t>(after.ru_nvcsw - before.ru_nvcsw);
    if (one.sleeps && whole_ns > awake_ns) one.asleep_ns = whole_ns - awake_ns;
    SideReport& r = report();
    LoggedCall* log = pair_.log_of(side_);
    LoggedCall* last = r.logged ? &log[r.logged - 1] : nullptr;
    if (one.result == -EAGAIN && last && last->result == -EAGAIN) { // one of a row is enough
        ++last->again;
        return one.result;
    }
    if (one.result != -EAGAIN) {
        int queued = 0;
        if (::ioctl(fd_, FIONREAD, &queued) == 0) one.queued = static_cast<std::uint32_t>(queued);
        if (const int size = ::fcntl(fd_, F_GETPIPE_SZ); size > 0) one.size = static_cast<std::uint32_t>(size);
        one.observed_ns = clock_ns(CLOCK_MONOTONIC);
    }
    if (r.logged < pair_.log_capacity_) log[r.logged++] = one;
    else ++r.log_lost;
    return one.result;
}

void PairChild::loop_writer() {
    const std::uint64_t size = options_.call_bytes();
    const std::atomic<std::uint32_t>& stop = pair_.shared_->stop;
    SideReport& r = report();
    for (std::uint64_t left = options_.bytes, turn = 0; left && !stop; ++turn) {
        const std::uint64_t second = options_.two_buffers() ? stride_ : size;
        std::uint64_t addr = r.buffer + options_.offset + (options_.vmsplice && turn % 2 ? second : 0);
        for (std::uint64_t rest = std::min(size, left); rest && !stop;) {
            const std::int64_t n = call(addr, rest);
            if (n == -EAGAIN || n == -EINTR) continue;
            if (n <= 0) {
                fail(options_.vmsplice ? "vmsplice" : "write", static_cast<int>(-n));
                return;
            }
            const auto moved = static_cast<std::uint64_t>(n);
            addr += moved, rest -= moved, left -= moved;
            r.bytes += moved;
        }
    }
}

void PairChild::loop_reader() {
    SideReport& r = report();
    for (;;) {
        const std::int64_t n = call(r.buffer + options_.offset, options_.buffer);
        if (n == -EAGAIN || n == -EINTR) continue;
        if (n < 0) fail(options_.splice ? "splice" : "read", static_cast<int>(-n));
        if (n <= 0 || (options_.verify && !as_sent(r.bytes, static_cast<std::uint64_t>(n)))) return;
        r.bytes += static_cast<std::uint64_t>(n);
    }
}

// What lies in the reader's buffer is what the writer sends from its byte `at` on.
bool PairChild::as_sent(std::uint64_t at, std::uint64_t len) {
    for (std::uint64_t i = 0; i < len; ++i)
        if (const char got = memory_[options_.offset + i]; got != options_.byte_at(at + i)) {
            char what[96];
            std::snprintf(what, sizeof what, "byte %lu is %d and was sent as %d", at + i, got, options_.byte_at(at + i));
            return fail(what);
        }
    return true;
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// The loops of the writer and the reader. No memory is allocated between the gate and the end.
#include "sim/live/pair_child.hpp"
#include "sim/live/pagemap.hpp"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

namespace pipescope {
namespace {

std::uint64_t now_ns() {
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

std::uint64_t round_up(std::uint64_t n, std::uint64_t to) { return (n + to - 1) / to * to; }

} // namespace

SideReport& PairChild::report() const { return pair_.shared_->side[side_]; }

bool PairChild::fail(const char* what, int err) {
    std::snprintf(report().error, sizeof report().error, "the %s: %s: %s", side_ == side_writer ? "writer" : "reader", what, std::strerror(err));
    return false;
}

void PairChild::run() {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::signal(SIGINT, SIG_IGN); // Ctrl-C is for the recorder, which asks the writer to stop
    ::signal(SIGTERM, SIG_DFL);
    ::signal(SIGPIPE, SIG_IGN);
    fd_ = pair_.child_fds_[side_];
    ::close(pair_.child_fds_[1 - side_]);
    if (!prepare()) ::_exit(1);
    wait_at_gate();
    if (side_ == side_writer) loop_writer();
    else loop_reader();
    ::close(fd_); // first of all, so that the other one does not wait for us
    const auto after = frame_numbers(memory_, report().buffer_bytes);
    std::copy(after.begin(), after.end(), pair_.frames(side_, true));
    report().done = 1;
    ::_exit(report().error[0] ? 1 : 0);
}

bool PairChild::prepare() {
    const bool two = side_ == side_writer && options_.vmsplice && !options_.same_buffer;
    const std::uint64_t unit = options_.huge_page ? huge_size : page_size;
    const std::uint64_t bytes = round_up(options_.buffer * (two ? 2 : 1), unit);
    void* memory = ::mmap(nullptr, bytes + unit, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return fail("no memory for its buffer", errno);
    memory_ = reinterpret_cast<char*>(round_up(reinterpret_cast<std::uintptr_t>(memory), unit));
    // Said either way: by itself the kernel may put small pages together while the run goes on.
    if (::madvise(memory_, bytes, options_.huge_page ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) && options_.huge_page) return fail("no huge pages", errno);
    if (!options_.untouched) // written to, page by page: what is only read stays the zero page
        for (std::uint64_t at = 0; at < bytes; ++at) memory_[at] = static_cast<char>('0' + at % 10);
    report().buffer = reinterpret_cast<std::uintptr_t>(memory_);
    report().buffer_bytes = bytes;
    const auto frames = frame_numbers(memory_, bytes);
    std::copy(frames.begin(), frames.end(), pair_.frames(side_, false));
    if (side_ == side_reader && options_.splice && (null_ = ::open("/dev/null", O_WRONLY | O_CLOEXEC)) < 0) return fail("/dev/null", errno);
    if (options_.busy_loop && ::fcntl(fd_, F_SETFL, O_NONBLOCK)) return fail("O_NONBLOCK", errno);
    return true;
}

void PairChild::wait_at_gate() {
    report().cpu = static_cast<std::uint32_t>(std::max(::sched_getcpu(), 0));
    std::atomic_ref(report().ready).store(1);
    while (!pair_.shared_->gate) ::syscall(SYS_futex, &pair_.shared_->gate, FUTEX_WAIT, 0, nullptr, nullptr, 0);
}

std::int64_t PairChild::call(std::uint64_t addr, std::uint64_t len) {
    if (options_.poll) {
        pollfd p{fd_, static_cast<short>(side_ == side_writer ? POLLOUT : POLLIN), 0};
        ::poll(&p, 1, -1);
    }
    LoggedCall one;
    void* at = reinterpret_cast<void*>(addr);
    if (log_calls_) one.enter_ns = now_ns();
    if (side_ == side_reader && options_.splice) {
        one.sys = Sys::splice;
        one.flags = SPLICE_F_MOVE | (options_.busy_loop ? SPLICE_F_NONBLOCK : 0u);
        one.result = ::splice(fd_, nullptr, null_, nullptr, len, one.flags);
    } else if (side_ == side_reader) {
        one.sys = Sys::read;
        one.result = ::read(fd_, at, len);
    } else if (options_.vmsplice) {
        one.sys = Sys::vmsplice;
        one.flags = (options_.gift ? SPLICE_F_GIFT : 0u) | (options_.busy_loop ? SPLICE_F_NONBLOCK : 0u);
        const iovec iov{at, len};
        one.result = ::vmsplice(fd_, &iov, 1, one.flags);
    } else {
        one.sys = Sys::write;
        one.result = ::write(fd_, at, len);
    }
    if (one.result < 0) one.result = -errno;
    if (!log_calls_) return one.result;
    one.exit_ns = now_ns();
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
        one.observed_ns = now_ns();
    }
    one.addr = side_ == side_reader && options_.splice ? 0 : addr;
    one.len = len;
    if (r.logged < pair_.log_capacity_) log[r.logged++] = one;
    else ++r.log_lost;
    return one.result;
}

void PairChild::loop_writer() {
    const bool two = options_.vmsplice && !options_.same_buffer;
    const std::atomic<std::uint32_t>& stop = pair_.shared_->stop;
    for (std::uint64_t left = options_.bytes, turn = 0; left && !stop; ++turn) {
        std::uint64_t addr = report().buffer + (two && turn % 2 ? options_.buffer : 0);
        for (std::uint64_t rest = std::min(options_.buffer, left); rest && !stop;) {
            const std::int64_t n = call(addr, rest);
            if (n == -EAGAIN || n == -EINTR) continue;
            if (n <= 0) {
                fail(options_.vmsplice ? "vmsplice" : "write", static_cast<int>(-n));
                return;
            }
            const auto moved = static_cast<std::uint64_t>(n);
            addr += moved, rest -= moved, left -= moved;
            report().bytes += moved;
        }
    }
}

void PairChild::loop_reader() {
    for (;;) {
        const std::int64_t n = call(report().buffer, options_.buffer);
        if (n == -EAGAIN || n == -EINTR) continue;
        if (n < 0) fail(options_.splice ? "splice" : "read", static_cast<int>(-n));
        if (n <= 0) return;
        report().bytes += static_cast<std::uint64_t>(n);
    }
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// The writer and the reader before the gate and after the end: descriptors, memory, CPU.
#include "sim/live/pair_child.hpp"
#include "sim/live/huge_pages.hpp"
#include "sim/live/pagemap.hpp"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pipescope {
namespace {

std::uint64_t round_up(std::uint64_t n, std::uint64_t to) { return (n + to - 1) / to * to; }

} // namespace

SideReport& PairChild::report() const { return pair_.shared_->side[side_]; }

// One sentence; with the error's name when there is one.
bool PairChild::fail(const char* what, int err) {
    std::snprintf(report().error, sizeof report().error, "the %s: %s%s%s", side_ == side_writer ? "writer" : "reader", what, err ? ": " : "",
        err ? std::strerror(err) : "");
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
    loop();
    ::close(fd_); // first of all, so that the other one does not wait for us
    const auto after = frame_numbers(memory_, report().buffer_bytes);
    std::copy(after.begin(), after.end(), pair_.frames(side_, true));
    report().done = 1;
    ::_exit(report().error[0] ? 1 : 0);
}

bool PairChild::prepare() {
    if (const int cpu = options_.cpu[side_]; cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        if (cpu < CPU_SETSIZE) CPU_SET(cpu, &set);
        if (::sched_setaffinity(0, sizeof set, &set)) {
            char what[64];
            std::snprintf(what, sizeof what, "it cannot run on CPU %d", cpu);
            return fail(what, errno);
        }
    }
    if (!prepare_memory()) return false;
    if (side_ == side_reader && options_.splice && (null_ = ::open("/dev/null", O_WRONLY | O_CLOEXEC)) < 0) return fail("/dev/null", errno);
    if (options_.busy_loop && ::fcntl(fd_, F_SETFL, O_NONBLOCK)) return fail("O_NONBLOCK", errno);
    const std::uint32_t nonblock = options_.busy_loop ? SPLICE_F_NONBLOCK : 0;
    if (side_ == side_writer) {
        sys_ = options_.vmsplice ? Sys::vmsplice : Sys::write;
        if (options_.vmsplice) flags_ = nonblock | (options_.gift ? SPLICE_F_GIFT : 0u);
    } else {
        sys_ = options_.splice ? Sys::splice : Sys::read;
        if (options_.splice) flags_ = nonblock | (options_.gift ? SPLICE_F_MOVE : 0u);
    }
    return true;
}

bool PairChild::prepare_memory() {
    const bool used = side_ == side_writer || !options_.splice;
    const bool two = side_ == side_writer && options_.two_buffers();
    const std::uint64_t unit = options_.huge_page ? huge_size : page_size;
    // Two buffers do not share a page, as two of malloc() do not.
    stride_ = round_up(options_.offset + options_.buffer, unit);
    const std::uint64_t bytes = stride_ * (two ? 2 : 1);
    void* memory = ::mmap(nullptr, bytes + unit, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return fail("no memory for its buffer", errno);
    memory_ = reinterpret_cast<char*>(round_up(reinterpret_cast<std::uintptr_t>(memory), unit));
    // Said either way: by itself the kernel may put small pages together while the run goes on.
    if (::madvise(memory_, bytes, options_.huge_page ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) && options_.huge_page) return fail("no huge pages", errno);
    if (options_.lock_memory && ::mlock(memory_, bytes)) return fail("its memory cannot be locked", errno);
    if (!options_.untouched) // written to, page by page: what is only read stays the zero page
        for (std::uint64_t at = 0, sent = 0; at < bytes; ++at) {
            const bool inside = at % stride_ >= options_.offset && at % stride_ < options_.offset + options_.buffer;
            memory_[at] = inside ? static_cast<char>('0' + sent++ % 10) : '.';
        }
    report().buffer = reinterpret_cast<std::uintptr_t>(memory_);
    report().buffer_bytes = bytes;
    const std::uint64_t huge = huge_page_bytes(memory_, bytes);
    if (options_.huge_page && used && !options_.untouched && huge < bytes) {
        char what[96];
        std::snprintf(what, sizeof what, "only %lu KiB of its %lu KiB are in huge pages", huge >> 10, bytes >> 10);
        return fail(what);
    }
    const auto frames = frame_numbers(memory_, bytes);
    std::copy(frames.begin(), frames.end(), pair_.frames(side_, false));
    return true;
}

void PairChild::wait_at_gate() {
    report().cpu = static_cast<std::uint32_t>(std::max(::sched_getcpu(), 0));
    std::atomic_ref(report().ready).store(1);
    while (!pair_.shared_->gate) ::syscall(SYS_futex, &pair_.shared_->gate, FUTEX_WAIT, 0, nullptr, nullptr, 0);
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// The memory that parent and child share, the child's loop, and its end.
#include "sim/scenario/kernel_child.hpp"
#include "sim/scenario/kernel_worker.hpp"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstring>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pipescope {
namespace {

constexpr int idle = 0, busy_state = 1, stop = 2;
constexpr std::size_t iov_limit = 4096;

// std::atomic's own wait sees only threads of one process.
void futex(std::atomic<int>& word, int op, int value, const timespec* limit = nullptr) {
    ::syscall(SYS_futex, reinterpret_cast<int*>(&word), op, value, limit, nullptr, 0);
}

} // namespace

struct KernelChild::Block {
    std::atomic<int> state{busy_state}; // until the child serves
    std::atomic<std::uint32_t> signals{0};
    KernelJob job = nullptr; // null: the call
    KernelOrder order;
    long result = 0;
    Sys nr = Sys::none;
    int fd = -1, fd_out = -1;
    std::uint64_t len = 0, addr = 0, iovs = 0;
    std::int64_t off_in = -1, off_out = -1;
    std::uint32_t flags = 0;
    IoVec iov[iov_limit];
    std::uint8_t bytes[order_bytes];
};

KernelChild::KernelChild() {
    void* const p = ::mmap(nullptr, sizeof(Block), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p != MAP_FAILED) block_ = new (p) Block;
}

KernelChild::~KernelChild() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    if (block_) ::munmap(block_, sizeof(Block));
}

bool KernelChild::fork(KernelBackend& backend, std::uint32_t task, const std::function<long(const Call&)>& perform) {
    if (!block_) return false;
    pid_ = ::fork();
    if (pid_ == 0) serve(backend, task, perform);
    if (pid_ < 0) return false;
    wait_idle();
    eye_ = KernelEye(pid_, pid_);
    return !dead();
}

void KernelChild::serve(KernelBackend& backend, std::uint32_t task, const std::function<long(const Call&)>& perform) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // whatever ends the case's thread ends this
    remember_signals_in(block_->signals);
    set(idle);
    for (;;) {
        const int s = block_->state.load();
        if (s == idle) {
            futex(block_->state, FUTEX_WAIT, idle);
            continue;
        }
        if (s == stop) ::_exit(0);
        if (block_->job) {
            block_->result = block_->job(backend, task, block_->order);
        } else {
            Call c;
            c.nr = block_->nr, c.fd = block_->fd, c.fd_out = block_->fd_out, c.len = block_->len, c.addr = block_->addr;
            c.off_in = block_->off_in, c.off_out = block_->off_out, c.flags = block_->flags;
            c.iov.assign(block_->iov, block_->iov + block_->iovs);
            block_->result = perform(c);
        }
        set(idle);
    }
}

void KernelChild::set(int state) {
    block_->state.store(state);
    futex(block_->state, FUTEX_WAKE, INT_MAX);
}

bool KernelChild::dead() {
    if (pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
    return pid_ <= 0;
}

void KernelChild::wait_idle() {
    const timespec limit{.tv_sec = 0, .tv_nsec = 50'000'000};
    while (busy() && !dead()) futex(block_->state, FUTEX_WAIT, busy_state, &limit);
}

bool KernelChild::busy() const { return pid_ > 0 && block_->state.load() == busy_state; }
long KernelChild::result() const { return pid_ > 0 ? block_->result : -EIO; }

void KernelChild::start(const Call& c) {
    block_->job = nullptr;
    block_->nr = c.nr, block_->fd = c.fd, block_->fd_out = c.fd_out, block_->len = c.len, block_->addr = c.addr;
    block_->off_in = c.off_in, block_->off_out = c.off_out, block_->flags = c.flags;
    block_->iovs = std::min(c.iov.size(), iov_limit);
    std::copy_n(c.iov.begin(), block_->iovs, block_->iov);
    set(busy_state);
}

long KernelChild::ask(KernelJob job, KernelOrder& o) {
    block_->job = job;
    block_->order = o;
    block_->order.bytes = block_->bytes;
    if (o.size) std::memcpy(block_->bytes, o.bytes, o.size);
    set(busy_state);
    wait_idle();
    std::copy_n(block_->order.v, std::size(o.v), o.v);
    if (o.size) std::memcpy(o.bytes, block_->bytes, o.size);
    return result();
}

KernelEye::Look KernelChild::look() {
    const KernelEye::Look now = eye_.look();
    if (!now.asleep) dead(); // so that nobody waits for one that crashed
    return now;
}

std::uint32_t KernelChild::take_signals() { return block_->signals.exchange(0); }

void KernelChild::signal(int n) {
    if (pid_ <= 0) return;
    const bool was_idle = !busy();
    ::kill(pid_, n);
    for (int i = 0; was_idle && i < 1000 && !(block_->signals.load() & 1u << n); ++i) ::usleep(50);
}

void KernelChild::exit() {
    if (pid_ <= 0) return;
    set(stop);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
}

} // namespace pipescope

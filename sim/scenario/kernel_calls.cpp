// SPDX-License-Identifier: MIT
// A Call as the real system call, on the real descriptors behind the case's numbers.
#include "core/state.hpp"
#include "sim/scenario/kernel_backend.hpp"
#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace pipescope {
namespace {

long or_errno(long r) { return r < 0 ? -errno : r; }

int open_flags(std::uint32_t f) { return (f & F_nonblock ? O_NONBLOCK : 0) | (f & F_direct ? O_DIRECT : 0) | (f & F_append ? O_APPEND : 0); }

} // namespace

// Raw system calls: the library's wrappers are cancellation points and check arguments of their own.
long KernelBackend::perform(const Call& c) {
    static_assert(sizeof(IoVec) == sizeof(iovec));
    const long fd = real(c.fd);
    const IoVec first = c.iov.empty() ? IoVec{} : c.iov.front();
    switch (c.nr) {
    case Sys::write: return or_errno(::syscall(SYS_write, fd, first.addr, first.len));
    case Sys::read: return or_errno(::syscall(SYS_read, fd, first.addr, first.len));
    case Sys::writev:
        if (c.flags) return or_errno(::syscall(SYS_pwritev2, fd, c.iov.data(), c.iov.size(), -1L, -1L, static_cast<unsigned long>(c.flags)));
        return or_errno(::syscall(SYS_writev, fd, c.iov.data(), c.iov.size()));
    case Sys::readv:
        if (c.flags) return or_errno(::syscall(SYS_preadv2, fd, c.iov.data(), c.iov.size(), -1L, -1L, static_cast<unsigned long>(c.flags)));
        return or_errno(::syscall(SYS_readv, fd, c.iov.data(), c.iov.size()));
    case Sys::vmsplice: return or_errno(::syscall(SYS_vmsplice, fd, c.iov.data(), c.iov.size(), static_cast<unsigned long>(c.flags)));
    case Sys::splice: {
        loff_t in = c.off_in, out = c.off_out;
        return or_errno(::syscall(SYS_splice, fd, c.off_in >= 0 ? &in : nullptr, static_cast<long>(real(c.fd_out)), c.off_out >= 0 ? &out : nullptr,
            c.len, static_cast<unsigned long>(c.flags)));
    }
    case Sys::tee: return or_errno(::syscall(SYS_tee, fd, static_cast<long>(real(c.fd_out)), c.len, static_cast<unsigned long>(c.flags)));
    case Sys::sendfile: {
        off_t in = c.off_in;
        return or_errno(::syscall(SYS_sendfile, static_cast<long>(real(c.fd_out)), fd, c.off_in >= 0 ? &in : nullptr, c.len));
    }
    case Sys::open: {
        const int mode = (c.flags & F_read) && (c.flags & F_write) ? O_RDWR : c.flags & F_write ? O_WRONLY : O_RDONLY;
        const long opened = files_.open_fifo(c.addr, mode | open_flags(c.flags));
        return opened < 0 ? opened : install(static_cast<int>(opened));
    }
    case Sys::munmap: return memory_.unmap(c.addr, c.len);
    case Sys::mprotect: return memory_.protect(c.addr, c.len, (c.flags & VMA_READ ? PROT_READ : 0) | (c.flags & VMA_WRITE ? PROT_WRITE : 0));
    case Sys::madvise: return memory_.advise(c.addr, c.len, static_cast<int>(c.flags));
    case Sys::touch: return memory_.touch(c.addr, c.len);
    case Sys::close: return close_fd(c.fd);
    case Sys::dup: {
        const int copy = ::fcntl(static_cast<int>(fd), F_DUPFD_CLOEXEC, 0);
        return copy < 0 ? -errno : install(copy);
    }
    case Sys::fcntl_getpipe_sz: return or_errno(::syscall(SYS_fcntl, fd, F_GETPIPE_SZ));
    case Sys::fcntl_setpipe_sz: return or_errno(::syscall(SYS_fcntl, fd, F_SETPIPE_SZ, c.len));
    case Sys::fcntl_setfl: return or_errno(::syscall(SYS_fcntl, fd, F_SETFL, open_flags(c.flags)));
    case Sys::fionread: {
        int n = 0;
        const long r = or_errno(::syscall(SYS_ioctl, fd, FIONREAD, &n));
        return r < 0 ? r : n;
    }
    case Sys::poll: {
        // poll() takes a negative number for an entry to leave out; one that is no descriptor either says POLLNVAL.
        pollfd p{.fd = fd >= 0 ? static_cast<int>(fd) : 1 << 30, .events = POLLIN | POLLOUT, .revents = 0};
        const long r = or_errno(::syscall(SYS_poll, &p, 1UL, c.flags & ps_poll_wait ? -1 : 0));
        return r < 0 ? r : p.revents;
    }
    default: return -ENOSYS;
    }
}

} // namespace pipescope

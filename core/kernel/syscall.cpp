// SPDX-License-Identifier: MIT
// System calls down to the pipe: descriptors, modes and arguments are checked in the kernel's order; fs/read_write.c, fs/splice.c.
#include "core/kernel/kernel.hpp"
#include "core/net/mbuf.hpp"
#include <bit>
#include <csignal>

namespace pipescope {
// A handler with SA_RESTART sends the program back to the instruction that entered the kernel: the call is made once more.
Co<long> Kernel::syscall(TaskId me, const Call& c) {
    long r = 0;
    do {
        const File* f = file(me, c.fd);
        std::uint64_t bytes = c.len;
        for (const IoVec& v : c.iov) bytes += v.len;
        emit(EventKind::sys_enter, me, f && f->kind == FileKind::pipe ? f->pipe : no_id, static_cast<std::uint32_t>(c.nr),
            static_cast<std::uint32_t>(c.fd), c.flags, c.iov.empty() ? c.addr : c.iov.front().addr, bytes);
        if (c.fd >= 0) co_await stage(me, Stage::sys_fdget, no_id, {.x = static_cast<std::uint64_t>(c.fd)});
        // fdget: where others share the table of descriptors the call holds the file, and a close in between does not end it.
        FileId held[2] = {no_id, no_id};
        if (c.nr != Sys::close && table_shared(me))
            for (const int i : {0, 1})
                if (const int fd = i ? c.fd_out : c.fd; file(me, fd)) {
                    held[i] = s.fdtables[s.tasks[me].fds][static_cast<std::size_t>(fd)];
                    emit(EventKind::file_get, me, no_id, held[i]);
                }
        r = -ENOSYS;
        switch (c.nr) {
        case Sys::write:
        case Sys::writev: r = co_await ksys_write(me, c); break;
        case Sys::read:
        case Sys::readv: r = co_await ksys_read(me, c); break;
        case Sys::vmsplice: r = co_await sys_vmsplice(me, c); break;
        case Sys::splice: r = co_await sys_splice(me, c); break;
        case Sys::open: r = co_await sys_open(me, c); break;
        case Sys::sendfile: r = co_await sys_sendfile(me, c); break;
        case Sys::tee: r = co_await sys_tee(me, c); break;
        case Sys::close: r = co_await sys_close(me, c); break;
        case Sys::fcntl_getpipe_sz:
        case Sys::fcntl_setpipe_sz:
        case Sys::fcntl_setfl: r = co_await sys_fcntl(me, c); break;
        case Sys::fionread: r = co_await sys_ioctl(me, c); break;
        case Sys::poll: r = co_await sys_poll(me, c); break;
        case Sys::dup: r = sys_dup(me, c); break;
        case Sys::munmap: r = munmap(me, c.addr, c.len); break;
        case Sys::mprotect: r = mprotect(me, c.addr, c.len, c.flags); break;
        case Sys::madvise: r = madvise(me, c.addr, c.len, c.flags); break;
        case Sys::touch: r = touch(me, c.addr, c.len); break;
        case Sys::sendto: r = co_await bsd::sendto(*this, me, c); break;
        case Sys::if_start: r = co_await bsd::if_start(*this, me); break;
        default: break;
        }
        for (const FileId id : held)
            if (id != no_id) co_await fput(me, id);
        const bool restart = std::countr_zero(s.tasks[me].pending) == SIGUSR2;
        if (r == -ERESTARTSYS_ && !restart) r = -EINTR;
        emit(EventKind::sys_exit, me, s.tasks[me].pipe, static_cast<std::uint32_t>(c.nr), 0, 0, static_cast<std::uint64_t>(static_cast<std::int64_t>(r)));
    } while (r == -ERESTARTSYS_);
    co_return r;
}

Co<long> Kernel::ksys_write(TaskId me, const Call& c) {
    FnScope fn(*this, me, Fn::ksys_write);
    const File* f = file(me, c.fd);
    if (!f || !(f->flags & F_write)) co_return -EBADF;
    if (const long r = import_iovec(c.iov, c.nr == Sys::writev, task_size())) co_return r;
    IovIter from(c.iov, max_rw_count);
    File file = *f; // the descriptor's reference is held for the call
    if (const long r = kiocb_flags(c, *f, file.flags)) co_return r;
    if (file.kind == FileKind::pipe) co_return co_await pipe_write(me, file.pipe, file.flags, from);
    if (file.kind == FileKind::null || file.kind == FileKind::zero) co_return static_cast<long>(from.count);
    if (file.kind == FileKind::socket) {
        Msg m;
        m.from = &from, m.dontwait = file.flags & F_nonblock;
        co_return co_await sock_sendmsg(me, file.sock, m);
    }
    if (file.kind == FileKind::regular) co_return generic_file_write(me, s.fdtables[s.tasks[me].fds][static_cast<std::size_t>(c.fd)], from);
    co_return -ENOSYS;
}

Co<long> Kernel::ksys_read(TaskId me, const Call& c) {
    FnScope fn(*this, me, Fn::ksys_read);
    const File* f = file(me, c.fd);
    if (!f || !(f->flags & F_read)) co_return -EBADF;
    if (const long r = import_iovec(c.iov, c.nr == Sys::readv, task_size())) co_return r;
    IovIter to(c.iov, max_rw_count);
    File file = *f;
    if (const long r = kiocb_flags(c, *f, file.flags)) co_return r;
    if (file.kind == FileKind::pipe) co_return co_await pipe_read(me, file.pipe, file.flags, to);
    if (file.kind == FileKind::null) co_return 0;
    if (file.kind == FileKind::socket) {
        const bool dontwait = file.flags & F_nonblock;
        if (to.count == 0) co_return 0;
        if (s.sockets[file.sock].type == SockType::dgram) co_return co_await unix_dgram_recvmsg(me, file.sock, to, dontwait);
        co_return co_await unix_stream_read(me, file.sock, &to, no_id, to.count, dontwait);
    }
    if (file.kind == FileKind::regular) co_return generic_file_read(me, s.fdtables[s.tasks[me].fds][static_cast<std::size_t>(c.fd)], to);
    if (file.kind == FileKind::zero) co_return zero_read(me, to);
    co_return -ENOSYS;
}

long Kernel::zero_read(TaskId me, IovIter& to) { // /dev/zero
    long done = 0;
    while (to.count) {
        const std::uint32_t n = copy_page_to_iter(me, zero_page, 0, static_cast<std::uint32_t>(std::min<std::uint64_t>(to.count, page_size)), to);
        if (n == 0) break;
        done += n;
    }
    return done || to.count == 0 ? done : -EFAULT;
}

Co<long> Kernel::sys_close(TaskId me, const Call& c) {
    FnScope fn(*this, me, Fn::sys_close);
    const File* f = file(me, c.fd);
    if (!f) co_return -EBADF;
    const auto& fds = s.fdtables[s.tasks[me].fds];
    const FileId id = fds[static_cast<std::size_t>(c.fd)];
    emit(EventKind::fd_remove, me, no_id, s.tasks[me].fds, static_cast<std::uint32_t>(c.fd));
    co_return co_await fput(me, id);
}

bool Kernel::table_shared(TaskId me) const {
    std::size_t users = 0;
    for (const Task& t : s.tasks) users += t.fds == s.tasks[me].fds && t.run != RunState::exited;
    return users > 1;
}

Co<long> Kernel::fput(TaskId me, FileId id) {
    file_put(me, id);
    const File file = s.files[id];
    if (file.refs == 0 && file.kind == FileKind::pipe) co_return co_await pipe_release(me, file.pipe, file.flags);
    if (file.refs == 0 && file.kind == FileKind::socket) unix_release(me, file.sock);
    co_return 0;
}

Co<long> Kernel::sys_fcntl(TaskId me, const Call& c) {
    FnScope fn(*this, me, Fn::sys_fcntl);
    const File* f = file(me, c.fd);
    if (!f) co_return -EBADF;
    if (c.nr == Sys::fcntl_setfl) {
        constexpr std::uint32_t changeable = F_nonblock | F_direct | F_append;
        const FileId id = s.fdtables[s.tasks[me].fds][static_cast<std::size_t>(c.fd)];
        emit(EventKind::file_flags, me, no_id, id, 0, (f->flags & ~changeable) | (c.flags & changeable));
        co_return 0;
    }
    if (f->kind != FileKind::pipe) co_return -EBADF;
    const PipeId pipe = f->pipe;
    if (c.nr == Sys::fcntl_setpipe_sz) co_return co_await pipe_set_size(me, pipe, c.len);
    co_return static_cast<long>(pipe_at(pipe).max_usage) * page_size;
}

Co<long> Kernel::sys_ioctl(TaskId me, const Call& c) {
    FnScope fn(*this, me, Fn::sys_ioctl);
    const File* f = file(me, c.fd);
    if (!f) co_return -EBADF;
    if (f->kind == FileKind::socket) co_return unix_inq_len(f->sock);
    if (f->kind != FileKind::pipe) co_return -ENOTTY;
    const PipeId pipe = f->pipe;
    co_return co_await pipe_ioctl_fionread(me, pipe);
}

Co<long> Kernel::sys_poll(TaskId me, const Call& c) {
    FnScope fn(*this, me, Fn::sys_poll);
    const File* f = file(me, c.fd);
    if (!f) co_return 0x20; // POLLNVAL: an answer, not an error
    const File file = *f;
    if (file.kind == FileKind::pipe) co_return co_await pipe_poll(me, file.pipe, file, c.flags & ps_poll_wait);
    if (file.kind == FileKind::socket) co_return co_await sock_poll(me, file.sock, c.flags & ps_poll_wait);
    co_return poll_mask(file);
}

long Kernel::sys_dup(TaskId me, const Call& c) {
    if (!file(me, c.fd)) return -EBADF;
    const FileId id = s.fdtables[s.tasks[me].fds][static_cast<std::size_t>(c.fd)];
    const auto& fds = s.fdtables[s.tasks[me].fds];
    std::uint32_t fd = 3;
    while (fd < fds.size() && fds[fd] != no_id) ++fd;
    emit(EventKind::fd_install, me, no_id, s.tasks[me].fds, fd, id);
    return static_cast<long>(fd);
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// vmsplice, splice, tee and sendfile as they are called: what is checked, in the kernel's order, before a pipe is reached; fs/splice.c.
#include "core/kernel/kernel.hpp"

namespace pipescope {

Co<long> Kernel::sys_vmsplice(TaskId me, const Call& c) {
    FnScope fn(*this, me, Fn::sys_vmsplice);
    if (c.flags & ~std::uint32_t{PS_SPLICE_F_ALL}) co_return -EINVAL;
    const File* f = file(me, c.fd);
    if (!f || !(f->flags & (F_read | F_write))) co_return -EBADF;
    const bool into = f->flags & F_write; // one opened for both goes this way
    if (const long r = import_iovec(c.iov, true, task_size())) co_return r;
    IovIter iter(c.iov, max_rw_count);
    if (iter.count == 0) co_return 0; // before the pipe is looked at
    if (f->kind != FileKind::pipe) co_return -EBADF;
    const PipeId pipe = f->pipe;
    if (version.vmsplice_copies) { // a wrapper of preadv2 and pwritev2; GIFT says nothing any more
        if ((c.flags & PS_SPLICE_F_NONBLOCK) && !(f->flags & F_nowait)) co_return -EOPNOTSUPP;
        const std::uint32_t flags = f->flags | (c.flags & PS_SPLICE_F_NONBLOCK ? std::uint32_t{F_nonblock} : 0);
        if (into) co_return co_await pipe_write(me, pipe, flags, iter);
        co_return co_await pipe_read(me, pipe, flags, iter);
    }
    pipe_clear_nowait(me, c.fd);
    if (into) co_return co_await vmsplice_to_pipe(me, pipe, iter, c.flags);
    SpliceDesc sd{.total_len = iter.count, .num_spliced = 0, .flags = c.flags, .need_wakeup = false, .to = &iter, .socket = no_id};
    co_return co_await splice_from_pipe(me, pipe, sd);
}

Co<long> Kernel::sys_splice(TaskId me, const Call& c) {
    FnScope fn(*this, me, Fn::sys_splice);
    if (c.len == 0) co_return 0;
    if (c.flags & ~std::uint32_t{PS_SPLICE_F_ALL}) co_return -EINVAL;
    const File* in = file(me, c.fd);
    const File* out = file(me, c.fd_out);
    if (!in || !out) co_return -EBADF;
    const bool in_pipe = in->kind == FileKind::pipe, out_pipe = out->kind == FileKind::pipe;
    if ((in_pipe && c.off_in >= 0) || (out_pipe && c.off_out >= 0)) co_return -ESPIPE;
    if (!(in->flags & F_read) || !(out->flags & F_write)) co_return -EBADF;
    pipe_clear_nowait(me, c.fd);
    pipe_clear_nowait(me, c.fd_out);
    if (in_pipe && out_pipe) {
        if (in->pipe == out->pipe) co_return -EINVAL;
        const std::uint32_t both = c.flags | ((in->flags | out->flags) & F_nonblock ? std::uint32_t{PS_SPLICE_F_NONBLOCK} : 0);
        const PipeId from = in->pipe, to = out->pipe;
        co_return co_await splice_pipe_to_pipe(me, from, to, std::min(c.len, max_rw_count), both);
    }
    if (!in_pipe && !out_pipe) co_return -EINVAL;
    const auto& fds = s.fdtables[s.tasks[me].fds];
    std::int64_t off = in_pipe ? c.off_out : c.off_in;
    const Pos at{fds[static_cast<std::size_t>(in_pipe ? c.fd_out : c.fd)], off >= 0 ? &off : nullptr};
    const PipeId pipe = in_pipe ? in->pipe : out->pipe;
    const std::uint32_t flags = c.flags | ((in_pipe ? in : out)->flags & F_nonblock ? std::uint32_t{PS_SPLICE_F_NONBLOCK} : 0);
    const std::uint64_t len = std::min(c.len, max_rw_count);
    if (off >= 0 && (in_pipe ? out : in)->kind == FileKind::socket) co_return -EINVAL;
    if (in_pipe) {
        if (out->flags & F_append) co_return -EINVAL;
        co_return co_await splice_from(me, pipe, at, len, flags);
    }
    co_return co_await splice_file_to_pipe(me, at, pipe, len, flags);
}

Co<long> Kernel::sys_tee(TaskId me, const Call& c) {
    FnScope fn(*this, me, Fn::sys_tee);
    if (c.flags & ~std::uint32_t{PS_SPLICE_F_ALL}) co_return -EINVAL;
    if (c.len == 0) co_return 0;
    const File* in = file(me, c.fd);
    const File* out = file(me, c.fd_out);
    if (!in || !out || !(in->flags & F_read) || !(out->flags & F_write)) co_return -EBADF;
    if (in->kind != FileKind::pipe || out->kind != FileKind::pipe || in->pipe == out->pipe) co_return -EINVAL;
    const std::uint32_t flags = c.flags | ((in->flags | out->flags) & F_nonblock ? std::uint32_t{PS_SPLICE_F_NONBLOCK} : 0);
    const PipeId from = in->pipe, to = out->pipe;
    long ret = co_await ipipe_prep(me, from, flags);
    if (ret == 0) ret = co_await opipe_prep(me, to, flags);
    if (ret == 0) ret = co_await link_pipe(me, from, to, std::min(c.len, max_rw_count));
    co_return ret;
}

Co<long> Kernel::sys_sendfile(TaskId me, const Call& c) {
    FnScope fn(*this, me, Fn::sys_sendfile);
    const File* out = file(me, c.fd_out);
    const File* in = file(me, c.fd);
    if (!in || !(in->flags & F_read)) co_return -EBADF;
    if (c.off_in >= 0 && (in->kind == FileKind::pipe || in->kind == FileKind::socket)) co_return -ESPIPE;
    if (!out || !(out->flags & F_write)) co_return -EBADF;
    const auto& fds = s.fdtables[s.tasks[me].fds];
    std::int64_t off = c.off_in;
    const Pos from{fds[static_cast<std::size_t>(c.fd)], c.off_in >= 0 ? &off : nullptr};
    const Pos to{fds[static_cast<std::size_t>(c.fd_out)], nullptr};
    const std::uint64_t len = std::min(c.len, max_rw_count);
    if (out->kind == FileKind::pipe && version.sendfile_queues) {
        const PipeId pipe = out->pipe;
        const std::uint32_t flags = out->flags & F_nonblock ? std::uint32_t{PS_SPLICE_F_NONBLOCK} : 0;
        co_return co_await splice_file_to_pipe(me, from, pipe, len, flags);
    }
    if (out->flags & F_append) co_return -EINVAL;
    co_return co_await splice_direct(me, from, to, len);
}

} // namespace pipescope

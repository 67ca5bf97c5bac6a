// SPDX-License-Identifier: MIT
// Between files and a pipe: page-cache pages by reference into it, copies out of it; fs/splice.c, mm/filemap.c, mm/shmem.c.
#include "core/kernel/kernel.hpp"
#include "core/mutant.hpp"

namespace pipescope {

// filemap_splice_read and shmem_file_splice_read: one slot a page of the page cache, a hole as the zero page; for /dev/zero
// copy_splice_read: fresh pages, read into. Bytes queued; 0 at the end of the file.
Co<long> Kernel::splice_read(TaskId me, Pos in, PipeId pipe, std::uint64_t len, std::uint32_t flags) {
    const File f = s.files[in.file];
    long total = 0;
    // What has no splice_read (/dev/null, a pipe) is found out here, after the wait for space.
    if (f.kind == FileKind::null || f.kind == FileKind::pipe || (f.kind == FileKind::zero && !version.zero_splice)) co_return -EINVAL;
    if (f.kind == FileKind::socket) co_return co_await sock_splice_read(me, in.file, pipe, len, flags);
    if (f.kind == FileKind::zero) {
        FnScope fn(*this, me, Fn::copy_splice_read);
        const auto n = static_cast<std::uint32_t>((len + page_size - 1) >> page_shift);
        co_await stage(me, Stage::f_fill, pipe, {.c = n});
        for (std::uint32_t i = 0; i < n; ++i) {
            const PageId page = alloc_pages(me, 0, PageOwner::kernel);
            const auto size = static_cast<std::uint32_t>(std::min<std::uint64_t>(len, page_size));
            const std::uint32_t head = pipe_at(pipe).head, slot = pipe_at(pipe).slot(head);
            co_await stage(me, Stage::f_put, pipe, {.a = slot, .b = page, .c = size, .x = head + 1});
            buf_set(me, pipe, slot, {page, 0, size, 0, BufOps::default_});
            emit(EventKind::head_set, me, pipe, head + 1);
            len -= size;
            total += size;
        }
        co_return total;
    }
    if (!version.hole_is_zero_page || version.dirty_pipe) co_return co_await iter_pipe_read(me, in, pipe, len);
    FnScope fn(*this, me, Fn::filemap_splice_read);
    std::uint64_t pos = pos_get(in);
    while (len && pos < s.inodes[f.inode].size && !pipe_at(pipe).full()) {
        const auto offset = static_cast<std::uint32_t>(pos & (page_size - 1));
        const auto size = static_cast<std::uint32_t>(std::min<std::uint64_t>({len, page_size - offset, s.inodes[f.inode].size - pos}));
        const auto it = s.inodes[f.inode].pages.find(static_cast<std::uint32_t>(pos >> page_shift));
        const bool hole = it == s.inodes[f.inode].pages.end();
        const PageId page = hole ? zero_page : it->second;
        const std::uint32_t head = pipe_at(pipe).head, slot = pipe_at(pipe).slot(head);
        co_await stage(me, Stage::f_add, pipe, {.a = slot, .b = page, .c = size, .x = head + 1, .y = offset});
        if (!hole) get_page(me, page);
        buf_set(me, pipe, slot, {page, offset, size, 0, hole ? BufOps::zero : BufOps::page_cache});
        emit(EventKind::head_set, me, pipe, head + 1);
        pos += size;
        len -= size;
        total += size;
    }
    if (total) pos_set(me, in, pos);
    co_return total;
}

// One pass: what the free slots can hold in whole pages, and no waiting for more.
Co<long> Kernel::splice_file_to_pipe(TaskId me, Pos in, PipeId pipe, std::uint64_t len, std::uint32_t flags) {
    FnScope fn(*this, me, Fn::splice_file_to_pipe);
    co_await stage(me, Stage::f_lock, pipe);
    co_await mutex_lock(me, pipe);
    long ret = co_await wait_for_space(me, pipe, flags);
    if (ret == 0) {
        len = std::min<std::uint64_t>(len, std::uint64_t{pipe_at(pipe).max_usage - pipe_at(pipe).occupancy()} * page_size -
                                               (mutant(Mutant::file_leaves_a_slot) ? page_size : 0));
        co_await stage(me, Stage::f_read, pipe, {.c = static_cast<std::uint32_t>(len), .x = pos_get(in)});
        ret = co_await splice_read(me, in, pipe, len, flags);
    }
    co_await stage(me, Stage::f_unlock, pipe);
    mutex_unlock(me, pipe);
    co_await stage(me, Stage::f_wake, pipe, {.y = ret > 0});
    if (ret > 0) wake_up(me, pipe, WaitQueue::rd, false);
    co_return ret;
}

// n queued bytes go into the file at pos, which moves on.
Co<long> Kernel::write_slots(TaskId me, PipeId pipe, InodeId inode, std::uint64_t n, std::uint64_t& pos) {
    co_await stage(me, Stage::o_write, pipe, {.c = static_cast<std::uint32_t>(n), .x = pos});
    std::uint64_t left = n;
    for (std::uint32_t at = pipe_at(pipe).tail; left; ++at) {
        const PipeBuffer b = buf_at(pipe, pipe_at(pipe).slot(at));
        const auto k = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, b.len));
        for (std::uint32_t i = 0; i < k;) { // page by page of the file
            const auto in_file = static_cast<std::uint32_t>(pos & (page_size - 1)), part = std::min(k - i, page_size - in_file);
            const PageId page = cache_page(me, inode, static_cast<std::uint32_t>(pos >> page_shift));
            copy_pages(me, b.page, b.offset + i, page, in_file, part);
            mark_dirty(me, page);
            i += part;
            pos += part;
        }
        left -= k;
    }
    if (pos > s.inodes[inode].size) emit(EventKind::inode_size, me, no_id, inode, 0, 0, pos);
    co_return static_cast<long>(n);
}

// The mutex is held while the file is written; each round takes all queued slots. A pipe is such a file up to 5.11.
Co<long> Kernel::iter_file_splice_write(TaskId me, PipeId pipe, Pos out, std::uint64_t len, std::uint32_t flags) {
    FnScope fn(*this, me, Fn::iter_file_splice_write);
    SpliceDesc sd{.total_len = len, .num_spliced = 0, .flags = flags, .need_wakeup = false, .to = nullptr, .socket = no_id};
    const File file = s.files[out.file];
    std::uint64_t pos = pos_get(out);
    co_await stage(me, Stage::o_lock, pipe);
    co_await mutex_lock(me, pipe);
    long ret = 0;
    while (sd.total_len) {
        ret = co_await splice_from_pipe_next(me, pipe, sd);
        if (ret <= 0) break;
        const std::uint64_t n = std::min(sd.total_len, pipe_at(pipe).bytes());
        if (file.kind == FileKind::pipe) ret = co_await write_copies(me, pipe, file, n);
        else ret = co_await write_slots(me, pipe, file.inode, n, pos);
        if (ret <= 0) break;
        const auto wrote = static_cast<std::uint64_t>(ret);
        const std::uint32_t freed = consume(me, pipe, wrote); // a slot of length 0 behind them stays for the next look
        sd.need_wakeup = sd.need_wakeup || freed;
        co_await stage(me, Stage::o_release, pipe, {.x = freed});
        sd.num_spliced += wrote;
        sd.total_len -= wrote;
        if (file.kind == FileKind::regular) pos_set(me, out, pos);
    }
    co_await stage(me, Stage::o_wake, pipe, {.y = sd.need_wakeup});
    if (sd.need_wakeup) wake_up(me, pipe, WaitQueue::wr, false);
    co_await stage(me, Stage::o_unlock, pipe);
    mutex_unlock(me, pipe);
    co_return sd.num_spliced ? static_cast<long>(sd.num_spliced) : ret;
}

Co<long> Kernel::splice_from(TaskId me, PipeId pipe, Pos out, std::uint64_t len, std::uint32_t flags) {
    if (s.files[out.file].kind == FileKind::zero && !version.zero_splice) co_return -EINVAL; // whatever the pipe holds
    const FileKind kind = s.files[out.file].kind;
    if (kind == FileKind::regular || kind == FileKind::pipe) co_return co_await iter_file_splice_write(me, pipe, out, len, flags);
    const bool socket = kind == FileKind::socket;
    if (socket && version.splice_pages) co_return co_await splice_to_socket(me, pipe, out.file, len, flags);
    SpliceDesc sd{.total_len = len, .num_spliced = 0, .flags = flags, .need_wakeup = false, .to = nullptr, .socket = socket ? out.file : no_id};
    co_return co_await splice_from_pipe(me, pipe, sd);
}

// sendfile between two files goes through a pipe of the task's own, made at first use, which no descriptor names and
// whose mutex nobody else takes.
Co<long> Kernel::splice_direct(TaskId me, Pos in, Pos out, std::uint64_t len) {
    FnScope fn(*this, me, Fn::splice_direct_to_actor);
    const File source = s.files[in.file];
    if (source.kind != FileKind::regular && source.kind != FileKind::zero) co_return -EINVAL;
    if (splice_pipes_.size() <= me) splice_pipes_.resize(me + 1, no_id);
    if (splice_pipes_[me] == no_id) {
        splice_pipes_[me] = static_cast<PipeId>(s.pipes.size());
        emit(EventKind::pipe_new, me, splice_pipes_[me], pipe_def_buffers);
        emit(EventKind::pipe_counts, me, splice_pipes_[me], 1, 0, 0, 1, 1);
    }
    const PipeId pipe = splice_pipes_[me];
    long done = 0, ret = 0;
    while (len) {
        co_await stage(me, Stage::d_round, pipe, {.x = static_cast<std::uint64_t>(done)});
        const std::uint64_t before = pos_get(in);
        ret = co_await splice_read(me, in, pipe, std::min<std::uint64_t>(len, std::uint64_t{pipe_def_buffers} * page_size), 0);
        if (ret <= 0) break;
        const long read = ret;
        ret = co_await splice_from(me, pipe, out, static_cast<std::uint64_t>(read), 0);
        if (ret <= 0) {
            pos_set(me, in, before);
            break;
        }
        done += ret;
        len -= static_cast<std::uint64_t>(ret);
        if (ret < read) {
            pos_set(me, in, before + static_cast<std::uint64_t>(ret));
            break;
        }
    }
    for (std::uint32_t i = 0; i < pipe_at(pipe).ring_size; ++i)
        if (buf_at(pipe, i).ops != BufOps::null) buf_release(me, pipe, i);
    emit(EventKind::tail_set, me, pipe, pipe_at(pipe).head);
    emit(EventKind::ring_resize, me, pipe, pipe_at(pipe).ring_size); // head and tail start at 0 the next time
    co_return done ? done : ret;
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Files and pipes before 6.5: a read method that fills the ring through an iterator, and sendfile that wrote copies; lib/iov_iter.c, fs/splice.c.
#include "core/kernel/kernel.hpp"

namespace pipescope {

// Up to 6.4 the file's read method filled an iterator over the ring (ITER_PIPE): pages of the cache by reference, holes as
// zeros in fresh pages, one behind the other, or (up to 5.17) as pages that the cache got for them. Pieces of one cached
// page would share a slot as well, but a call comes to each page once.
Co<long> Kernel::iter_pipe_read(TaskId me, Pos in, PipeId pipe, std::uint64_t len) {
    FnScope fn(*this, me, Fn::filemap_splice_read);
    const InodeId inode = s.files[in.file].inode;
    std::uint64_t pos = pos_get(in);
    long total = 0;
    std::uint32_t room = 0; // behind the bytes of the newest slot, when it is one of fresh zeros
    while (len && pos < s.inodes[inode].size) {
        const auto offset = static_cast<std::uint32_t>(pos & (page_size - 1));
        auto size = static_cast<std::uint32_t>(std::min<std::uint64_t>({len, page_size - offset, s.inodes[inode].size - pos}));
        const auto index = static_cast<std::uint32_t>(pos >> page_shift);
        const bool hole = !s.inodes[inode].pages.contains(index);
        const bool fresh = hole && !version.hole_is_cached && !version.hole_is_zero_page;
        const std::uint32_t head = pipe_at(pipe).head, slot = pipe_at(pipe).slot(head);
        if (fresh && room) {
            size = std::min(size, room);
            const PipeBuffer b = buf_at(pipe, pipe_at(pipe).slot(head - 1));
            buf_move(me, pipe, pipe_at(pipe).slot(head - 1), b.offset, b.len + size);
            room -= size;
        } else {
            if (hole && version.hole_is_cached) cache_page(me, inode, index); // before it is found out that there is no room for it
            if (pipe_at(pipe).full()) break;
            const bool zeros = hole && !version.hole_is_cached;
            const PageId page = fresh ? alloc_pages(me, 0, PageOwner::kernel) : zeros ? zero_page : cache_page(me, inode, index);
            const std::uint32_t at = fresh ? 0 : offset;
            co_await stage(me, fresh ? Stage::f_put : Stage::f_add, pipe, {.a = slot, .b = page, .c = size, .x = head + 1, .y = at});
            const BufOps ops = fresh ? BufOps::default_ : page == zero_page ? BufOps::zero : BufOps::page_cache;
            if (ops == BufOps::page_cache) get_page(me, page);
            // Dirty Pipe: nobody sets the flags, so they are those of whoever had the slot before.
            buf_set(me, pipe, slot, {page, at, size, version.dirty_pipe ? buf_at(pipe, slot).flags : 0, ops});
            emit(EventKind::head_set, me, pipe, head + 1);
            room = fresh ? page_size - size : 0;
        }
        pos += size;
        len -= size;
        total += size;
    }
    if (total) pos_set(me, in, pos);
    co_return total;
}

// Up to 5.11 sendfile wrote what it had spliced, its first n bytes, into the pipe: copies, as of any other memory.
Co<long> Kernel::write_copies(TaskId me, PipeId from, const File& to, std::uint64_t n) {
    std::vector<IoVec> pages;
    for (std::uint32_t at = pipe_at(from).tail; n; ++at) {
        const PipeBuffer& b = buf_at(from, pipe_at(from).slot(at));
        const std::uint64_t k = std::min<std::uint64_t>(n, b.len);
        pages.push_back({std::uint64_t{b.page} << page_shift | b.offset, k});
        n -= k;
    }
    IovIter iter(pages, max_rw_count);
    iter.bvec = true;
    co_return co_await pipe_write(me, to.pipe, to.flags, iter);
}

} // namespace pipescope

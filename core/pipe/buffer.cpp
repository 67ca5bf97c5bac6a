// SPDX-License-Identifier: MIT
// Slots of the ring: filling, moving and releasing them, and the pipe's spare pages; after the helpers of fs/pipe.c.
#include "core/kernel/kernel.hpp"
#include "core/mutant.hpp"

namespace pipescope {

void Kernel::buf_set(TaskId me, PipeId pipe, std::uint32_t slot, const PipeBuffer& b) {
    emit(EventKind::buf_set, me, pipe, slot, b.page, b.flags, std::uint64_t{b.offset} << 32 | b.len, static_cast<std::uint64_t>(b.ops));
}

void Kernel::buf_move(TaskId me, PipeId pipe, std::uint32_t slot, std::uint32_t offset, std::uint32_t len) {
    emit(EventKind::buf_move, me, pipe, slot, offset, len);
}

PageId Kernel::anon_pipe_get_page(TaskId me, PipeId pipe) {
    for (std::uint32_t i = 0; i < 2; ++i) {
        const PageId page = pipe_at(pipe).tmp_page[i];
        if (page == no_page) continue;
        emit(EventKind::tmp_page, me, pipe, i, no_page);
        return page;
    }
    return alloc_pages(me, 0, PageOwner::kernel);
}

// Only a page that nobody else refers to is kept, in the lowest empty place.
bool Kernel::anon_pipe_put_page(TaskId me, PipeId pipe, PageId page) {
    if (page_count(page) == 1 || mutant(Mutant::spare_when_shared))
        for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(version.tmp_pages); ++i)
            if (pipe_at(pipe).tmp_page[i] == no_page) {
                emit(EventKind::tmp_page, me, pipe, i, page);
                return true;
            }
    put_page(me, page);
    return false;
}

// ops goes first, the page second; page, offset, len and flags stay in the array as they were.
bool Kernel::buf_release(TaskId me, PipeId pipe, std::uint32_t slot) {
    const PipeBuffer b = buf_at(pipe, slot);
    emit(EventKind::buf_clear, me, pipe, slot);
    switch (b.ops) {
    case BufOps::anon: return anon_pipe_put_page(me, pipe, b.page);
    case BufOps::zero: return false; // slots of a tmpfs hole hold no reference
    default: put_page(me, b.page); return false;
    }
}

bool Kernel::buf_get(TaskId me, const PipeBuffer& b) {
    if (b.ops == BufOps::zero) return true; // holds none
    if (page_count(b.page) <= 0 && !version.tee_refcount) return false;
    get_page(me, b.page);
    return true;
}

} // namespace pipescope

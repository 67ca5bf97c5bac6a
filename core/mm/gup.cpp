// SPDX-License-Identifier: MIT
// get_user_pages_fast: the lockless walk, huge leaves, and the slow path with its read fault; after mm/gup.c.
#include "core/kernel/kernel.hpp"
#include "core/mm/walk.hpp"

namespace pipescope {

Co<long> Kernel::get_user_pages_fast(TaskId me, std::uint64_t start, std::uint32_t n, PageId* pages) {
    FnScope fn(*this, me, Fn::get_user_pages_fast);
    const MmId mm = s.tasks[me].mm;
    const std::uint64_t end = start + std::uint64_t{n} * page_size;
    if (end < start || end > task_size_max) co_return -EFAULT;

    std::uint32_t got = 0;
    co_await stage(me, Stage::g_walk, no_id, {.x = start, .y = n});
    while (got < n) {
        const std::uint64_t addr = start + std::uint64_t{got} * page_size;
        const Walk w = walk(s, mm, addr);
        const pte_t leaf = w.depth ? w.steps[static_cast<std::size_t>(w.depth - 1)].entry : 0;
        if (!w.present || !(leaf & PTE_US) || (leaf & PTE_SPECIAL)) {
            co_await stage(me, Stage::g_stop, no_id, {.x = addr});
            break;
        }
        if (w.order == 0) {
            co_await stage(me, Stage::g_pte, no_id, {.b = w.page, .x = addr});
            get_page(me, w.page);
            pages[got++] = w.page;
        } else { // one reference count update for all the pages that the leaf covers
            const std::uint32_t left_in_leaf = (1u << w.order) - (static_cast<std::uint32_t>(addr >> page_shift) & ((1u << w.order) - 1));
            const std::uint32_t refs = std::min(n - got, left_in_leaf);
            co_await stage(me, Stage::g_huge, no_id, {.b = w.page, .c = refs, .x = addr});
            get_page(me, w.page, refs);
            for (std::uint32_t i = 0; i < refs; ++i) pages[got++] = w.page + i;
        }
        if (!(s.pages[s.pages[w.page].compound_head].flags & PG_referenced))
            emit(EventKind::page_flags, me, no_id, s.pages[w.page].compound_head, PG_referenced);
    }
    if (got == n) co_return n;

    FnScope slow(*this, me, Fn::gup_slow);
    while (got < n) {
        const std::uint64_t addr = start + std::uint64_t{got} * page_size;
        co_await stage(me, Stage::g_slow, no_id, {.x = addr});
        const Vma* v = find_vma(mm, addr);
        if (!v || !(v->flags & VMA_READ)) break;
        Walk w = walk(s, mm, addr);
        if (!w.present) {
            FnScope f(*this, me, Fn::handle_mm_fault);
            co_await stage(me, Stage::g_fault, no_id, {.x = addr});
            if (fault(me, addr, false) != 0) break;
            w = walk(s, mm, addr);
        }
        get_page(me, w.page);
        pages[got++] = w.page;
    }
    co_return got ? static_cast<long>(got) : -EFAULT;
}

} // namespace pipescope

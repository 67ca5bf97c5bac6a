// SPDX-License-Identifier: MIT
// get_user_pages_fast: the lockless walk, huge leaves, and the slow path with its read fault; after mm/gup.c.
#include "core/kernel/kernel.hpp"
#include "core/mm/walk.hpp"

namespace pipescope {

// try_get_folio and the second look at the entry. Nobody else runs in between here, so references that would be given
// back at once are not taken.
bool Kernel::gup_grab(TaskId me, std::uint64_t addr, const Walk& w, std::uint32_t refs) {
    if (stop_at_stages && (page_count(w.page) <= 0 || walk(s, s.tasks[me].mm, addr).leaf().entry != w.leaf().entry)) return false;
    get_page(me, w.page, refs);
    const PageId head = s.pages[w.page].compound_head;
    if (!(s.pages[head].flags & PG_referenced)) emit(EventKind::page_flags, me, no_id, head, PG_referenced);
    return true;
}

// Software's own walk: it goes past the TLB, and sets no accessed bit.
Co<long> Kernel::get_user_pages_fast(TaskId me, std::uint64_t start, std::uint32_t n, PageId* pages) {
    FnScope fn(*this, me, Fn::get_user_pages_fast);
    const MmId mm = s.tasks[me].mm;
    const std::uint64_t end = start + std::uint64_t{n} * page_size;
    if (end < start) co_return -EOVERFLOW;
    if (end > task_size()) co_return -EFAULT;

    // Pages of the leaf from addr on that are asked for.
    const auto left_in_leaf = [&](const Walk& w, std::uint64_t addr, std::uint32_t want) {
        const std::uint32_t size = 1u << w.order;
        return std::min(want, size - (static_cast<std::uint32_t>(addr >> page_shift) & (size - 1)));
    };
    std::uint32_t got = 0;
    co_await stage(me, Stage::g_walk, no_id, {.x = start, .y = n});
    while (got < n) {
        const std::uint64_t addr = start + std::uint64_t{got} * page_size;
        const Walk w = walk(s, mm, addr);
        const pte_t leaf = w.leaf().entry;
        bool stop = !w.present || !(leaf & PTE_US) || (leaf & PTE_SPECIAL);
        if (!stop && w.order == 0) {
            co_await stage(me, Stage::g_pte, no_id, {.b = w.page, .x = addr});
            stop = !gup_grab(me, addr, w, 1);
            if (!stop) pages[got++] = w.page;
        } else if (!stop) { // one reference count update for all the pages that the leaf covers
            const std::uint32_t refs = left_in_leaf(w, addr, n - got);
            if (!version.gup_grab_first) co_await stage(me, Stage::g_record, no_id, {.b = w.page, .c = refs, .x = addr});
            co_await stage(me, Stage::g_huge, no_id, {.b = w.page, .c = refs, .x = addr});
            stop = !gup_grab(me, addr, w, refs);
            if (!stop && version.gup_grab_first) co_await stage(me, Stage::g_record, no_id, {.b = w.page, .c = refs, .x = addr});
            for (std::uint32_t i = 0; !stop && i < refs; ++i) pages[got++] = w.page + i;
        }
        if (stop) {
            co_await stage(me, Stage::g_stop, no_id, {.x = addr});
            break;
        }
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
        const std::uint32_t refs = left_in_leaf(w, addr, n - got);
        gup_grab(me, addr, w, refs);
        for (std::uint32_t i = 0; i < refs; ++i) pages[got++] = w.page + i;
    }
    co_return got ? static_cast<long>(got) : -EFAULT;
}

} // namespace pipescope

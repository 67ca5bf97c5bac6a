// SPDX-License-Identifier: MIT
// Page frames: allocation, references, release; after mm/page_alloc.c and include/linux/mm.h.
#include "core/kernel/kernel.hpp"
#include <cassert>

namespace pipescope {

PageId Kernel::alloc_pages(TaskId me, std::uint32_t order, PageOwner owner) {
    const std::uint32_t n = 1u << order;
    const auto& list = s.free_pages[order];
    // Last freed, first used: what the per-CPU lists of the buddy allocator do for order 0.
    PageId page = list.empty() ? (s.next_page + n - 1) & ~(n - 1) : list.back();
    if (order == pud_order && list.empty()) page = giant_base + (static_cast<PageId>(s.pages.giants().size()) << pud_order);
    emit(EventKind::page_alloc, me, no_id, page, order, static_cast<std::uint32_t>(owner));
    return page;
}

void Kernel::get_page(TaskId me, PageId page, std::uint32_t refs) { emit(EventKind::page_ref, me, no_id, page, refs, cpu(me)); }

void Kernel::put_page(TaskId me, PageId page, std::uint32_t refs) {
    const PageId head = s.pages[page].compound_head;
    if (pinned && s.pages[head].owner == PageOwner::free) return; // its count had wrapped, and somebody else freed it
    assert(pinned || s.pages[head].refcount >= static_cast<std::int32_t>(refs));
    emit(EventKind::page_ref, me, no_id, page, 0u - refs, cpu(me));
    if (s.pages[head].refcount == 0) emit(EventKind::page_free, me, no_id, head);
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Memory of hugetlbfs, in pages of 2 MiB or 1 GiB that are never split; after mm/hugetlb.c.
#include "core/kernel/kernel.hpp"
#include "core/mm/walk.hpp"

namespace pipescope {

bool Kernel::hugetlb_edge(MmId mm, std::uint64_t addr) const {
    const Vma* v = find_vma(mm, addr);
    return v && hugetlb_order(v->flags) && addr > v->start && addr & ((std::uint64_t{page_size} << hugetlb_order(v->flags)) - 1);
}

void Kernel::copy_folio(TaskId me, PageId from, PageId to, std::uint32_t order) {
    std::vector<PageId> written; // the rest is zero in both
    for (auto it = s.bytes.lower_bound(from); it != s.bytes.end() && it->first < from + (1u << order); ++it) written.push_back(it->first);
    if (written.empty()) written.push_back(from);
    for (const PageId p : written) emit(EventKind::copy, me, no_id, p, to + (p - from), page_size, 0, 0);
}

// A read finds a real page, zeroed: there is no zero page of this kind. A store into one that is mapped read-only asks how
// often it is mapped, and not who else holds a reference: what a pipe keeps shows the store, as it always has.
int Kernel::hugetlb_fault(TaskId me, const Vma& v, std::uint64_t addr, bool write, bool unshare) {
    const MmId mm = s.tasks[me].mm;
    const std::uint32_t order = hugetlb_order(v.flags);
    const std::uint64_t size = std::uint64_t{page_size} << order, at = addr & ~(size - 1);
    const int level = 3 - static_cast<int>(order) / 9;
    const auto map = [&](PageId page, bool writable) {
        emit(EventKind::page_flags, me, no_id, page, PG_uptodate | PG_hugetlb | PG_anon_exclusive);
        emit(EventKind::page_map, me, no_id, page, 1, static_cast<std::uint32_t>(MapBy::whole));
        set_pte(me, mm, at, level, pte_t{page} << page_shift | PTE_P | PTE_US | PTE_A | PTE_PSE | PTE_NX | (writable ? PTE_RW | PTE_D : pte_t{0}));
        return 0;
    };
    const Walk w = walk(s, mm, at);
    if (!w.present) return map(alloc_pages(me, order, PageOwner::user), write);
    if ((!write && !unshare) || w.leaf().entry & PTE_RW) return 0;
    const PageId old = w.page;
    if (s.pages[old].mapcount == 1) { // hugetlb_wp
        if (!(s.pages[old].flags & PG_anon_exclusive)) emit(EventKind::page_flags, me, no_id, old, PG_anon_exclusive);
        if (!unshare) emit(EventKind::pte_set, me, no_id, w.leaf().table, w.leaf().index, 0, 0, w.leaf().entry | PTE_RW | PTE_D);
        return 0;
    }
    const PageId page = alloc_pages(me, order, PageOwner::user);
    copy_folio(me, old, page, order);
    emit(EventKind::tlb_flush, me, no_id, mm, 0, 0, at, at + size);
    map(page, !unshare);
    emit(EventKind::page_map, me, no_id, old, 0u - 1, static_cast<std::uint32_t>(MapBy::whole));
    put_page(me, old);
    return 0;
}

} // namespace pipescope

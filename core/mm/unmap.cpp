// SPDX-License-Identifier: MIT
// Taking memory away: munmap, madvise, mprotect, and splitting a huge leaf; after mm/mmap.c, mm/madvise.c, mm/mprotect.c.
#include "core/kernel/kernel.hpp"
#include "core/mm/walk.hpp"
#include <algorithm>
#include <sys/mman.h>

namespace pipescope {
namespace {

constexpr std::uint64_t page_align(std::uint64_t v) { return (v + page_size - 1) & ~std::uint64_t{page_size - 1}; }

} // namespace

// One reference of the whole mapping becomes one for each entry; the zero page's entries hold none.
void Kernel::split_pmd(TaskId me, MmId mm, std::uint64_t addr) {
    const Walk w = walk(s, mm, addr);
    const WalkStep leaf = w.at(Level::pmd);
    const auto first = static_cast<PageId>((leaf.entry & pte_addr_mask) >> page_shift);
    const bool zero = s.pages[first].owner == PageOwner::zero;
    const bool exclusive = s.pages[first].flags & PG_anon_exclusive;
    const PageId table = alloc_pages(me, 0, PageOwner::table);
    emit(EventKind::pte_set, me, no_id, leaf.table, leaf.index, 0, 0, pte_t{table} << page_shift | PTE_P | PTE_RW | PTE_US | PTE_A | PTE_D);
    for (std::uint32_t i = 0; i < 512; ++i) {
        const pte_t frame = pte_t{zero ? zero_page : first + i} << page_shift;
        emit(EventKind::pte_set, me, no_id, table, i, 0, 0, frame | (leaf.entry & ~pte_addr_mask & ~pte_t{PTE_PSE}));
        if (exclusive && i) emit(EventKind::page_flags, me, no_id, first + i, PG_anon_exclusive);
    }
    const std::uint64_t start = addr & ~(huge_size - 1);
    emit(EventKind::tlb_flush, me, no_id, mm, 0, 0, start, start + huge_size);
    if (zero) return;
    get_page(me, first, 511);
    emit(EventKind::page_map, me, no_id, first, 1, static_cast<std::uint32_t>(MapBy::each));
    emit(EventKind::page_map, me, no_id, first, 0u - 1, static_cast<std::uint32_t>(MapBy::whole));
}

// flush_tlb_range: INVLPG for each of a few pages; beyond 33 of them the whole address space goes.
void Kernel::flush_tlb(TaskId me, MmId mm, std::uint64_t start, std::uint64_t end) {
    constexpr std::uint64_t single_page_flush_ceiling = 33;
    if (end - start > single_page_flush_ceiling * page_size) start = end = 0;
    emit(EventKind::tlb_flush, me, no_id, mm, 0, 0, start, end);
}

void Kernel::zap_range(TaskId me, MmId mm, std::uint64_t start, std::uint64_t end) {
    bool gathered = false;
    for (std::uint64_t addr = start; addr < end;) {
        const Walk w = walk(s, mm, addr);
        if (!w.present && !w.protnone) {
            addr = w.next(addr);
            continue;
        }
        const std::uint64_t size = std::uint64_t{page_size} << w.order;
        if (w.order && ((addr & (size - 1)) || addr + size > end)) {
            split_pmd(me, mm, addr);
            continue;
        }
        gathered = true;
        emit(EventKind::pte_set, me, no_id, w.leaf().table, w.leaf().index, 0, 0, 0);
        if (s.pages[w.page].owner != PageOwner::zero) {
            if (s.pages[w.page].owner == PageOwner::page_cache && w.leaf().entry & PTE_D) mark_dirty(me, w.page);
            emit(EventKind::page_map, me, no_id, w.page, 0u - 1, static_cast<std::uint32_t>(w.order ? MapBy::whole : MapBy::page));
            put_page(me, w.page);
        }
        addr += size;
    }
    if (gathered) flush_tlb(me, mm, start, end);
}

long Kernel::munmap(TaskId me, std::uint64_t start, std::uint64_t len) {
    if ((start & (page_size - 1)) || len == 0 || start > task_size() || len > task_size() - start) return -EINVAL;
    const std::uint64_t end = page_align(start + len);
    if (hugetlb_edge(s.tasks[me].mm, start) || hugetlb_edge(s.tasks[me].mm, end)) return -EINVAL;
    zap_range(me, s.tasks[me].mm, start, end);
    emit(EventKind::vma_del, me, no_id, s.tasks[me].mm, 0, 0, start, end);
    return 0;
}

// A table of the lowest level whose 2 MiB were dropped as a whole goes too, so that a huge page may come in its place.
void Kernel::reclaim_tables(TaskId me, MmId mm, std::uint64_t start, std::uint64_t end) {
    for (std::uint64_t addr = (start + huge_size - 1) & ~(huge_size - 1); addr + huge_size <= end; addr += huge_size) {
        const Walk w = walk(s, mm, addr);
        if (!w.reached(Level::pte)) continue;
        const WalkStep &pmd = w.at(Level::pmd), &pte = w.at(Level::pte);
        const PageTable& table = s.tables[s.pages[pte.table].table];
        if (std::any_of(table.begin(), table.end(), [](pte_t e) { return e != 0; })) continue;
        emit(EventKind::pte_set, me, no_id, pmd.table, pmd.index, 0, 0, 0);
        put_page(me, pte.table);
    }
}

// MADV_COLD: pages that this process alone maps look as if nobody had used them. A leaf that is only partly meant is left
// as it is; the kernel would split its folio.
void Kernel::make_cold(TaskId me, MmId mm, std::uint64_t start, std::uint64_t end) {
    bool gathered = false;
    for (std::uint64_t addr = start; addr < end;) {
        const Walk w = walk(s, mm, addr);
        const std::uint64_t next = w.next(addr);
        const bool whole = w.order == 0 || (!(addr & (huge_size - 1)) && next <= end);
        const PageId head = s.pages[w.page].compound_head;
        if (w.present && whole && !(w.leaf().entry & PTE_SPECIAL) && page_mapcount(w.page) == 1) {
            if (w.leaf().entry & PTE_A) {
                gathered = true;
                emit(EventKind::pte_set, me, no_id, w.leaf().table, w.leaf().index, 0, 0, w.leaf().entry & ~pte_t{PTE_A});
            }
            if (s.pages[head].flags & PG_referenced) emit(EventKind::page_flags, me, no_id, head, 0, PG_referenced);
        }
        addr = next;
    }
    if (gathered) flush_tlb(me, mm, start, end);
}

long Kernel::madvise(TaskId me, std::uint64_t start, std::uint64_t len, std::uint32_t advice) {
    if ((start & (page_size - 1)) || (advice != MADV_DONTNEED && advice != MADV_HUGEPAGE && advice != MADV_COLD)) return -EINVAL;
    const std::uint64_t end = page_align(start + len);
    if (end < start) return -EINVAL;
    if (end == start) return 0;
    const MmId mm = s.tasks[me].mm;
    long ret = 0;
    for (std::uint64_t addr = start; addr < end;) { // holes are skipped, and said at the end
        const Vma* v = find_vma(mm, addr);
        if (!v) {
            ret = -ENOMEM;
            addr += page_size;
            continue;
        }
        const std::uint64_t stop = std::min(end, v->end);
        if (const std::uint32_t order = hugetlb_order(v->flags); order && advice != MADV_HUGEPAGE) {
            const std::uint64_t within = (std::uint64_t{page_size} << order) - 1;
            if (advice == MADV_COLD || !version.hugetlb_dontneed || addr & within) return -EINVAL;
            zap_range(me, mm, addr, stop & ~within); // what is part of a page at the end stays
        } else if (advice == MADV_DONTNEED) {
            zap_range(me, mm, addr, stop);
            if (version.pt_reclaim) reclaim_tables(me, mm, addr, stop);
        } else if (advice == MADV_COLD) make_cold(me, mm, addr, stop);
        else emit(EventKind::vma_prot, me, no_id, mm, v->flags | VMA_HUGEPAGE, 0, addr, stop);
        addr = stop;
    }
    return ret;
}

long Kernel::mprotect(TaskId me, std::uint64_t start, std::uint64_t len, std::uint32_t vma_flags) {
    if (start & (page_size - 1)) return -EINVAL;
    const std::uint64_t end = page_align(start + len);
    if (end < start) return -ENOMEM;
    const MmId mm = s.tasks[me].mm;
    constexpr std::uint32_t rw = VMA_READ | VMA_WRITE;
    bool gathered = false;
    long ret = 0;
    for (std::uint64_t addr = start; addr < end;) {
        const Vma* v = find_vma(mm, addr);
        const std::uint64_t stop = v ? std::min(end, v->end) : end;
        ret = !v ? -ENOMEM : hugetlb_edge(mm, addr) || hugetlb_edge(mm, stop) ? -EINVAL : 0;
        if (ret) break; // what lies before the hole is changed
        const bool hugetlb = hugetlb_order(v->flags) != 0;
        emit(EventKind::vma_prot, me, no_id, mm, (v->flags & ~rw) | (vma_flags & rw), 0, addr, stop);
        while (addr < stop) {
            const Walk w = walk(s, mm, addr);
            const std::uint64_t size = std::uint64_t{page_size} << w.order;
            if (!w.present && !w.protnone) {
                addr = std::min(stop, w.next(addr));
                continue;
            }
            if (w.order && ((addr & (size - 1)) || addr + size > stop)) {
                split_pmd(me, mm, addr);
                continue;
            }
            const WalkStep& leaf = w.leaf();
            constexpr pte_t open = PTE_P | PTE_US | PTE_NX; // PAGE_NONE has none of them
            pte_t entry = leaf.entry & ~(open | PTE_RW | PTE_PROTNONE);
            entry |= vma_flags & rw ? open : std::uint64_t{PTE_PROTNONE};
            const PageId exclusive_page = w.order ? s.pages[w.page].compound_head : w.page;
            const bool own = !(leaf.entry & PTE_SPECIAL) && (v->flags & VMA_SHARED || s.pages[exclusive_page].flags & PG_anon_exclusive);
            if ((vma_flags & VMA_WRITE) && own && !hugetlb && version.mprotect_writable) entry |= PTE_RW; // otherwise the next store decides
            if (entry != leaf.entry) emit(EventKind::pte_set, me, no_id, leaf.table, leaf.index, 0, 0, entry);
            gathered = gathered || (leaf.entry & ~entry & (PTE_P | PTE_RW)); // to be allowed more needs no flush
            addr += size;
        }
    }
    if (gathered) flush_tlb(me, mm, start, end);
    return ret;
}

long Kernel::touch(TaskId me, std::uint64_t start, std::uint64_t len) {
    for (std::uint64_t addr = start; addr < start + len; addr = walk(s, s.tasks[me].mm, addr).next(addr)) // a huge leaf at once
        if (user_page(me, addr, true) == no_page) return -EFAULT;
    return 0;
}

} // namespace pipescope

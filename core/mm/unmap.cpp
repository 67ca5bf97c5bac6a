// SPDX-License-Identifier: MIT
// Taking memory away: munmap, madvise, mprotect, and splitting a huge leaf; after mm/mmap.c, mm/madvise.c, mm/mprotect.c.
#include "core/kernel/kernel.hpp"
#include "core/mm/walk.hpp"
#include <sys/mman.h>

namespace pipescope {
namespace {

constexpr std::uint64_t page_align(std::uint64_t v) { return (v + page_size - 1) & ~std::uint64_t{page_size - 1}; }

} // namespace

// One reference of the whole mapping becomes one for each entry; the zero page's entries hold none.
void Kernel::split_pmd(TaskId me, MmId mm, std::uint64_t addr) {
    const Walk w = walk(s, mm, addr);
    const WalkStep leaf = w.steps[2];
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
    if (zero) return;
    get_page(me, first, 511);
    emit(EventKind::page_map, me, no_id, first, 511);
}

void Kernel::zap_range(TaskId me, MmId mm, std::uint64_t start, std::uint64_t end) {
    for (std::uint64_t addr = start; addr < end;) {
        const Walk w = walk(s, mm, addr);
        if (!w.present && !w.protnone) {
            addr += page_size;
            continue;
        }
        const std::uint64_t size = std::uint64_t{page_size} << w.order;
        if (w.order && ((addr & (size - 1)) || addr + size > end)) {
            split_pmd(me, mm, addr);
            continue;
        }
        const WalkStep& leaf = w.steps[static_cast<std::size_t>(w.depth - 1)];
        emit(EventKind::pte_set, me, no_id, leaf.table, leaf.index, 0, 0, 0);
        if (s.pages[w.page].owner != PageOwner::zero) {
            emit(EventKind::page_map, me, no_id, w.page, 0u - 1);
            put_page(me, w.page);
        }
        addr += size;
    }
    emit(EventKind::tlb_flush, me, no_id, mm);
}

long Kernel::munmap(TaskId me, std::uint64_t start, std::uint64_t len) {
    if ((start & (page_size - 1)) || len == 0 || start > task_size_max || len > task_size_max - start) return -EINVAL;
    const std::uint64_t end = page_align(start + len);
    zap_range(me, s.tasks[me].mm, start, end);
    emit(EventKind::vma_del, me, no_id, s.tasks[me].mm, 0, 0, start, end);
    return 0;
}

long Kernel::madvise(TaskId me, std::uint64_t start, std::uint64_t len, std::uint32_t advice) {
    if ((start & (page_size - 1)) || (advice != MADV_DONTNEED && advice != MADV_HUGEPAGE)) return -EINVAL;
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
        if (advice == MADV_DONTNEED) zap_range(me, mm, addr, stop);
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
    for (std::uint64_t addr = start; addr < end;) {
        const Vma* v = find_vma(mm, addr);
        if (!v) return -ENOMEM; // what lies before the hole is changed
        const std::uint64_t stop = std::min(end, v->end);
        emit(EventKind::vma_prot, me, no_id, mm, (v->flags & ~rw) | (vma_flags & rw), 0, addr, stop);
        while (addr < stop) {
            const Walk w = walk(s, mm, addr);
            const std::uint64_t size = std::uint64_t{page_size} << w.order;
            if (!w.present && !w.protnone) {
                addr += page_size;
                continue;
            }
            if (w.order && ((addr & (size - 1)) || addr + size > stop)) {
                split_pmd(me, mm, addr);
                continue;
            }
            const WalkStep& leaf = w.steps[static_cast<std::size_t>(w.depth - 1)];
            pte_t entry = leaf.entry & ~pte_t{PTE_RW | PTE_P | PTE_PROTNONE};
            entry |= vma_flags & rw ? std::uint64_t{PTE_P} : std::uint64_t{PTE_PROTNONE};
            const PageId exclusive_page = w.order ? s.pages[w.page].compound_head : w.page;
            const bool own = !(leaf.entry & PTE_SPECIAL) && (s.pages[exclusive_page].flags & PG_anon_exclusive);
            if ((vma_flags & VMA_WRITE) && own) entry |= PTE_RW; // otherwise the next store decides
            if (entry != leaf.entry) emit(EventKind::pte_set, me, no_id, leaf.table, leaf.index, 0, 0, entry);
            addr += size;
        }
    }
    emit(EventKind::tlb_flush, me, no_id, mm);
    return 0;
}

long Kernel::touch(TaskId me, std::uint64_t start, std::uint64_t len) {
    for (std::uint64_t addr = start; addr < start + len; addr = (addr & ~std::uint64_t{page_size - 1}) + page_size)
        if (user_page(me, addr, true) == no_page) return -EFAULT;
    return 0;
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Address spaces: reserving memory, building page tables, and the page fault; after mm/mmap.c and mm/memory.c.
#include "core/kernel/kernel.hpp"
#include "core/mm/tlb.hpp"
#include "core/mm/walk.hpp"
#include <cassert>

namespace pipescope {
namespace {

constexpr pte_t table_bits = PTE_P | PTE_RW | PTE_US | PTE_A | PTE_D; // what entries that point to tables carry
constexpr pte_t phys(PageId p) { return pte_t{p} << page_shift; }

} // namespace

MmId Kernel::mm_new() {
    const PageId pgd = alloc_pages(no_id, 0, PageOwner::table);
    const auto mm = static_cast<MmId>(s.mms.size());
    emit(EventKind::mm_new, no_id, no_id, mm, pgd, static_cast<std::uint32_t>(paging_levels));
    return mm;
}

std::uint64_t Kernel::mmap(TaskId me, std::uint64_t len, std::uint32_t vma_flags, std::uint64_t align, bool high) {
    const std::uint64_t start = mmap_place(len, align, high);
    vma_new(me, s.tasks[me].mm, {start, start + ((len + page_size - 1) & ~std::uint64_t{page_size - 1}), vma_flags});
    return start;
}

std::uint64_t Kernel::mmap_place(std::uint64_t len, std::uint64_t align, bool high) {
    std::uint64_t& next = high && paging_levels == 5 ? next_high_ : next_mmap_;
    const std::uint64_t start = (next + align - 1) & ~(align - 1);
    next = start + ((len + page_size - 1) & ~std::uint64_t{page_size - 1}) + page_size; // a hole behind every mapping: running off its end is a fault
    return start;
}

void Kernel::buffer_new(StringId name, MmId mm, std::uint64_t addr, std::uint64_t len, bool scratch) {
    emit(EventKind::buffer_new, no_id, no_id, name, mm, scratch, addr, len);
}

const Vma* Kernel::find_vma(MmId mm, std::uint64_t addr) const {
    for (const Vma& v : s.mms[mm].vmas)
        if (addr >= v.start && addr < v.end) return &v;
    return nullptr;
}

bool Kernel::huge_allowed(const Vma& v, std::uint64_t addr) const {
    const std::uint64_t start = addr & ~(huge_size - 1);
    return (v.flags & VMA_HUGEPAGE) && start >= v.start && start + huge_size <= v.end;
}

PageId Kernel::pte_alloc(TaskId me, MmId mm, std::uint64_t addr, int level) {
    PageId table = s.mms[mm].pgd;
    for (int l = 4 - s.mms[mm].levels; l < level; ++l) {
        const std::uint32_t index = table_index(addr, static_cast<Level>(l));
        const pte_t entry = s.tables[s.pages[table].table][index];
        if (entry & PTE_P) {
            assert(!(entry & PTE_PSE));
            table = static_cast<PageId>((entry & pte_addr_mask) >> page_shift);
            continue;
        }
        const PageId next = alloc_pages(me, 0, PageOwner::table);
        emit(EventKind::pte_set, me, no_id, table, index, 0, 0, phys(next) | table_bits);
        table = next;
    }
    return table;
}

void Kernel::set_pte(TaskId me, MmId mm, std::uint64_t addr, int level, pte_t entry) {
    const PageId table = pte_alloc(me, mm, addr, level);
    emit(EventKind::pte_set, me, no_id, table, table_index(addr, static_cast<Level>(level)), 0, 0, entry);
}

void Kernel::map_anon(TaskId me, const Vma& v, std::uint64_t addr, PageId page, int level, bool stored) {
    emit(EventKind::page_flags, me, no_id, page, PG_uptodate | PG_swapbacked | PG_lru | PG_anon_exclusive);
    emit(EventKind::page_map, me, no_id, page, 1, static_cast<std::uint32_t>(level == 3 ? MapBy::page : MapBy::whole));
    const std::uint64_t rw = stored ? PTE_D | (v.flags & VMA_WRITE ? std::uint64_t{PTE_RW} : 0) : 0;
    set_pte(me, s.tasks[me].mm, addr, level, phys(page) | PTE_P | rw | PTE_US | PTE_A | PTE_NX | (level == 2 ? std::uint64_t{PTE_PSE} : 0));
}

// A store to a present page that is not writable: copied, unless nobody else can see it. A pipe's reference makes it
// seen; so does another process after fork(). A page of a file is everybody's.
int Kernel::wp_fault(TaskId me, const Vma& v, std::uint64_t addr, bool unshare) {
    const MmId mm = s.tasks[me].mm;
    Walk w = walk(s, mm, addr);
    const PageId head = s.pages[w.page].compound_head;
    const auto writable = [&] {
        if (!unshare) emit(EventKind::pte_set, me, no_id, w.leaf().table, w.leaf().index, 0, 0, w.leaf().entry | PTE_RW | PTE_D);
        return 0;
    };
    const PageId exclusive_page = w.order ? head : w.page;
    const bool anon = s.pages[head].owner != PageOwner::page_cache;
    if (version.anon_exclusive && (s.pages[exclusive_page].flags & PG_anon_exclusive)) return writable();
    const bool huge = w.order == pmd_order;
    if (huge && version.thp_reuse_by_mapcount && s.pages[head].mapcount == 1) return writable();
    if (!huge && anon && version.page_reuse_by_mapcount && page_mapcount(w.page) == 1) return writable();
    if (anon && s.pages[head].refcount == 1) {
        if (version.anon_exclusive) emit(EventKind::page_flags, me, no_id, exclusive_page, PG_anon_exclusive);
        return writable();
    }
    if (huge) { // only the one page is copied
        split_pmd(me, mm, addr);
        w = walk(s, mm, addr);
    }
    const PageId old = w.page, page = alloc_pages(me, 0, PageOwner::user);
    emit(EventKind::copy, me, no_id, old, page, page_size, 0, 0);
    flush_tlb(me, mm, addr & ~std::uint64_t{page_size - 1}, (addr & ~std::uint64_t{page_size - 1}) + page_size);
    map_anon(me, v, addr, page, 3, !unshare);
    emit(EventKind::page_map, me, no_id, old, 0u - 1);
    put_page(me, old);
    return 0;
}

// A read of untouched anonymous memory maps the shared zero page (special: the lockless walk refuses it); a write maps a
// page of its own, or a whole 2 MiB folio where the area asked for huge pages and covers an aligned one.
int Kernel::fault(TaskId me, std::uint64_t addr, bool write) {
    const MmId mm = s.tasks[me].mm;
    const Vma* v = find_vma(mm, addr);
    if (!v || !(v->flags & (write ? VMA_WRITE : VMA_READ | VMA_WRITE))) return -EFAULT; // x86 has no stores without loads
    if (hugetlb_order(v->flags)) return hugetlb_fault(me, *v, addr, write);
    if (v->inode != no_id) return file_fault(me, *v, addr, write);
    const Walk w = walk(s, mm, addr);
    const bool zero = w.present && s.pages[w.page].owner == PageOwner::zero;
    if (w.present && !write) return 0;
    if (w.present && !zero) return w.leaf().entry & PTE_RW ? 0 : wp_fault(me, *v, addr);
    const bool huge = huge_allowed(*v, addr) && (!w.reached(Level::pmd) || !(w.at(Level::pmd).entry & PTE_P) || (zero && w.order == pmd_order));
    if (!write && anon_zero_page) {
        if (huge) {
            if (huge_zero_ == no_page) huge_zero_ = alloc_pages(me, pmd_order, PageOwner::zero);
            set_pte(me, mm, addr, 2, phys(huge_zero_) | PTE_P | PTE_US | PTE_A | PTE_PSE | PTE_SPECIAL | PTE_NX);
        } else {
            set_pte(me, mm, addr, 3, phys(zero_page) | PTE_P | PTE_US | PTE_A | PTE_SPECIAL | PTE_NX);
        }
        return 0;
    }
    if (zero && w.order == pmd_order && !(huge && version.huge_zero_replaced)) split_pmd(me, mm, addr);
    const bool as_huge = huge && (!zero || version.huge_zero_replaced);
    const PageId page = alloc_pages(me, as_huge ? pmd_order : 0, PageOwner::user);
    if (zero) { // the zero page goes
        const std::uint64_t size = as_huge ? huge_size : page_size, at = addr & ~(size - 1);
        emit(EventKind::tlb_flush, me, no_id, mm, 0, 0, at, at + size);
    }
    map_anon(me, *v, addr, page, as_huge ? 2 : 3);
    return 0;
}

// A load or a store, of user code or of a copy in the kernel: by the CPU's TLB, and at a miss by a walk that sets the
// accessed bit, and the dirty bit for a store.
PageId Kernel::user_page(TaskId me, std::uint64_t addr, bool write, std::uint32_t* hit) {
    if (addr >= task_size()) return no_page;
    const MmId mm = s.tasks[me].mm;
    const std::uint32_t on = cpu(me);
    constexpr pte_t stored = PTE_RW | PTE_D;
    if (observe) {
        const TlbFound found = tlb_lookup(s, on, mm, addr);
        if (found.entry && (!write || (found.entry->entry & stored) == stored)) {
            assert(found.page == walk(s, mm, addr).page);
            if (hit) *hit = copy_tlb_hit;
            else emit(EventKind::tlb_hit, me, no_id, on, mm, 0, addr);
            return found.page;
        }
    }
    for (int tries = 0; tries < 2; ++tries) {
        const Leaf leaf = walk_leaf(s, mm, addr);
        if ((leaf.entry & PTE_US) && (!write || (leaf.entry & PTE_RW))) {
            const pte_t used = leaf.entry | PTE_A | (write ? std::uint64_t{PTE_D} : 0);
            if (used != leaf.entry) {
                const WalkStep at = walk(s, mm, addr).leaf();
                emit(EventKind::pte_set, me, no_id, at.table, at.index, 0, 0, used);
            }
            if (observe && on < max_cpus)
                emit(EventKind::tlb_fill, me, no_id, on, mm, leaf.order, addr & ~((std::uint64_t{page_size} << leaf.order) - 1), used);
            return leaf.page;
        }
        if (fault(me, addr, write) != 0) return no_page;
    }
    return no_page;
}

} // namespace pipescope

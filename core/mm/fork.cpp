// SPDX-License-Identifier: MIT
// fork and exit: copying descriptors and page tables, write-protecting what is now shared; after kernel/fork.c, mm/memory.c.
#include "core/kernel/kernel.hpp"
#include "core/mm/walk.hpp"

namespace pipescope {

// copy_present_pte and its like for larger leaves: both sides lose the right to write, the child's entry is one that
// nobody has used. A page that may be pinned is copied at once: the device goes on with the parent's.
bool Kernel::fork_entry(TaskId parent, TaskId child, const Vma& v, std::uint64_t addr) {
    const MmId from = s.tasks[parent].mm, to = s.tasks[child].mm;
    const Walk w = walk(s, from, addr);
    const WalkStep& leaf = w.leaf();
    const int level = 3 - static_cast<int>(w.order) / 9;
    const std::uint64_t at = addr & ~((std::uint64_t{page_size} << w.order) - 1);
    const bool special = s.pages[w.page].owner == PageOwner::zero, hugetlb = hugetlb_order(v.flags) != 0;
    const PageId own = w.order ? s.pages[w.page].compound_head : w.page;
    const bool anon = s.pages[own].owner == PageOwner::user;
    const auto by = static_cast<std::uint32_t>(w.order ? MapBy::whole : MapBy::page);
    if (anon && version.fork_copies_pinned && (!version.anon_exclusive || (s.pages[own].flags & PG_anon_exclusive)) && maybe_dma_pinned(from, w.page)) {
        if (w.order && !hugetlb) {
            split_pmd(parent, from, addr);
            return false;
        }
        const PageId page = alloc_pages(parent, w.order, PageOwner::user);
        copy_folio(parent, own, page, w.order);
        emit(EventKind::page_flags, parent, no_id, page, PG_uptodate | PG_anon_exclusive | (hugetlb ? PG_hugetlb : PG_swapbacked | PG_lru));
        emit(EventKind::page_map, parent, no_id, page, 1, by);
        const pte_t rw = v.flags & VMA_WRITE ? std::uint64_t{PTE_RW} : 0;
        set_pte(child, to, at, level, pte_t{page} << page_shift | (leaf.entry & ~pte_addr_mask) | rw | PTE_D);
        return true;
    }
    const pte_t entry = leaf.entry & ~pte_t{PTE_RW};
    if (entry != leaf.entry) emit(EventKind::pte_set, parent, no_id, leaf.table, leaf.index, 0, 0, entry);
    set_pte(child, to, at, level, hugetlb ? entry : entry & ~pte_t{PTE_A});
    if (special) return true;
    if (anon) emit(EventKind::page_flags, parent, no_id, own, 0, PG_anon_exclusive);
    emit(EventKind::page_map, parent, no_id, w.page, 1, by);
    get_page(parent, w.page);
    return true;
}

TaskId Kernel::fork(TaskId parent, StringId name, std::uint64_t pid, std::uint32_t on_cpu) {
    const MmId from = s.tasks[parent].mm, to = mm_new();
    const FdTableId old_fds = s.tasks[parent].fds, fds = fdtable_new();
    for (std::uint32_t fd = 0; fd < s.fdtables[old_fds].size(); ++fd)
        if (s.fdtables[old_fds][fd] != no_id) emit(EventKind::fd_install, parent, no_id, fds, fd, s.fdtables[old_fds][fd]);
    const TaskId child = task_new(name, to, fds, pid, on_cpu);

    const std::vector<Vma> vmas = s.mms[from].vmas; // a copy: events move the originals
    for (const Vma& v : vmas) {
        vma_new(parent, to, v);
        if (v.flags & VMA_SHARED) continue;
        bool anon = false; // an area that no store ever reached is not copied, nor a shared one: a fault can make its entries again
        for (int pass = 0; pass < 2; ++pass) {
            for (std::uint64_t addr = v.start; addr < v.end;) {
                const Walk w = walk(s, from, addr);
                const bool mapped = w.present || w.protnone;
                if (pass == 0) anon = anon || (mapped && s.pages[w.page].owner == PageOwner::user);
                else if (mapped && anon && !fork_entry(parent, child, v, addr)) continue;
                addr = w.next(addr);
            }
        }
    }
    emit(EventKind::tlb_flush, parent, no_id, from);
    return child;
}

Co<long> Kernel::do_exit(TaskId me) {
    const FdTableId fds = s.tasks[me].fds;
    const MmId mm = s.tasks[me].mm;
    emit(EventKind::task_exit, me, no_id);
    bool fds_shared = false, mm_shared = false;
    for (const Task& t : s.tasks) {
        fds_shared = fds_shared || (t.fds == fds && t.run != RunState::exited);
        mm_shared = mm_shared || (t.mm == mm && t.run != RunState::exited);
    }
    if (const PageFrag frag = s.tasks[me].frag; frag.page != no_page) {
        put_page(me, frag.page);
        emit(EventKind::page_frag, me, no_id, 0, no_page);
    }
    if (!mm_shared) { // memory first, descriptors second, as do_exit() does
        const std::vector<Vma> vmas = s.mms[mm].vmas;
        for (const Vma& v : vmas) zap_range(me, mm, v.start, v.end);
    }
    if (fds_shared) co_return 0;
    for (std::uint32_t fd = 0; fd < s.fdtables[fds].size(); ++fd) {
        const FileId id = s.fdtables[fds][fd];
        if (id == no_id) continue;
        emit(EventKind::fd_remove, me, no_id, fds, fd);
        co_await fput(me, id);
    }
    emit(EventKind::task_exit, me, no_id); // it may have slept for a mutex since
    co_return 0;
}

} // namespace pipescope

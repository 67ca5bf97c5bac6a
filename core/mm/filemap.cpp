// SPDX-License-Identifier: MIT
// Mapped files and shared memory: the page cache in a process's page tables; after mm/mmap.c, mm/memory.c and mm/filemap.c.
#include "core/kernel/kernel.hpp"
#include "core/mutant.hpp"
#include <algorithm>

namespace pipescope {
namespace {

constexpr std::uint64_t pages_of(std::uint64_t bytes) { return (bytes + page_size - 1) >> page_shift; }

} // namespace

void Kernel::vma_new(TaskId me, MmId mm, const Vma& v) {
    emit(EventKind::vma_new, me, no_id, mm, v.flags | v.pgoff << 8, v.inode == no_id ? 0 : v.inode + 1, v.start, v.end);
}

long Kernel::mmap_file(TaskId me, int fd, std::uint64_t len, std::uint32_t vma_flags, std::uint32_t pgoff, std::uint64_t align) {
    InodeId inode = no_id;
    bool anonymous = fd < 0;
    if (!anonymous) {
        const File* f = file(me, fd);
        if (!f) return -EBADF;
        const bool writes = (vma_flags & VMA_SHARED) && (vma_flags & VMA_WRITE);
        if ((writes && !(f->flags & F_write)) || !(f->flags & F_read)) return -EACCES;
        anonymous = f->kind == FileKind::zero;
        if (!anonymous && f->kind != FileKind::regular) return -ENODEV;
        if (!anonymous) inode = f->inode;
    }
    if (anonymous) pgoff = 0;
    if (anonymous && (vma_flags & VMA_SHARED)) inode = inode_new(me, 0, pages_of(len) * page_size, false); // shmem_zero_setup
    const std::uint64_t start = mmap_place(len, align, false);
    vma_new(me, s.tasks[me].mm, {start, start + pages_of(len) * page_size, vma_flags, inode, pgoff});
    return static_cast<long>(start);
}

// A shared mapping of a file in memory is writable as soon as it is there: nobody has to be told of the first store.
void Kernel::map_file(TaskId me, const Vma& v, std::uint64_t addr, PageId page, bool stored) {
    if (stored) mark_dirty(me, page);
    get_page(me, page);
    emit(EventKind::page_map, me, no_id, page, 1);
    const pte_t rw = (v.flags & VMA_SHARED) && (v.flags & VMA_WRITE) ? pte_t{PTE_RW} : 0;
    const bool dirty = stored || (rw && version.mapped_dirty && s.pages[page].flags & PG_dirty);
    set_pte(me, s.tasks[me].mm, addr, 3, pte_t{page} << page_shift | PTE_P | rw | PTE_US | PTE_A | (dirty ? pte_t{PTE_D} : 0) | PTE_NX);
}

// do_fault_around: a read maps what the page cache has of the 64 KiB around it, within the table, the area and the file.
bool Kernel::fault_around(TaskId me, const Vma& v, std::uint64_t addr) {
    constexpr std::uint64_t most = 16;
    const std::uint64_t at = addr & ~std::uint64_t{page_size - 1}, in_table = addr >> page_shift & 511, in_vma = (addr - v.start) >> page_shift;
    const std::uint64_t from = std::max(in_table & ~(most - 1), in_table - std::min(in_table, in_vma));
    const std::uint64_t to = std::min({from + most, std::uint64_t{512}, in_table + ((v.end - v.start) >> page_shift) - in_vma});
    const Inode& inode = s.inodes[v.inode];
    bool mapped = false;
    for (std::uint64_t i = from; i < to; ++i) {
        const std::uint64_t a = at + i * page_size - in_table * page_size, index = v.pgoff + ((a - v.start) >> page_shift);
        const auto it = inode.pages.find(static_cast<std::uint32_t>(index));
        if (mutant(Mutant::map_nothing_around) && i != in_table) continue;
        if (it == inode.pages.end() || index >= pages_of(inode.size)) continue;
        const Walk w = walk(s, s.tasks[me].mm, a);
        if (w.present || w.protnone) continue;
        map_file(me, v, a, it->second, false);
        mapped = mapped || i == in_table;
    }
    return mapped;
}

// do_read_fault, do_cow_fault, do_shared_fault, do_wp_page; beyond the end of the file is SIGBUS, which is EFAULT to a call.
int Kernel::file_fault(TaskId me, const Vma area, std::uint64_t addr, bool write) {
    const Walk w = walk(s, s.tasks[me].mm, addr);
    const bool shared = area.flags & VMA_SHARED || mutant(Mutant::map_store_shared);
    if (w.present) {
        if (!write || w.leaf().entry & PTE_RW) return 0;
        if (!shared) return wp_fault(me, area, addr);
        mark_dirty(me, w.page);
        emit(EventKind::pte_set, me, no_id, w.leaf().table, w.leaf().index, 0, 0, w.leaf().entry | PTE_RW | PTE_D);
        return 0;
    }
    const std::uint64_t index = area.pgoff + ((addr - area.start) >> page_shift);
    if (!write && fault_around(me, area, addr)) return 0; // also of a read that will fail
    if (index >= pages_of(s.inodes[area.inode].size)) return -EFAULT;
    const PageId cached = cache_page(me, area.inode, static_cast<std::uint32_t>(index));
    if (!write || shared) {
        map_file(me, area, addr, cached, write);
        return 0;
    }
    const PageId own = alloc_pages(me, 0, PageOwner::user);
    emit(EventKind::copy, me, no_id, cached, own, page_size, 0, 0);
    map_anon(me, area, addr, own, 3);
    return 0;
}

} // namespace pipescope

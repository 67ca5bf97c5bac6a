// SPDX-License-Identifier: MIT
// Regular files as a page cache: making one, reading and writing it; after mm/filemap.c and mm/shmem.c.
#include "core/kernel/kernel.hpp"

namespace pipescope {

InodeId Kernel::inode_new(TaskId me, StringId name, std::uint64_t size, bool filled) {
    const auto id = static_cast<InodeId>(s.inodes.size());
    emit(EventKind::inode_new, me, no_id, id, name, 0, size);
    for (std::uint32_t i = 0; filled && std::uint64_t{i} * page_size < size; ++i) {
        const PageId page = cache_page(me, id, i);
        mark_dirty(me, page);
        emit(EventKind::pattern, me, no_id, page, 0, static_cast<std::uint32_t>(std::min<std::uint64_t>(page_size, size - std::uint64_t{i} * page_size)),
            std::uint64_t{i} * page_size);
    }
    return id;
}

void Kernel::mark_dirty(TaskId me, PageId page) {
    if (!(s.pages[page].flags & PG_dirty)) emit(EventKind::page_flags, me, no_id, page, PG_dirty);
}

PageId Kernel::cache_page(TaskId me, InodeId inode, std::uint32_t index) {
    const auto it = s.inodes[inode].pages.find(index);
    if (it != s.inodes[inode].pages.end()) return it->second;
    const PageId page = alloc_pages(me, 0, PageOwner::page_cache); // the allocation's reference is the cache's
    emit(EventKind::page_flags, me, no_id, page, PG_uptodate | PG_lru);
    emit(EventKind::inode_page, me, no_id, inode, index, page);
    return page;
}

void Kernel::pos_set(TaskId me, const Pos& p, std::uint64_t v) {
    if (p.off) *p.off = static_cast<std::int64_t>(v);
    else emit(EventKind::file_pos, me, no_id, p.file, 0, 0, v);
}

long Kernel::generic_file_read(TaskId me, FileId file, IovIter& to) {
    const InodeId inode = s.files[file].inode;
    std::uint64_t pos = s.files[file].pos;
    long done = 0;
    while (to.count && pos < s.inodes[inode].size) {
        const auto at = static_cast<std::uint32_t>(pos & (page_size - 1));
        const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>({to.count, page_size - at, s.inodes[inode].size - pos}));
        const auto it = s.inodes[inode].pages.find(static_cast<std::uint32_t>(pos >> page_shift));
        const std::uint32_t got = copy_page_to_iter(me, it == s.inodes[inode].pages.end() ? zero_page : it->second, at, n, to);
        pos += got;
        done += got;
        if (got < n) break;
    }
    emit(EventKind::file_pos, me, no_id, file, 0, 0, pos);
    return done || to.count == 0 || pos >= s.inodes[inode].size ? done : -EFAULT;
}

long Kernel::generic_file_write(TaskId me, FileId file, IovIter& from) {
    const InodeId inode = s.files[file].inode;
    std::uint64_t pos = s.files[file].flags & F_append ? s.inodes[inode].size : s.files[file].pos;
    long done = 0;
    while (from.count) {
        const auto at = static_cast<std::uint32_t>(pos & (page_size - 1));
        const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(from.count, page_size - at));
        const PageId page = cache_page(me, inode, static_cast<std::uint32_t>(pos >> page_shift));
        const std::uint32_t got = copy_page_from_iter(me, page, at, n, from);
        mark_dirty(me, page);
        pos += got;
        done += got;
        if (pos > s.inodes[inode].size) emit(EventKind::inode_size, me, no_id, inode, 0, 0, pos);
        if (got < n) break;
    }
    emit(EventKind::file_pos, me, no_id, file, 0, 0, pos);
    return done || from.count == 0 ? done : -EFAULT;
}

} // namespace pipescope

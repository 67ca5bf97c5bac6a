// SPDX-License-Identifier: MIT
// The world of a scenario: tasks, open files, pipes; announcing stages; copies between user memory and pages.
#include "core/kernel/kernel.hpp"
#include <cassert>

namespace pipescope {

void KernelBase::announce(TaskId me, Stage st, PipeId pipe, StageArgs at) {
    Event e;
    e.kind = EventKind::stage, e.stage = st, e.task = me, e.pipe = pipe;
    e.a = at.a, e.b = at.b, e.c = at.c, e.x = at.x, e.y = at.y;
    emit(e);
    if (cost) now_ns += cost(e);
}

void Kernel::set_paging_levels(int levels) {
    paging_levels = levels;
    for (MmId mm = 0; mm < s.mms.size(); ++mm) emit(EventKind::mm_levels, no_id, no_id, mm, static_cast<std::uint32_t>(levels));
}

FdTableId Kernel::fdtable_new() {
    const auto id = static_cast<FdTableId>(s.fdtables.size());
    emit(EventKind::fdtable_new, no_id, no_id, id);
    return id;
}

TaskId Kernel::task_new(StringId name, MmId mm, FdTableId fds, std::uint64_t pid, std::uint32_t on_cpu) {
    const auto id = static_cast<TaskId>(s.tasks.size());
    emit(EventKind::task_new, id, no_id, name, mm, fds, pid, on_cpu);
    return id;
}

const File* Kernel::file(TaskId me, int fd) const {
    const auto& fds = s.fdtables[s.tasks[me].fds];
    if (fd < 0 || static_cast<std::size_t>(fd) >= fds.size() || fds[static_cast<std::size_t>(fd)] == no_id) return nullptr;
    return &s.files[fds[static_cast<std::size_t>(fd)]];
}

int Kernel::file_open(TaskId me, FileKind kind, std::uint32_t flags, PipeId pipe, InodeId inode) {
    const auto id = static_cast<FileId>(s.files.size());
    emit(EventKind::file_new, me, pipe, id, static_cast<std::uint32_t>(kind), flags, inode);
    const auto& fds = s.fdtables[s.tasks[me].fds];
    std::uint32_t fd = 3; // below are a program's own
    while (fd < fds.size() && fds[fd] != no_id) ++fd;
    emit(EventKind::fd_install, me, no_id, s.tasks[me].fds, fd, id);
    return static_cast<int>(fd);
}

// alloc_pipe_info and create_pipe_files: a user over the soft limit gets two slots (one up to 5.13), over the hard limit nothing.
PipeId Kernel::pipe_new(TaskId me, std::uint32_t slots, StringId name, std::uint32_t flags, int fds[2]) {
    if (slots * page_size > limits.pipe_max_size && !limits.cap_sys_resource) slots = limits.pipe_max_size / page_size;
    std::uint64_t charged = slots;
    for (const Pipe& p : s.pipes)
        if (!p.freed) charged += p.nr_accounted;
    const bool privileged = limits.cap_sys_resource || limits.cap_sys_admin;
    if (limits.user_pages_soft && charged > limits.user_pages_soft && !privileged)
        charged -= slots - (version.one_slot ? 1 : 2), slots = version.one_slot ? 1 : 2;
    if (limits.user_pages_hard && charged > limits.user_pages_hard && !privileged) {
        fds[0] = fds[1] = -ENFILE;
        return no_id;
    }
    const auto id = static_cast<PipeId>(s.pipes.size());
    emit(EventKind::pipe_new, me, id, slots, name);
    emit(EventKind::pipe_counts, me, id, 1, 1, 2, 1, 1);
    const std::uint32_t nowait = version.pipe_nowait ? std::uint32_t{F_nowait} : 0;
    fds[0] = file_open(me, FileKind::pipe, F_read | nowait | (flags & F_nonblock), id);
    fds[1] = file_open(me, FileKind::pipe, F_write | nowait | (flags & (F_nonblock | F_direct)), id);
    return id;
}

std::uint32_t Kernel::copy_page_from_iter(TaskId me, PageId page, std::uint32_t offset, std::uint32_t n, IovIter& from) {
    std::uint32_t done = 0;
    while (done < n && from.count) {
        const std::uint64_t addr = from.addr();
        const auto in_page = static_cast<std::uint32_t>(addr & (page_size - 1));
        const std::uint32_t k = std::min({n - done, page_size - in_page, static_cast<std::uint32_t>(std::min<std::uint64_t>(from.seg_left(), page_size))});
        std::uint32_t hit = 0;
        const PageId src = from.bvec ? static_cast<PageId>(addr >> page_shift) : user_page(me, addr, false, &hit);
        if (src == no_page) break;
        emit(EventKind::copy, me, no_id, src, page, k | hit, in_page, offset + done);
        done += k;
        from.advance(k);
    }
    return done;
}

std::uint32_t Kernel::copy_page_to_iter(TaskId me, PageId page, std::uint32_t offset, std::uint32_t n, IovIter& to) {
    std::uint32_t done = 0;
    while (done < n && to.count) {
        const std::uint64_t addr = to.addr();
        const auto in_user = static_cast<std::uint32_t>(addr & (page_size - 1));
        const std::uint32_t at = (offset + done) & (page_size - 1);
        const std::uint32_t k = std::min({n - done, page_size - in_user, page_size - at, static_cast<std::uint32_t>(std::min<std::uint64_t>(to.seg_left(), page_size))});
        std::uint32_t hit = 0;
        const PageId dst = user_page(me, addr, true, &hit);
        if (dst == no_page) break;
        emit(EventKind::copy, me, no_id, nth_page(page, offset + done), dst, k | hit, at, in_user);
        done += k;
        to.advance(k);
    }
    return done;
}

} // namespace pipescope

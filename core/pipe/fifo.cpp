// SPDX-License-Identifier: MIT
// Named pipes: a ring that lives while the FIFO is open, and opens that wait for a partner; fs/pipe.c: fifo_open.
#include "core/kernel/kernel.hpp"

namespace pipescope {

std::uint32_t Kernel::fifo_new(StringId name) {
    const auto id = static_cast<std::uint32_t>(s.fifos.size());
    emit(EventKind::fifo_new, no_id, no_id, id, name);
    return id;
}

Co<long> Kernel::sys_open(TaskId me, const Call& c) {
    FnScope fn(*this, me, Fn::sys_open);
    if (c.addr >= s.fifos.size()) co_return -ENOENT;
    const auto fifo = static_cast<std::uint32_t>(c.addr);
    PipeId pipe = s.fifos[fifo].pipe;
    if (pipe == no_id) { // alloc_pipe_info
        pipe = static_cast<PipeId>(s.pipes.size());
        emit(EventKind::pipe_new, me, pipe, pipe_def_buffers, s.fifos[fifo].name);
        emit(EventKind::fifo_pipe, me, pipe, fifo);
        emit(EventKind::pipe_counts, me, pipe, 0, 0, 0, 1, 1);
    }
    const auto file = static_cast<FileId>(s.files.size());
    emit(EventKind::file_new, me, pipe, file, static_cast<std::uint32_t>(FileKind::pipe), c.flags, 0, no_id);
    // The descriptor is reserved before the open and filled in after it.
    const long ret = co_await fifo_open(me, fifo, file);
    if (ret < 0) co_return ret;
    const auto& fds = s.fdtables[s.tasks[me].fds];
    std::uint32_t fd = 3;
    while (fd < fds.size() && fds[fd] != no_id) ++fd;
    emit(EventKind::fd_install, me, no_id, s.tasks[me].fds, fd, file);
    co_return static_cast<long>(fd);
}

// Waits until the other side's counter has moved: one that came and went again counts too.
Co<long> Kernel::wait_for_partner(TaskId me, PipeId pipe, bool writer) {
    const auto counter = [&] { return writer ? pipe_at(pipe).w_counter : pipe_at(pipe).r_counter; };
    const std::uint32_t before = counter();
    const auto queue = static_cast<std::uint32_t>(WaitQueue::rd);
    while (counter() == before) {
        co_await stage(me, Stage::n_wait, pipe);
        emit(EventKind::wq_add, me, pipe, queue, 0);
        mutex_unlock(me, pipe);
        emit(EventKind::run_state, me, pipe, static_cast<std::uint32_t>(RunState::sleep), static_cast<std::uint32_t>(WaitFor::data));
        co_await Pause{};
        emit(EventKind::run_state, me, pipe, static_cast<std::uint32_t>(RunState::running));
        emit(EventKind::wq_remove, me, pipe, queue);
        co_await mutex_lock(me, pipe);
        if (signal_pending(me)) break;
    }
    co_return counter() == before ? -ERESTARTSYS_ : 0;
}

Co<long> Kernel::fifo_open(TaskId me, std::uint32_t fifo, FileId file) {
    FnScope fn(*this, me, Fn::fifo_open);
    const PipeId pipe = s.fifos[fifo].pipe;
    const std::uint32_t flags = s.files[file].flags;
    const bool rd = flags & F_read, wr = flags & F_write, nonblock = flags & F_nonblock;
    const auto counts = [&](int readers, int writers, int files, std::uint32_t r_counter, std::uint32_t w_counter) {
        const Pipe& p = pipe_at(pipe);
        emit(EventKind::pipe_counts, me, pipe, p.readers + static_cast<std::uint32_t>(readers), p.writers + static_cast<std::uint32_t>(writers),
            p.files + static_cast<std::uint32_t>(files), p.r_counter + r_counter, p.w_counter + w_counter);
    };
    counts(0, 0, 1, 0, 0); // the file counts from here on, so that the pipe stays
    co_await stage(me, Stage::n_lock, pipe);
    co_await mutex_lock(me, pipe);
    long ret = 0;
    if (wr && !rd && nonblock && pipe_at(pipe).readers == 0) {
        ret = -ENXIO;
    } else {
        co_await stage(me, Stage::n_count, pipe,
            {.x = std::uint64_t{pipe_at(pipe).readers + (rd ? 1u : 0u)} << 32 | (pipe_at(pipe).writers + (wr ? 1u : 0u))});
        const bool first = (rd && pipe_at(pipe).readers == 0) || (wr && pipe_at(pipe).writers == 0);
        counts(rd ? 1 : 0, wr ? 1 : 0, 0, rd ? 1 : 0, wr ? 1 : 0);
        if (first) wake_up(me, pipe, WaitQueue::rd, false, true);
        if (rd && !wr && pipe_at(pipe).writers == 0) {
            if (nonblock) emit(EventKind::file_fpipe, me, no_id, file, pipe_at(pipe).w_counter);
            else ret = co_await wait_for_partner(me, pipe, true);
        } else if (wr && !rd && pipe_at(pipe).readers == 0) {
            ret = co_await wait_for_partner(me, pipe, false);
        }
        if (ret < 0) { // a signal: the open is taken back
            counts(rd ? -1 : 0, wr ? -1 : 0, 0, 0, 0);
            if (rd && pipe_at(pipe).readers == 0) wake_up(me, pipe, WaitQueue::wr, false);
            if (wr && pipe_at(pipe).writers == 0) wake_up(me, pipe, WaitQueue::rd, false, true);
        }
    }
    co_await stage(me, Stage::n_unlock, pipe);
    mutex_unlock(me, pipe);
    if (ret < 0) put_pipe_info(me, pipe);
    co_return ret;
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// A pipe's other calls: last close, F_SETPIPE_SZ, FIONREAD, poll; after the second half of fs/pipe.c.
#include "core/kernel/kernel.hpp"
#include "core/mutant.hpp"
#include <bit>
#include <poll.h>

namespace pipescope {

void Kernel::free_pipe_info(TaskId me, PipeId pipe) {
    for (std::uint32_t i = 0; i < pipe_at(pipe).ring_size; ++i)
        if (buf_at(pipe, i).ops != BufOps::null) buf_release(me, pipe, i);
    for (std::uint32_t i = 0; i < 2; ++i)
        if (const PageId page = pipe_at(pipe).tmp_page[i]; page != no_page) {
            emit(EventKind::tmp_page, me, pipe, i, no_page);
            put_page(me, page);
        }
    emit(EventKind::pipe_free, me, pipe);
}

void Kernel::put_pipe_info(TaskId me, PipeId pipe) {
    const Pipe& p = pipe_at(pipe);
    const std::uint32_t files = p.files - 1;
    emit(EventKind::pipe_counts, me, pipe, p.readers, p.writers, files, p.r_counter, p.w_counter);
    if (files) return;
    for (std::uint32_t i = 0; i < s.fifos.size(); ++i)
        if (s.fifos[i].pipe == pipe) emit(EventKind::fifo_pipe, me, no_id, i); // the next open makes a new one
    free_pipe_info(me, pipe);
}

Co<long> Kernel::pipe_release(TaskId me, PipeId pipe, std::uint32_t file_flags) {
    FnScope fn(*this, me, Fn::pipe_release);
    co_await stage(me, Stage::c_lock, pipe);
    co_await mutex_lock(me, pipe);
    const std::uint32_t readers = pipe_at(pipe).readers - (file_flags & F_read ? 1 : 0);
    const std::uint32_t writers = pipe_at(pipe).writers - (file_flags & F_write ? 1 : 0);
    co_await stage(me, Stage::c_count, pipe, {.x = std::uint64_t{readers} << 32 | writers});
    emit(EventKind::pipe_counts, me, pipe, readers, writers, pipe_at(pipe).files, pipe_at(pipe).r_counter, pipe_at(pipe).w_counter);
    const bool one_side_gone = (readers == 0) != (writers == 0);
    co_await stage(me, Stage::c_wake, pipe, {.y = one_side_gone});
    if (one_side_gone) {
        wake_up(me, pipe, WaitQueue::rd, false, !version.close_wakes_one);
        wake_up(me, pipe, WaitQueue::wr, false, !version.close_wakes_one);
    }
    co_await stage(me, Stage::c_unlock, pipe);
    mutex_unlock(me, pipe);
    if (pipe_at(pipe).files == 1) co_await stage(me, Stage::c_free, pipe, {.x = pipe_at(pipe).occupancy()});
    put_pipe_info(me, pipe);
    co_return 0;
}

// round_pipe_size, limits, pipe_resize_ring. The occupied slots decide whether it fits, never the bytes.
Co<long> Kernel::pipe_set_size(TaskId me, PipeId pipe, std::uint64_t arg) {
    FnScope fn(*this, me, Fn::pipe_set_size);
    co_await stage(me, Stage::z_lock, pipe);
    co_await mutex_lock(me, pipe);
    if (version.setpipe_u32) arg &= 0xffffffffu;
    long ret = 0;
    std::uint64_t size = 0;
    if (arg > (std::uint64_t{1} << 31)) ret = -EINVAL;
    else size = arg < page_size ? page_size : mutant(Mutant::resize_rounds_down) ? std::bit_floor(arg) : std::bit_ceil(arg);
    const auto slots = static_cast<std::uint32_t>(size >> page_shift);
    co_await stage(me, Stage::z_limits, pipe, {.x = arg, .y = slots});
    if (ret == 0) {
        const bool growing = slots > pipe_at(pipe).max_usage;
        if (growing && size > limits.pipe_max_size && !limits.cap_sys_resource) ret = -EPERM;
        std::uint64_t charged = slots;
        for (const Pipe& q : s.pipes)
            if (!q.freed && &q != &pipe_at(pipe)) charged += q.nr_accounted;
        const bool over =
            (limits.user_pages_soft && charged > limits.user_pages_soft) || (limits.user_pages_hard && charged > limits.user_pages_hard);
        if (growing && over && !limits.cap_sys_resource && !limits.cap_sys_admin) ret = -EPERM;
    }
    if (ret == 0) {
        const std::uint32_t n = pipe_at(pipe).occupancy();
        co_await stage(me, Stage::z_busy, pipe, {.x = n, .y = slots});
        if (mutant(Mutant::resize_counts_bytes) ? pipe_at(pipe).bytes() > size : n > slots) {
            ret = -EBUSY;
        } else if (slots > (1u << 18)) {
            ret = -ENOMEM; // a ring of 2^31 bytes: the array of slots alone is more than the kernel hands out
        } else {
            co_await stage(me, Stage::z_copy, pipe, {.x = n, .y = slots});
            if (!mutant(Mutant::resize_keeps_tail) || slots != pipe_at(pipe).ring_size) {
                // Up to 6.7 max_usage followed after the wake-up: who wakes finds the ring as full as before.
                const std::uint32_t usage = version.resize_lost_wakeup ? std::min(pipe_at(pipe).max_usage, slots) : slots;
                emit(EventKind::ring_resize, me, pipe, slots, usage);
            }
            co_await stage(me, Stage::z_wake, pipe, {.y = !version.resize_no_wake});
            if (!version.resize_no_wake) wake_up(me, pipe, WaitQueue::wr, false);
            if (version.resize_lost_wakeup) {
                co_await stage(me, Stage::z_usage, pipe, {.y = slots});
                emit(EventKind::ring_resize, me, pipe, slots);
            }
            ret = static_cast<long>(size);
        }
    }
    co_await stage(me, Stage::z_unlock, pipe);
    mutex_unlock(me, pipe);
    co_return ret;
}

Co<long> Kernel::pipe_ioctl_fionread(TaskId me, PipeId pipe) {
    FnScope fn(*this, me, Fn::pipe_ioctl);
    co_await stage(me, Stage::i_lock, pipe);
    co_await mutex_lock(me, pipe);
    const auto bytes = static_cast<long>(pipe_at(pipe).bytes());
    co_await stage(me, Stage::i_sum, pipe, {.x = static_cast<std::uint64_t>(bytes)});
    co_await stage(me, Stage::i_unlock, pipe);
    mutex_unlock(me, pipe);
    co_return bytes;
}

// Looks without the mutex, and from then on every write wakes readers. One that waits is on a queue the whole time: a
// wake-up does not take it off, and it looks again.
Co<long> Kernel::pipe_poll(TaskId me, PipeId pipe, const File& file, bool wait) {
    FnScope fn(*this, me, Fn::pipe_poll);
    if (!pipe_at(pipe).poll_usage) emit(EventKind::poll_usage, me, pipe);
    const bool on[2] = {(file.flags & F_read) != 0, (file.flags & F_write) != 0};
    bool queued = false;
    long ret = 0;
    for (;;) {
        const std::uint32_t mask = poll_mask(file);
        co_await stage(me, Stage::p_look, pipe, {.x = std::uint64_t{pipe_at(pipe).head} << 32 | pipe_at(pipe).tail, .y = mask});
        if (mask || !wait) {
            ret = mask;
            break;
        }
        if (signal_pending(me)) {
            ret = -EINTR; // poll is not restarted by a handler
            break;
        }
        if (poll_mask(file)) continue; // something came after the look
        for (const WaitQueue q : {WaitQueue::rd, WaitQueue::wr})
            if (on[static_cast<int>(q)] && !queued) emit(EventKind::wq_add, me, pipe, static_cast<std::uint32_t>(queue_of(q)), 0);
        queued = true;
        emit(EventKind::run_state, me, pipe, static_cast<std::uint32_t>(RunState::sleep),
            static_cast<std::uint32_t>(on[0] ? WaitFor::data : WaitFor::space));
        co_await Pause{};
        emit(EventKind::run_state, me, pipe, static_cast<std::uint32_t>(RunState::running));
    }
    for (const WaitQueue q : {WaitQueue::rd, WaitQueue::wr})
        if (on[static_cast<int>(q)] && queued) emit(EventKind::wq_remove, me, pipe, static_cast<std::uint32_t>(queue_of(q)));
    co_return ret;
}

std::uint32_t Kernel::poll_mask(const File& file) const {
    if (file.kind == FileKind::socket) return unix_poll(file.sock);
    if (file.kind != FileKind::pipe) return POLLIN | POLLOUT;
    const Pipe& p = pipe_at(file.pipe);
    std::uint32_t mask = 0;
    if (file.flags & F_read) {
        if (!p.empty()) mask |= POLLIN;
        if (p.writers == 0 && file.f_pipe != p.w_counter) mask |= POLLHUP;
    }
    if (file.flags & F_write) {
        if (!p.full()) mask |= POLLOUT;
        if (p.readers == 0) mask |= POLLERR;
    }
    return mask;
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// pipe_read, stage by stage; fs/pipe.c: anon_pipe_read (pipe_read up to 6.14).
#include "core/kernel/kernel.hpp"
#include "core/mutant.hpp"
#include <poll.h>

namespace pipescope {

Co<long> Kernel::pipe_read(TaskId me, PipeId pipe, std::uint32_t file_flags, IovIter& to) {
    FnScope fn(*this, me, Fn::pipe_read);
    if (to.count == 0) co_return 0;
    std::uint64_t left = to.count;
    long ret = 0;
    bool wake_writer = false, wake_next_reader = false;

    co_await stage(me, Stage::r_lock, pipe);
    co_await mutex_lock(me, pipe);
    // Up to 6.13 a reader wakes a writer when it found the ring full, whether it frees a slot or not.
    if (!version.wake_on_freed_slot) wake_writer = pipe_at(pipe).full();

    for (;;) {
        co_await stage(me, Stage::r_empty, pipe, {.x = pipe_at(pipe).occupancy(), .y = pipe_at(pipe).empty()});
        if (!pipe_at(pipe).empty()) {
            const std::uint32_t tail = pipe_at(pipe).tail, slot = pipe_at(pipe).slot(tail);
            const PipeBuffer b = buf_at(pipe, slot);
            auto chars = b.len;
            if (chars > left) {
                if (b.flags & PIPE_BUF_FLAG_WHOLE) {
                    if (ret == 0) ret = -ENOBUFS;
                    break;
                }
                chars = static_cast<std::uint32_t>(left);
            }
            co_await stage(me, Stage::r_copy, pipe, {.a = slot, .b = b.page, .c = chars, .x = to.count ? to.addr() : 0, .y = b.offset});
            if (copy_page_to_iter(me, b.page, b.offset, chars, to) < chars) {
                if (ret == 0) ret = -EFAULT; // nothing of this slot is consumed
                if (mutant(Mutant::fault_consumes)) buf_move(me, pipe, slot, b.offset + 1, b.len - 1);
                break;
            }
            ret += chars;
            co_await stage(me, Stage::r_consume, pipe, {.a = slot, .b = b.page, .c = chars, .y = b.offset + chars});
            const bool packet = (b.flags & PIPE_BUF_FLAG_PACKET) && !mutant(Mutant::packet_keeps_rest); // what was not asked for is thrown away
            const std::uint32_t rest = packet ? 0 : b.len - chars;
            if (packet) left = chars;
            buf_move(me, pipe, slot, b.offset + chars, rest);
            if (rest == 0) {
                if (version.wake_on_freed_slot) wake_writer = wake_writer || pipe_at(pipe).full();
                const bool spare = b.ops == BufOps::anon && page_count(b.page) == 1 &&
                                   (pipe_at(pipe).tmp_page[0] == no_page || (version.tmp_pages > 1 && pipe_at(pipe).tmp_page[1] == no_page));
                co_await stage(me, Stage::r_release, pipe, {.a = slot, .b = b.page, .y = spare});
                buf_release(me, pipe, slot);
                co_await stage(me, Stage::r_tail, pipe, {.x = tail + 1});
                emit(EventKind::tail_set, me, pipe, tail + 1);
            }
            left -= chars;
            if (left == 0) break;
            if (!pipe_at(pipe).empty()) continue;
        }
        const bool go_on = version.waiting_writers && pipe_at(pipe).waiting_writers; // not even O_NONBLOCK counts
        if (pipe_at(pipe).writers == 0 || (ret && !go_on)) break;
        if ((file_flags & F_nonblock) && !go_on) {
            ret = -EAGAIN;
            break;
        }
        co_await stage(me, Stage::r_unlock, pipe);
        mutex_unlock(me, pipe);
        if (wake_writer) {
            co_await stage(me, Stage::r_wake, pipe, {.y = 1});
            wake_up(me, pipe, WaitQueue::wr, true, false, POLLOUT);
        }
        co_await stage(me, Stage::r_sleep, pipe, {.c = static_cast<std::uint32_t>(ret)});
        if (co_await wait_event(me, pipe, WaitQueue::rd, true) < 0) co_return ret ? ret : -ERESTARTSYS_;
        wake_writer = false;
        wake_next_reader = true;
        co_await stage(me, Stage::r_lock, pipe);
        co_await mutex_lock(me, pipe);
        if (!version.wake_on_freed_slot) wake_writer = pipe_at(pipe).full();
    }
    if (pipe_at(pipe).empty()) wake_next_reader = false;
    co_await stage(me, Stage::r_unlock, pipe);
    mutex_unlock(me, pipe);
    co_await stage(me, Stage::r_wake, pipe, {.y = wake_writer});
    if (wake_writer) wake_up(me, pipe, WaitQueue::wr, true, false, POLLOUT);
    if (wake_next_reader) {
        co_await stage(me, Stage::r_wake_next, pipe, {.y = 1});
        wake_up(me, pipe, WaitQueue::rd, true, false, POLLIN);
    }
    co_return ret;
}

} // namespace pipescope

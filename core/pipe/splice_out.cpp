// SPDX-License-Identifier: MIT
// Out of the pipe without a reader's loop: to /dev/null and, for vmsplice, to user memory; fs/splice.c: __splice_from_pipe.
#include "core/kernel/kernel.hpp"

namespace pipescope {

// 1: there is a slot; 0: stop; or -errno.
Co<long> Kernel::splice_from_pipe_next(TaskId me, PipeId pipe, SpliceDesc& sd) {
    if (signal_pending(me)) co_return -ERESTARTSYS_;
    for (;;) {
        co_await stage(me, Stage::s_data, pipe, {.x = pipe_at(pipe).occupancy(), .y = pipe_at(pipe).empty()});
        while (pipe_at(pipe).empty()) {
            if (pipe_at(pipe).writers == 0 || sd.num_spliced) co_return 0;
            if (sd.flags & PS_SPLICE_F_NONBLOCK) co_return -EAGAIN;
            if (signal_pending(me)) co_return -ERESTARTSYS_;
            if (sd.need_wakeup) {
                co_await stage(me, Stage::s_wake, pipe, {.y = 1});
                wake_up(me, pipe, WaitQueue::wr, false);
                sd.need_wakeup = false;
            }
            co_await stage(me, Stage::s_sleep, pipe);
            mutex_unlock(me, pipe); // pipe_wait_readable
            co_await wait_event(me, pipe, WaitQueue::rd, false);
            co_await mutex_lock(me, pipe);
        }
        const std::uint32_t tail = pipe_at(pipe).tail, slot = pipe_at(pipe).slot(tail);
        if (buf_at(pipe, slot).len) co_return 1;
        buf_release(me, pipe, slot); // eat_empty_buffer: what a write that faulted left behind up to 6.14
        emit(EventKind::tail_set, me, pipe, tail + 1);
        sd.need_wakeup = true;
    }
}

// 1: go on; 0: the request is satisfied; or -errno of the actor.
Co<long> Kernel::splice_from_pipe_feed(TaskId me, PipeId pipe, SpliceDesc& sd) {
    while (!pipe_at(pipe).empty()) {
        const std::uint32_t tail = pipe_at(pipe).tail, slot = pipe_at(pipe).slot(tail);
        const PipeBuffer b = buf_at(pipe, slot);
        const auto len = static_cast<std::uint32_t>(std::min<std::uint64_t>(b.len, sd.total_len));
        co_await stage(me, Stage::s_actor, pipe, {.a = slot, .b = b.page, .c = len, .x = sd.to && sd.to->count ? sd.to->addr() : 0, .y = b.offset});
        if (b.len == 0) co_return 0; // the actor did nothing: what a write that faulted left stays for the next call
        if (sd.socket != no_id) {
            const long sent = co_await sendpage(me, s.files[sd.socket].sock, b, len, s.files[sd.socket].flags & F_nonblock);
            if (sent <= 0) co_return sent;
        }
        if (sd.to && copy_page_to_iter(me, b.page, b.offset, len, *sd.to) < len) co_return -EFAULT;
        buf_move(me, pipe, slot, b.offset + len, b.len - len);
        sd.num_spliced += len;
        sd.total_len -= len;
        if (b.len == len) {
            co_await stage(me, Stage::s_release, pipe, {.a = slot, .b = b.page});
            buf_release(me, pipe, slot);
            co_await stage(me, Stage::s_tail, pipe, {.x = tail + 1});
            emit(EventKind::tail_set, me, pipe, tail + 1);
            sd.need_wakeup = true;
        }
        if (sd.total_len == 0) co_return 0;
    }
    co_return 1;
}

Co<long> Kernel::splice_from_pipe(TaskId me, PipeId pipe, SpliceDesc& sd) {
    FnScope fn(*this, me, Fn::splice_from_pipe);
    co_await stage(me, Stage::s_lock, pipe);
    co_await mutex_lock(me, pipe);
    long ret = 1;
    while (ret > 0) {
        ret = co_await splice_from_pipe_next(me, pipe, sd);
        if (ret > 0) ret = co_await splice_from_pipe_feed(me, pipe, sd);
    }
    co_await stage(me, Stage::s_wake, pipe, {.y = sd.need_wakeup}); // with the mutex held
    if (sd.need_wakeup) wake_up(me, pipe, WaitQueue::wr, false);
    co_await stage(me, Stage::s_unlock, pipe);
    mutex_unlock(me, pipe);
    co_return sd.num_spliced ? static_cast<long>(sd.num_spliced) : ret;
}

} // namespace pipescope

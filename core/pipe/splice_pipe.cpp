// SPDX-License-Identifier: MIT
// From pipe to pipe without a copy: splice moves slots, tee shares them; fs/splice.c: splice_pipe_to_pipe, link_pipe.
#include "core/kernel/kernel.hpp"
#include "core/mutant.hpp"
#include <csignal>

namespace pipescope {

// The first look is without the mutex. An input whose writers have gone is ready: there will be nothing to wait for.
Co<long> Kernel::ipipe_prep(TaskId me, PipeId pipe, std::uint32_t flags) {
    co_await stage(me, Stage::t_input, pipe, {.x = pipe_at(pipe).occupancy(), .y = pipe_at(pipe).empty()});
    if (!pipe_at(pipe).empty()) co_return 0;
    long ret = 0;
    co_await mutex_lock(me, pipe);
    while (pipe_at(pipe).empty()) {
        if (signal_pending(me)) ret = -ERESTARTSYS_;
        if (ret || pipe_at(pipe).writers == 0) break;
        if (flags & PS_SPLICE_F_NONBLOCK) {
            ret = -EAGAIN;
            break;
        }
        mutex_unlock(me, pipe);
        co_await wait_event(me, pipe, WaitQueue::rd, false);
        co_await mutex_lock(me, pipe);
    }
    mutex_unlock(me, pipe);
    co_return ret;
}

Co<long> Kernel::opipe_prep(TaskId me, PipeId pipe, std::uint32_t flags) {
    co_await stage(me, Stage::t_output, pipe, {.x = pipe_at(pipe).occupancy(), .y = pipe_at(pipe).full()});
    if (!pipe_at(pipe).full()) co_return 0;
    long ret = 0;
    co_await mutex_lock(me, pipe);
    while (pipe_at(pipe).full()) {
        if (pipe_at(pipe).readers == 0) {
            send_sig(me, SIGPIPE);
            ret = -EPIPE;
        } else if (flags & PS_SPLICE_F_NONBLOCK) {
            ret = -EAGAIN;
        } else if (signal_pending(me)) {
            ret = -ERESTARTSYS_;
        }
        if (ret) break;
        mutex_unlock(me, pipe);
        co_await wait_event(me, pipe, WaitQueue::wr, false);
        co_await mutex_lock(me, pipe);
    }
    mutex_unlock(me, pipe);
    co_return ret;
}

Co<int> Kernel::double_lock(TaskId me, PipeId a, PipeId b) {
    co_await mutex_lock(me, std::min(a, b)); // numbers stand for addresses
    co_await mutex_lock(me, std::max(a, b));
    co_return 0;
}

Co<long> Kernel::splice_pipe_to_pipe(TaskId me, PipeId in, PipeId out, std::uint64_t len, std::uint32_t flags) {
    FnScope fn(*this, me, Fn::splice_pipe_to_pipe);
    long ret = 0;
    bool input_wakeup = false, again = true;
    while (again) {
        again = false;
        if (const long r = co_await ipipe_prep(me, in, flags)) co_return r;
        if (const long r = co_await opipe_prep(me, out, flags)) co_return r;
        co_await stage(me, Stage::t_lock, out);
        co_await double_lock(me, in, out);
        while (len) {
            if (pipe_at(out).readers == 0) {
                send_sig(me, SIGPIPE);
                if (ret == 0) ret = -EPIPE;
                break;
            }
            if (pipe_at(in).empty() && pipe_at(in).writers == 0) break;
            if (pipe_at(in).empty() || pipe_at(out).full()) {
                if (ret) break;
                if (flags & PS_SPLICE_F_NONBLOCK) ret = -EAGAIN;
                else again = true; // somebody was faster between the look and the locks
                break;
            }
            const std::uint32_t itail = pipe_at(in).tail, ohead = pipe_at(out).head;
            const std::uint32_t islot = pipe_at(in).slot(itail), oslot = pipe_at(out).slot(ohead);
            const PipeBuffer b = buf_at(in, islot);
            const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(len, b.len));
            if (len >= b.len) { // ops, flags and the reference go along
                co_await stage(me, Stage::t_move, out, {.a = oslot, .b = b.page, .c = n, .x = islot, .y = b.offset});
                buf_set(me, out, oslot, b);
                emit(EventKind::buf_clear, me, in, islot);
                emit(EventKind::tail_set, me, in, itail + 1);
                input_wakeup = true;
            } else { // neither half may be appended to by way of the other
                co_await stage(me, Stage::t_split, out, {.a = oslot, .b = b.page, .c = n, .x = islot, .y = b.offset});
                if (!buf_get(me, b)) {
                    if (ret == 0) ret = -EFAULT;
                    break;
                }
                const std::uint32_t dropped = PIPE_BUF_FLAG_GIFT | (version.linked_merge ? 0 : std::uint32_t{PIPE_BUF_FLAG_CAN_MERGE});
                const std::uint32_t flags_kept = mutant(Mutant::split_stays_mergeable) ? b.flags : b.flags & ~dropped;
                buf_set(me, out, oslot, {b.page, b.offset, n, flags_kept, b.ops});
                buf_move(me, in, islot, b.offset + n, b.len - n);
            }
            emit(EventKind::head_set, me, out, ohead + 1);
            ret += n;
            len -= n;
        }
        mutex_unlock(me, in);
        mutex_unlock(me, out);
    }
    co_await stage(me, Stage::t_wake, out, {.y = ret > 0 || input_wakeup});
    if (ret > 0) wake_up(me, out, WaitQueue::rd, false);
    if (input_wakeup) wake_up(me, in, WaitQueue::wr, false);
    co_return ret;
}

Co<long> Kernel::link_pipe(TaskId me, PipeId in, PipeId out, std::uint64_t len) {
    FnScope fn(*this, me, Fn::link_pipe);
    long ret = 0;
    co_await stage(me, Stage::l_lock, out);
    co_await double_lock(me, in, out);
    for (std::uint32_t itail = pipe_at(in).tail; len; ++itail) {
        if (pipe_at(out).readers == 0) {
            send_sig(me, SIGPIPE);
            if (ret == 0) ret = -EPIPE;
            break;
        }
        if (itail == pipe_at(in).head || pipe_at(out).full()) break;
        const std::uint32_t ohead = pipe_at(out).head, islot = pipe_at(in).slot(itail), oslot = pipe_at(out).slot(ohead);
        const PipeBuffer b = buf_at(in, islot);
        const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(len, b.len));
        co_await stage(me, Stage::l_link, out, {.a = oslot, .b = b.page, .c = n, .x = islot, .y = b.offset});
        if (!buf_get(me, b)) {
            if (ret == 0) ret = -EFAULT;
            break;
        }
        const std::uint32_t dropped = (version.linked_merge ? 0 : std::uint32_t{PIPE_BUF_FLAG_CAN_MERGE}) |
                                      (mutant(Mutant::tee_keeps_gift) ? 0 : std::uint32_t{PIPE_BUF_FLAG_GIFT});
        buf_set(me, out, oslot, {b.page, b.offset, n, b.flags & ~dropped, b.ops});
        emit(EventKind::head_set, me, out, ohead + 1);
        ret += n;
        len -= n;
    }
    mutex_unlock(me, in);
    mutex_unlock(me, out);
    co_await stage(me, Stage::l_wake, out, {.y = ret > 0});
    if (ret > 0) wake_up(me, out, WaitQueue::rd, false);
    co_return ret;
}

} // namespace pipescope

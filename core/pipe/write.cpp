// SPDX-License-Identifier: MIT
// pipe_write, stage by stage; fs/pipe.c: anon_pipe_write (pipe_write up to 6.14).
#include "core/kernel/kernel.hpp"
#include "core/mutant.hpp"
#include <poll.h>
#include <csignal>

namespace pipescope {

Co<long> Kernel::pipe_write(TaskId me, PipeId pipe, std::uint32_t file_flags, IovIter& from) {
    FnScope fn(*this, me, Fn::pipe_write);
    if (from.count == 0) co_return 0;
    const auto odd =
        static_cast<std::uint32_t>(mutant(Mutant::merge_whole_size) && from.count < page_size * 2 ? from.count : from.count & (page_size - 1));
    long ret = 0;
    bool was_empty = false, wake_next_writer = false;

    co_await stage(me, Stage::w_lock, pipe);
    co_await mutex_lock(me, pipe);

    co_await stage(me, Stage::w_readers, pipe, {.x = pipe_at(pipe).readers});
    if (pipe_at(pipe).readers == 0) {
        if (!(file_flags & F_nosignal)) send_sig(me, SIGPIPE);
        ret = -EPIPE;
        goto out;
    }

    // The odd bytes go behind the newest slot if they fit there whole. Once a call; fullness is not asked.
    was_empty = pipe_at(pipe).empty();
    if (odd && !was_empty) {
        const std::uint32_t slot = pipe_at(pipe).slot(pipe_at(pipe).head - 1);
        const PipeBuffer b = buf_at(pipe, slot);
        const std::uint32_t end = b.offset + b.len;
        const bool mergeable = (b.flags & PIPE_BUF_FLAG_CAN_MERGE) || mutant(Mutant::merge_any_flags);
        const bool fits = mergeable && end + odd + mutant(Mutant::merge_off_by_one) <= page_size;
        co_await stage(me, Stage::w_merge, pipe, {.a = slot, .c = odd, .y = fits});
        if (fits) {
            co_await stage(me, Stage::w_merge_copy, pipe, {.a = slot, .b = b.page, .c = odd, .x = from.addr(), .y = end});
            if (copy_page_from_iter(me, b.page, end, odd, from) < odd) {
                ret = -EFAULT;
                goto out;
            }
            buf_move(me, pipe, slot, b.offset, b.len + odd);
            ret = odd;
            if (from.count == 0) goto out;
        }
    } else {
        co_await stage(me, Stage::w_merge, pipe, {.a = no_id, .c = odd, .y = 0});
    }

    for (;;) {
        if (pipe_at(pipe).readers == 0) {
            if (!(file_flags & F_nosignal)) send_sig(me, SIGPIPE);
            if (ret == 0) ret = -EPIPE;
            break;
        }
        co_await stage(me, Stage::w_full, pipe, {.x = pipe_at(pipe).occupancy(), .y = pipe_at(pipe).full()});
        if (!pipe_at(pipe).full() && !(mutant(Mutant::full_one_early) && pipe_at(pipe).occupancy() + 1 == pipe_at(pipe).max_usage)) {
            const std::uint32_t flags = file_flags & F_direct ? PIPE_BUF_FLAG_PACKET : PIPE_BUF_FLAG_CAN_MERGE;
            const std::uint32_t head = pipe_at(pipe).head, slot = pipe_at(pipe).slot(head);
            const PageId kept = pipe_at(pipe).tmp_page[0] != no_page ? pipe_at(pipe).tmp_page[0] : pipe_at(pipe).tmp_page[1];
            co_await stage(me, Stage::w_page, pipe, {.a = slot, .b = kept, .y = kept != no_page});
            const PageId page = anon_pipe_get_page(me, pipe);

            if (!version.copy_before_insert) { // the slot is there before its bytes: a fault leaves it with none
                co_await stage(me, Stage::w_insert, pipe, {.a = slot, .b = page, .c = 0, .x = head + 1});
                buf_set(me, pipe, slot, {page, 0, 0, flags, BufOps::anon});
                emit(EventKind::head_set, me, pipe, head + 1);
            }
            const auto want = static_cast<std::uint32_t>(std::min<std::uint64_t>(from.count, page_size));
            co_await stage(me, Stage::w_copy, pipe, {.a = slot, .b = page, .c = want, .x = from.addr(), .y = 0});
            const std::uint32_t copied = copy_page_from_iter(me, page, 0, want, from);
            if (copied < page_size && from.count) {
                if (version.copy_before_insert) anon_pipe_put_page(me, pipe, page);
                if (ret == 0) ret = -EFAULT;
                break;
            }
            if (version.copy_before_insert) {
                co_await stage(me, Stage::w_insert, pipe, {.a = slot, .b = page, .c = copied, .x = head + 1});
                buf_set(me, pipe, slot, {page, 0, copied, flags, BufOps::anon});
                emit(EventKind::head_set, me, pipe, head + 1);
            } else {
                buf_move(me, pipe, slot, 0, copied);
            }
            ret += copied;
            if (from.count == 0) break;
            continue;
        }
        if (file_flags & F_nonblock) {
            if (ret == 0) ret = -EAGAIN;
            break;
        }
        if (signal_pending(me)) {
            if (ret == 0) ret = -ERESTARTSYS_;
            break;
        }
        co_await stage(me, Stage::w_unlock, pipe);
        mutex_unlock(me, pipe);
        if (was_empty) {
            co_await stage(me, Stage::w_wake, pipe, {.y = 1});
            wake_up(me, pipe, WaitQueue::rd, true, false, POLLIN);
        }
        co_await stage(me, Stage::w_sleep, pipe, {.c = static_cast<std::uint32_t>(ret)});
        if (version.waiting_writers) emit(EventKind::waiting_writers, me, pipe, pipe_at(pipe).waiting_writers + 1);
        co_await wait_event(me, pipe, WaitQueue::wr, true);
        co_await stage(me, Stage::w_lock, pipe);
        co_await mutex_lock(me, pipe);
        if (version.waiting_writers) emit(EventKind::waiting_writers, me, pipe, pipe_at(pipe).waiting_writers - 1);
        was_empty = pipe_at(pipe).empty();
        wake_next_writer = true;
    }

out:
    if (pipe_at(pipe).full()) wake_next_writer = false;
    co_await stage(me, Stage::w_unlock, pipe);
    mutex_unlock(me, pipe);
    const bool wake_reader = was_empty || (version.poll_usage && pipe_at(pipe).poll_usage);
    co_await stage(me, Stage::w_wake, pipe, {.y = wake_reader});
    if (wake_reader) wake_up(me, pipe, WaitQueue::rd, true, false, POLLIN);
    if (wake_next_writer) {
        co_await stage(me, Stage::w_wake_next, pipe, {.y = 1});
        wake_up(me, pipe, WaitQueue::wr, true, false, POLLOUT);
    }
    co_return ret;
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// vmsplice into a pipe: pages of user memory become slots by reference; fs/splice.c: vmsplice_to_pipe.
#include "core/kernel/kernel.hpp"
#include "core/mutant.hpp"
#include <csignal>

namespace pipescope {

// Asked once, before the first page: a vmsplice never sleeps in the middle. O_NONBLOCK does not count here.
Co<long> Kernel::wait_for_space(TaskId me, PipeId pipe, std::uint32_t flags) {
    FnScope fn(*this, me, Fn::wait_for_space);
    for (;;) {
        co_await stage(me, Stage::v_space, pipe, {.x = pipe_at(pipe).occupancy(), .y = pipe_at(pipe).full()});
        if (pipe_at(pipe).readers == 0) {
            send_sig(me, SIGPIPE);
            co_return -EPIPE;
        }
        if (!pipe_at(pipe).full()) co_return 0;
        if (flags & PS_SPLICE_F_NONBLOCK) co_return -EAGAIN;
        if (signal_pending(me)) co_return -ERESTARTSYS_;
        co_await stage(me, Stage::v_sleep, pipe);
        mutex_unlock(me, pipe); // pipe_wait_writable
        co_await wait_event(me, pipe, WaitQueue::wr, false);
        co_await mutex_lock(me, pipe);
    }
}

Co<long> Kernel::iter_to_pipe(TaskId me, PipeId pipe, IovIter& from, std::uint32_t buf_flags) {
    FnScope fn(*this, me, Fn::iter_to_pipe);
    long total = 0;
    std::array<PageId, gup_batch> pages{};
    while (from.count) {
        const auto start = static_cast<std::uint32_t>(from.addr() & (page_size - 1));
        const std::uint64_t want = std::min<std::uint64_t>(from.seg_left(), std::uint64_t{gup_batch} * page_size - start);
        const auto n = static_cast<std::uint32_t>((want + start + page_size - 1) >> page_shift);
        co_await stage(me, Stage::v_pages, pipe, {.c = static_cast<std::uint32_t>(from.count), .x = from.addr(), .y = n});
        const long got = co_await get_user_pages_fast(me, from.addr() - start, n, pages.data());
        if (got <= 0) co_return total && !mutant(Mutant::vmsplice_all_or_error) ? total : got;
        std::uint64_t left = std::min<std::uint64_t>(want, static_cast<std::uint64_t>(got) * page_size - start);
        std::uint32_t offset = start;
        for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(got); ++i) {
            FnScope add(*this, me, Fn::add_to_pipe);
            const auto size = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, page_size - offset));
            co_await stage(me, Stage::v_full, pipe, {.x = pipe_at(pipe).occupancy(), .y = pipe_at(pipe).full()});
            const bool no_reader = pipe_at(pipe).readers == 0;
            if (no_reader || pipe_at(pipe).full()) {
                if (no_reader) send_sig(me, SIGPIPE);
                const auto surplus = static_cast<std::uint32_t>(got) - i;
                co_await stage(me, Stage::v_drop, pipe, {.c = surplus});
                for (; i < static_cast<std::uint32_t>(got); ++i) put_page(me, pages[i]);
                co_return total ? total : no_reader ? -EPIPE : -EAGAIN;
            }
            const std::uint32_t head = pipe_at(pipe).head, slot = pipe_at(pipe).slot(head);
            co_await stage(me, Stage::v_add, pipe, {.a = slot, .b = pages[i], .c = size, .x = head + 1, .y = offset});
            if (const PipeBuffer last = buf_at(pipe, pipe_at(pipe).slot(head - 1)); mutant(Mutant::vmsplice_joins) && last.ops == BufOps::user_page &&
                                                                                    last.page == pages[i] && last.offset + last.len == offset && !pipe_at(pipe).empty()) {
                buf_move(me, pipe, pipe_at(pipe).slot(head - 1), last.offset, last.len + size);
                put_page(me, pages[i]);
                total += size, left -= size, offset = 0;
                from.advance(size);
                continue;
            }
            buf_set(me, pipe, slot, {pages[i], offset, size, buf_flags, BufOps::user_page});
            emit(EventKind::head_set, me, pipe, head + 1);
            total += size;
            left -= size;
            from.advance(size);
            offset = 0;
        }
    }
    co_return total;
}

Co<long> Kernel::vmsplice_to_pipe(TaskId me, PipeId pipe, IovIter& from, std::uint32_t flags) {
    FnScope fn(*this, me, Fn::vmsplice_to_pipe);
    co_await stage(me, Stage::v_lock, pipe);
    co_await mutex_lock(me, pipe);
    long ret = co_await wait_for_space(me, pipe, flags);
    if (ret == 0) ret = co_await iter_to_pipe(me, pipe, from, flags & PS_SPLICE_F_GIFT ? std::uint32_t{PIPE_BUF_FLAG_GIFT} : 0);
    co_await stage(me, Stage::v_unlock, pipe);
    mutex_unlock(me, pipe);
    co_await stage(me, Stage::v_wake, pipe, {.y = ret > 0});
    if (ret > 0) wake_up(me, pipe, WaitQueue::rd, false);
    co_return ret;
}

} // namespace pipescope

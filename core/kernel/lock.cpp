// SPDX-License-Identifier: MIT
// The pipe's mutex and its wait queues; after kernel/locking/mutex.c and kernel/sched/wait.c.
#include "core/kernel/kernel.hpp"
#include <algorithm>
#include <poll.h>

namespace pipescope {

Co<int> Kernel::mutex_lock(TaskId me, PipeId pipe) {
    if (pipe_at(pipe).files == 0) co_return 0; // pipe_lock: the pipe inside sendfile is nobody else's
    if (pipe_at(pipe).mutex.owner != no_id) {
        FnScope fn(*this, me, Fn::mutex_lock);
        const TaskId owner = pipe_at(pipe).mutex.owner;
        // Spinning pays only while the owner is on a CPU of its own; else the waiter sleeps in the list.
        const RunState r = s.tasks[owner].run;
        const bool spin = s.tasks[owner].cpu != s.tasks[me].cpu && r != RunState::sleep && r != RunState::lock_sleep && r != RunState::runnable;
        co_await stage(me, spin ? Stage::m_spin : Stage::m_sleep, pipe, {.x = owner});
        if (pipe_at(pipe).mutex.owner != no_id) {
            emit(EventKind::mutex_wait, me, pipe, spin ? 1 : 2);
            for (bool lost = false; pipe_at(pipe).mutex.owner != no_id && pipe_at(pipe).mutex.owner != me; lost = true) {
                if (lost && !spin) emit(EventKind::mutex_handoff, me, pipe); // woken, and somebody was quicker; not a second time
                emit(EventKind::run_state, me, pipe, static_cast<std::uint32_t>(spin ? RunState::lock_spin : RunState::lock_sleep));
                co_await Pause{};
            }
            emit(EventKind::mutex_leave, me, pipe);
            emit(EventKind::run_state, me, pipe, static_cast<std::uint32_t>(RunState::running));
        }
    }
    if (pipe_at(pipe).mutex.owner != me) emit(EventKind::mutex_lock, me, pipe);
    co_return 0;
}

void Kernel::mutex_unlock(TaskId me, PipeId pipe) {
    if (pipe_at(pipe).files == 0) return;
    emit(EventKind::mutex_unlock, me, pipe);
    const auto& waiters = pipe_at(pipe).mutex.waiters;
    if (waiters.empty()) return;
    const TaskId next = waiters.front(); // woken, not given the lock: who comes by in between may take it
    if (pipe_at(pipe).mutex.handoff == next) emit(EventKind::mutex_lock, next, pipe); // … once
    if (s.tasks[next].run == RunState::runnable) return;
    emit(EventKind::run_state, next, pipe, static_cast<std::uint32_t>(RunState::runnable));
    woken.push_back(next);
}

bool Kernel::wait_condition(PipeId pipe, WaitQueue q) const {
    const Pipe& p = pipe_at(pipe);
    return q == WaitQueue::rd ? !p.empty() || p.writers == 0 : !p.full() || p.readers == 0;
}

// Two loads in place of one: what happens between them can make an empty ring look full. Never the other way round.
Co<int> Kernel::pipe_writable(TaskId me, PipeId pipe) {
    FnScope fn(*this, me, Fn::pipe_writable);
    co_await stage(me, Stage::q_head, pipe, {.x = pipe_at(pipe).head});
    const std::uint32_t head = pipe_at(pipe).head;
    co_await stage(me, Stage::q_tail, pipe, {.x = head, .y = pipe_at(pipe).tail});
    co_return head - pipe_at(pipe).tail < pipe_at(pipe).max_usage || pipe_at(pipe).readers == 0;
}

// wait_event_interruptible[_exclusive]: the condition is tested without the mutex. An exclusive waiter queues at the end,
// another one in front; waking takes it off the queue, and if the condition has gone again it queues anew.
Co<int> Kernel::wait_event(TaskId me, PipeId pipe, WaitQueue q, bool exclusive) {
    const auto queue = static_cast<std::uint32_t>(queue_of(q));
    const bool torn = version.torn_head_tail && q == WaitQueue::wr;
    if (version.herd) exclusive = false;
    const auto wait_for = static_cast<std::uint32_t>(q == WaitQueue::rd ? WaitFor::data : WaitFor::space);
    int ret = 0;
    bool queued = false;
    const auto on_queue = [&] { return std::ranges::any_of(pipe_at(pipe).wait[queue], [&](const WaitEntry& w) { return w.task == me; }); };
    for (;;) {
        bool ready = false; // no co_await in a conditional expression: g++ 12 takes both ways
        if (torn) ready = co_await pipe_writable(me, pipe);
        else ready = wait_condition(pipe, q);
        if (ready) break;
        if (signal_pending(me)) {
            ret = -ERESTARTSYS_;
            break;
        }
        if (!queued) emit(EventKind::wq_add, me, pipe, queue, exclusive);
        if (torn) { // on the queue it looks once more, and a wake-up in between keeps it from sleeping
            queued = true;
            if (co_await pipe_writable(me, pipe)) break;
        }
        if (!torn || (on_queue() && !signal_pending(me))) {
            emit(EventKind::run_state, me, pipe, static_cast<std::uint32_t>(RunState::sleep), wait_for);
            co_await Pause{};
        }
        queued = on_queue(); // a signal leaves it there
        emit(EventKind::run_state, me, pipe, static_cast<std::uint32_t>(RunState::running));
    }
    if (queued && on_queue()) emit(EventKind::wq_remove, me, pipe, queue);
    co_return ret;
}

// Wakes every non-exclusive waiter up to and including the first exclusive one; everybody with `all`. An epoll item is
// told if it waits for one of the bits, and stays; so does a poll.
void Kernel::wake_up(TaskId me, PipeId pipe, WaitQueue q, bool sync, bool all, std::uint32_t key) {
    const auto queue = static_cast<std::uint32_t>(queue_of(q));
    if (pipe_at(pipe).wait[queue].empty()) return;
    const std::vector<WaitEntry> waiters = pipe_at(pipe).wait[queue]; // a copy: waking takes entries off
    for (const WaitEntry& w : waiters) {
        if (w.epoll != no_id) {
            const Epoll& item = s.epolls[w.epoll];
            if (!item.ready && (key == 0 || (key & (item.events | POLLERR | POLLHUP)))) emit(EventKind::epoll_ready, me, pipe, w.epoll, 1);
            continue;
        }
        const bool polls = s.tasks[w.task].sys == Sys::poll; // it waits for every bit its end can have
        emit(EventKind::wake, me, pipe, queue, w.task, (sync ? 1u : 0u) | (polls ? 2u : 0u));
        woken.push_back(w.task);
        if (w.exclusive && !all) return;
    }
}

} // namespace pipescope

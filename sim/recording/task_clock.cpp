// SPDX-License-Identifier: MIT
// A task's time, spent at the place where it was since the last event that moved it.
#include "sim/recording/task_clock.hpp"
#include <algorithm>

namespace pipescope {

// A task asleep for another reason than the ring (a page fault, say) is in its call; so is one that waits for a CPU there.
Where TaskClock::where(const Task& t) const {
    if (t.run == RunState::exited) return Where::gone;
    if (t.run == RunState::lock_spin || t.run == RunState::lock_sleep || waits_for_lock_) return Where::lock_wait;
    if (t.run == RunState::sleep && t.wait_for == WaitFor::space) return Where::sleep_space;
    if (t.run == RunState::sleep && t.wait_for == WaitFor::data) return Where::sleep_data;
    return t.sys == Sys::none ? Where::outside : Where::in_call;
}

void TaskClock::spend(std::uint64_t now_ns) {
    const std::uint64_t dt = now_ns > since_ ? now_ns - since_ : 0;
    since_ = now_ns;
    if (!called_ || place_ == Where::gone) return;
    if (place_ == Where::outside) {
        after_ += dt;
        if (is_runnable_) after_runnable_ += dt;
        return;
    }
    all_[static_cast<std::size_t>(place_)] += dt;
    if (pipe_ < by_pipe_.size()) by_pipe_[pipe_][static_cast<std::size_t>(place_)] += dt;
    if (!is_runnable_ || place_ != Where::in_call) return;
    runnable_ += dt;
    if (pipe_ < by_pipe_.size()) runnable_by_pipe_[pipe_] += dt;
}

void TaskClock::settle(const Task& t, const Event& e) {
    spend(e.t_ns);
    switch (e.kind) {
    case EventKind::sys_enter:
        if (!called_) first_ns_ = e.t_ns;
        called_ = true;
        waits_for_lock_ = false;
        all_[static_cast<std::size_t>(Where::outside)] += after_;
        runnable_ += after_runnable_;
        after_ = after_runnable_ = 0;
        pipe_ = e.pipe;
        if (pipe_ != no_id && pipe_ >= by_pipe_.size()) by_pipe_.resize(pipe_ + 1), runnable_by_pipe_.resize(pipe_ + 1);
        break;
    case EventKind::sys_exit: last_ns_ = e.t_ns, waits_for_lock_ = false; break;
    case EventKind::mutex_wait: waits_for_lock_ = true; break;
    case EventKind::mutex_leave:
    case EventKind::mutex_lock:
    case EventKind::task_exit: waits_for_lock_ = false; break;
    default: break;
    }
    place_ = where(t);
    is_runnable_ = t.run == RunState::runnable;
}

void TaskClock::finish(std::uint64_t now_ns) {
    spend(now_ns);
    if (place_ != Where::outside && place_ != Where::gone) last_ns_ = std::max(last_ns_, now_ns);
    place_ = Where::outside;
}

} // namespace pipescope

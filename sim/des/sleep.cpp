// SPDX-License-Identifier: MIT
// Going to sleep and being woken: what a wake-up finds a task at, and what that costs both of them.
#include "sim/des/engine.hpp"
#include <algorithm>

namespace pipescope {

// A sleeping task's condition, tested without the mutex.
bool Engine::may_go_on(TaskId t) const {
    const Runner& r = runners_[t];
    if (r.woken) return true;
    if (r.pipe == no_id) return false; // in a socket: who wakes it says so
    if (r.wait_for == WaitFor::nothing) return kernel_.s.pipes[r.pipe].mutex.owner == no_id || kernel_.s.pipes[r.pipe].mutex.owner == t;
    const Pipe& p = kernel_.s.pipes[r.pipe];
    return r.wait_for == WaitFor::data ? !p.empty() || p.writers == 0 : !p.full() || p.readers == 0;
}

// The thread has paused: for another task's sake, or to wait.
void Engine::blocked(TaskId t) {
    Runner& r = runners_[t];
    switch (kernel_.s.tasks[t].run) {
    case RunState::lock_spin:
        r.phase = Phase::spinning;
        r.spun = true;
        r.since = r.when;
        r.when = never;
        return;
    case RunState::lock_sleep:
        r.spun = true;
        r.phase = Phase::testing;
        return;
    case RunState::sleep:
        r.on_queue = true;
        charge(r, Cost::prepare_to_wait, Sym::prepare_to_wait);
        flush(r);
        r.phase = Phase::testing;
        return;
    default:
        if (options_.preempt && outlived_slice(r)) yield_cpu(t);
        return;
    }
}

// One of the wake-ups that were seen, of the rows before and after: the nearer row more often.
const std::array<double, 2>& Engine::draw_wake(double idle_ns) {
    const std::vector<WakeRow>& rows = profile_.wake;
    std::size_t i = 0;
    while (i < rows.size() && rows[i].idle_ns < idle_ns) ++i;
    if (i == rows.size()) --i;
    else if (i > 0 && random_.uniform() >= (idle_ns - rows[i - 1].idle_ns) / (rows[i].idle_ns - rows[i - 1].idle_ns)) --i;
    const auto& seen = rows[i].seen;
    return seen[static_cast<std::size_t>(random_.uniform() * static_cast<double>(seen.size()))];
}

// Something the current task did lets task t go on.
void Engine::woken(TaskId t) {
    Runner& w = runners_[t];
    if (first_wake_ && w.on_queue && w.phase != Phase::testing) {
        charge(*cur_, Cost::wake_queue, Sym::wake);
        first_wake_ = false;
    }
    const Ps at = cur_->when + cur_->spent;
    switch (w.phase) {
    case Phase::spinning: w.when = at + ps(profile_[Cost::mutex_grab] * w.factor); break;
    case Phase::testing: // still before the queue: who wakes finds nobody
        w.woken = true;
        break;
    case Phase::committing:
        w.woken = true;
        charge(*cur_, Cost::wake_cancelled, Sym::wake);
        break;
    case Phase::switching:
        w.woken = true;
        ++ledger_.counts.wake_ups_switching;
        charge(*cur_, Cost::wake_switching, Sym::wake);
        break;
    case Phase::asleep: {
        if (!profile_.wake.empty()) {
            const auto [cost, latency_ns] = draw_wake(static_cast<double>(at - w.since) / 1000);
            charge_ns(*cur_, node(*cur_), cost, Sym::wake);
            w.phase = Phase::waking;
            w.when = at + ps(latency_ns);
            break;
        }
        charge(*cur_, Cost::wake_idle, Sym::wake);
        const bool deep = at - w.since > ps(profile_[Cost::idle_long]);
        w.phase = Phase::waking;
        w.when = at + latency(profile_[deep ? Cost::latency_long : Cost::latency_short]);
        break;
    }
    default: break;
    }
    horizon_ = std::min(horizon_, w.when);
}

} // namespace pipescope

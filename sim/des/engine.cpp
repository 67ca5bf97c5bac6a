// SPDX-License-Identifier: MIT
// Whose turn it is: least time first, sleeping and waking, spinning on the mutex, CPUs and their queues.
#include "sim/des/engine.hpp"
#include <algorithm>

namespace pipescope {

Engine::Engine(EventSink& into, const Profile& profile, const KernelVersion& version, const EngineOptions& options)
    : profile_(profile), options_(options), random_(options.seed), sink_(*this, into), kernel_(sink_, version), cpus_(options.cpus) {}

Engine::~Engine() { kernel_.quiet = true; } // calls cut off in the middle leave their scopes

void Engine::add(TaskId task, const std::string& name, Program& program, double start_ns, bool pinned) {
    if (runners_.size() <= task) runners_.resize(task + std::size_t{1});
    Runner& r = runners_[task];
    r.program = &program;
    r.pinned = pinned;
    r.cpu = kernel_.s.tasks[task].cpu % options_.cpus;
    r.root = r.base = ledger_.child(0, ledger_.task_name(name));
    r.phase = Phase::waking;
    r.when = r.since = r.from = ps(start_ns);
}

Ps Engine::accounted_ps() const {
    Ps sum = 0;
    for (const Runner& r : runners_) {
        // What a task waits for is booked when it goes on: until then its clock stands where the wait began.
        const bool waits = r.phase == Phase::spinning || r.phase == Phase::asleep || r.phase == Phase::waking || r.phase == Phase::queued;
        if (r.phase != Phase::absent) sum += (waits ? r.since : r.phase == Phase::gone ? now_ : r.when) - r.from;
    }
    return sum;
}

void Engine::forget() {
    ledger_.clear();
    since_ = now_;
    idle_ = 0;
    for (Runner& r : runners_) {
        r.sleeps = 0;
        r.from = r.since = r.when == never ? now_ : r.when;
    }
}

bool Engine::run(TaskId task, Ps until) {
    while (task == no_id || runners_[task].phase != Phase::gone) {
        TaskId best = no_id;
        for (TaskId t = 0; t < runners_.size(); ++t)
            if (runners_[t].when != never && (best == no_id || runners_[t].when < runners_[best].when)) best = t;
        const Ps outside = outside_when(), first = best == no_id ? outside : std::min(outside, runners_[best].when);
        if (first == never) return false;
        if (first >= until) {
            now_ = until;
            return true;
        }
        now_ = first;
        if (outside == first) outside_->act();
        else step(best);
    }
    return true;
}

void Engine::set_horizon(TaskId t) {
    horizon_ = outside_when();
    for (TaskId o = 0; o < runners_.size(); ++o)
        if (o != t) horizon_ = std::min(horizon_, runners_[o].when);
}

void Engine::move_to(TaskId t, std::uint32_t cpu) {
    runners_[t].cpu = cpu;
    kernel_.now_ns = static_cast<std::uint64_t>(now_ / 1000);
    kernel_.emit(EventKind::task_cpu, t, no_id, cpu);
}

void Engine::take_cpu(TaskId t) {
    Runner& r = runners_[t];
    if (const TaskId on = cpus_[r.cpu].task; on != no_id && on != t) {
        std::uint32_t idle = 0;
        while (idle < cpus_.size() && cpus_[idle].task != no_id) ++idle;
        if (r.pinned || idle == cpus_.size()) {
            auto& queue = cpus_[r.cpu].queue;
            if (r.worker) queue.push_front(t);
            else queue.push_back(t);
            r.phase = Phase::queued;
            r.when = never;
            if (r.worker && runners_[on].phase == Phase::spinning && runners_[on].when == never) stop_spinning(on);
            return;
        }
        move_to(t, idle);
    }
    Cpu& cpu = cpus_[r.cpu];
    cpu.task = t;
    idle_ += r.when - r.since;
    r.since = r.slice = r.when;
    if (r.call || r.worker) charge(r, Cost::schedule_in, Sym::schedule);
    if (r.on_queue) {
        // Up to 6.14 a waiter joins the queue again before it tests what it waits for.
        if (!kernel_.version.test_before_requeue) charge(r, Cost::prepare_to_wait, Sym::prepare_to_wait);
        charge(r, Cost::finish_wait, Sym::finish_wait);
    }
    flush(r);
    r.phase = r.thread.done() ? Phase::user : Phase::inside;
}

void Engine::give_cpu(TaskId t) {
    Runner& r = runners_[t];
    cpus_[r.cpu].task = no_id;
    TaskId next = no_id;
    if (!cpus_[r.cpu].queue.empty()) {
        next = cpus_[r.cpu].queue.front();
        cpus_[r.cpu].queue.pop_front();
    }
    for (Cpu& other : cpus_) // idle: a task that may run here comes over
        for (auto at = other.queue.begin(); next == no_id && at != other.queue.end(); ++at)
            if (!runners_[*at].pinned) {
                next = *at;
                other.queue.erase(at);
                move_to(next, r.cpu);
                break;
            }
    if (next == no_id) return;
    runners_[next].phase = Phase::waking;
    runners_[next].when = r.when;
}

bool Engine::outlived_slice(const Runner& r) const {
    const auto& queue = cpus_[r.cpu].queue;
    if (queue.empty()) return false;
    return (!r.worker && runners_[queue.front()].worker) || r.when - r.slice >= ps(profile_[Cost::timeslice]);
}

void Engine::yield_cpu(TaskId t) { // others wait for it
    Runner& r = runners_[t];
    charge(r, Cost::schedule_out, Sym::schedule);
    flush(r);
    ++ledger_.counts.context_switches;
    give_cpu(t);
    cpus_[r.cpu].queue.push_back(t);
    r.phase = Phase::queued;
    r.since = r.when;
    r.when = never;
}

void Engine::step(TaskId t) {
    Runner& r = runners_[t];
    switch (r.phase) {
    case Phase::user:
        if (outlived_slice(r)) yield_cpu(t);
        else if (r.worker) work(t);
        else begin_call(t);
        return;
    case Phase::inside:
    case Phase::spinning: resume(t); return;
    case Phase::testing: // on the queue by now
        if (may_go_on(t)) {
            if (r.on_queue) charge(r, Cost::finish_wait, Sym::finish_wait);
            ++ledger_.counts.sleeps_cancelled;
            flush(r);
            r.phase = Phase::inside;
            return;
        }
        charge(r, Cost::schedule_commit, Sym::schedule);
        flush(r);
        r.phase = Phase::committing;
        return;
    case Phase::committing:
        if (r.woken) {
            if (r.on_queue) charge(r, Cost::prepare_to_wait, Sym::prepare_to_wait), charge(r, Cost::finish_wait, Sym::finish_wait);
            ++ledger_.counts.sleeps_cancelled;
            flush(r);
            r.phase = Phase::inside;
            return;
        }
        charge(r, Cost::schedule_out, Sym::schedule);
        flush(r);
        ++r.sleeps, ++ledger_.counts.sleeps, ++ledger_.counts.context_switches;
        if (!r.on_queue && r.pipe != no_id) ++ledger_.lock(r.pipe, t).sleeps;
        for (TaskId o = 0; o < runners_.size(); ++o) // who spins on a mutex of a task that leaves its CPU goes to sleep too
            if (runners_[o].phase == Phase::spinning && runners_[o].when == never && kernel_.s.pipes[runners_[o].pipe].mutex.owner == t)
                stop_spinning(o);
        r.phase = Phase::switching;
        return;
    case Phase::switching:
        give_cpu(t);
        r.since = r.when;
        if (r.woken) {
            r.phase = Phase::waking;
            r.when += latency(profile_[Cost::latency_switching] + profile_[Cost::latency_short]);
        } else {
            r.phase = Phase::asleep;
            r.when = never;
        }
        return;
    case Phase::waking: take_cpu(t); return;
    default: return;
    }
}

void Engine::begin_call(TaskId t) {
    Runner& r = runners_[t];
    r.call = r.program->next(r.call ? r.co.result() : 0);
    if (!r.call) {
        r.phase = Phase::gone;
        give_cpu(t);
        r.when = never;
        return;
    }
    r.factor = std::max(0.3, 1 + profile_[Cost::jitter_call] * random_.normal());
    r.thread = Thread{};
    r.co = kernel_.syscall(t, *r.call);
    r.co.start(r.thread);
    resume(t);
}

void Engine::resume(TaskId t) {
    Runner& r = runners_[t];
    cur_ = &r, cur_task_ = t;
    set_horizon(t);
    kernel_.now_ns = static_cast<std::uint64_t>(r.when / 1000);
    if (r.phase == Phase::spinning) { // the time of spinning is on the clock already
        ledger_.add(node(r), r.when - r.since);
        ledger_.counts.lock_wait_ps += r.when - r.since;
        ledger_.lock(r.pipe, t).spun_ps += r.when - r.since;
    }
    r.phase = Phase::inside;
    r.woken = r.on_queue = false;
    r.thread.run();
    kernel_.woken.clear();
    flush(r);
    if (!r.thread.done()) blocked(t);
    else if (!polls(t)) r.phase = Phase::user;
    cur_ = nullptr;
}

} // namespace pipescope

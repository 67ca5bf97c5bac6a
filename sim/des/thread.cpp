// SPDX-License-Identifier: MIT
// What a network adds to the engine: threads of the kernel, what happens beside the CPUs, waiting in poll(); and who waits for which mutex.
#include "sim/des/engine.hpp"
#include <cmath>

namespace pipescope {

void Engine::charge_net(Runner& r, Ledger::NodeId at, Net n, Sym leaf, double times) {
    if (options_.net) charge_ns(r, at, (*options_.net)[n] * times, leaf);
}

void Engine::add_thread(TaskId task, const std::string& name, KernelThread& thread) {
    if (runners_.size() <= task) runners_.resize(task + std::size_t{1});
    Runner& r = runners_[task];
    r.worker = &thread;
    r.cpu = kernel_.s.tasks[task].cpu % options_.cpus;
    r.root = r.base = ledger_.child(0, ledger_.task_name(name));
    r.phase = Phase::asleep;
}

Ps Engine::outside_when() const {
    const double ns = outside_ ? outside_->next_ns() : std::numeric_limits<double>::infinity();
    return std::isinf(ns) ? never : ps(ns);
}

void Engine::interrupt(TaskId thread) {
    Runner& r = runners_[thread];
    if (r.phase == Phase::asleep) {
        const bool deep = now_ - r.since > ps(profile_[Cost::idle_long]) && cpus_[r.cpu].task == no_id;
        r.phase = Phase::waking;
        r.when = now_ + latency(profile_[deep ? Cost::latency_long : Cost::latency_short]);
    } else if (r.phase == Phase::switching) {
        r.woken = true;
    }
}

void Engine::work(TaskId t) {
    Runner& r = runners_[t];
    cur_ = &r, cur_task_ = t;
    set_horizon(t);
    kernel_.now_ns = static_cast<std::uint64_t>(r.when / 1000);
    r.woken = false;
    const bool more = r.worker->work();
    kernel_.woken.clear();
    if (!more) {
        charge(r, Cost::schedule_commit, Sym::schedule);
        charge(r, Cost::schedule_out, Sym::schedule);
        ++r.sleeps, ++ledger_.counts.sleeps, ++ledger_.counts.context_switches;
        r.phase = Phase::switching;
    }
    flush(r);
    cur_ = nullptr;
}

// A forwarder asks for POLLIN alone. The model's poll() has no mask, and a socket with room would answer at once: so the
// engine lets the task sleep until there is something to read.
bool Engine::polls(TaskId t) {
    Runner& r = runners_[t];
    r.polled = no_id;
    if (r.call->nr != Sys::poll || !(r.call->flags & ps_poll_wait)) return false;
    const File* f = kernel_.file(t, r.call->fd);
    if (!f || f->kind != FileKind::socket) return false;
    const Socket& k = kernel_.s.sockets[f->sock];
    if (!k.queue.empty() || k.shutdown & RCV_SHUTDOWN) return false;
    r.polled = f->sock;
    r.pipe = no_id;
    r.on_queue = true;
    charge(r, Cost::prepare_to_wait, Sym::prepare_to_wait);
    flush(r);
    r.phase = Phase::testing;
    return true;
}

void Engine::wake_pollers(SockId sock) {
    first_wake_ = true;
    for (TaskId t = 0; t < runners_.size(); ++t)
        if (runners_[t].polled == sock) ++ledger_.counts.wake_ups, woken(t);
}

void Engine::stop_spinning(TaskId t) { // it will sleep until it is its turn
    Runner& r = runners_[t];
    ledger_.add(node(r), now_ - r.since);
    ledger_.counts.lock_wait_ps += now_ - r.since;
    ledger_.lock(r.pipe, t).spun_ps += now_ - r.since;
    r.phase = Phase::testing;
    r.when = now_;
}

// The mutex of a pipe is taken, released, waited for, or no longer waited for, by e.task.
void Engine::on_lock(const Event& e) {
    const Ps now = cur_->when + cur_->spent;
    LockUse& use = ledger_.lock(e.pipe, e.task);
    if (e.pipe >= held_since_.size()) held_since_.resize(e.pipe + std::size_t{1}, 0);
    switch (e.kind) {
    case EventKind::mutex_lock:
        ++use.taken;
        held_since_[e.pipe] = now;
        break;
    case EventKind::mutex_unlock: use.held_ps += now - std::max(since_, held_since_[e.pipe]); break;
    case EventKind::mutex_wait:
        ++use.waits;
        runners_[e.task].lock_since = now;
        break;
    default: use.waited_ps += now - std::max(since_, runners_[e.task].lock_since); break;
    }
}

} // namespace pipescope

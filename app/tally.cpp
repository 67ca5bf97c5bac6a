// SPDX-License-Identifier: MIT
// Turns events into steps of the figures, and sums steps.
#include "app/tally.hpp"
#include <algorithm>
#include <cerrno>

namespace pipescope {
namespace {

constexpr std::size_t spacing = 1024; // steps between two kept sums
constexpr std::uint32_t most_ids = 1u << 20;

bool reads(Sys s) { return s == Sys::read || s == Sys::readv; }
bool writes(Sys s) { return s == Sys::write || s == Sys::writev || s == Sys::vmsplice; }

} // namespace

const char* count_name(Count c) {
    static constexpr const char* names[] = {"bytes into the ring", "bytes out of it", "copied on the way in", "copied on the way out",
        "copied elsewhere", "pages allocated", "pages freed", "page tables among them", "references taken", "references dropped",
        "page-table walks", "by the slow path", "page faults", "locks taken", "lock waits", "spinning", "time waited for locks", "sleeps: full",
        "sleeps: empty", "time asleep", "wake-ups", "switches away", "system calls", "EAGAINs"};
    static_assert(std::size(names) == static_cast<std::size_t>(Count::count));
    return names[static_cast<std::size_t>(c)];
}

void Tallies::fold(Sums& s, const Step& step) {
    const auto i = static_cast<std::size_t>(step.what);
    s.done.of[i] += step.by;
    if (step.open) s.open[i] += step.open == 1 ? 1 : -1;
}

void Tallies::add(Count c, PipeId pipe, std::int64_t by, std::uint8_t open) {
    if (by == 0 && open == 0) return;
    if (steps_.size() % spacing == 0) kept_.push_back(now_);
    const Step step{seen_ + 1, pipe, c, open, by}; // an event shows at the position behind it
    steps_.push_back(step);
    fold(now_[0], step);
    if (pipe < pipes_.size()) {
        if (now_.size() < pipes_.size() + 1) now_.resize(pipes_.size() + 1);
        fold(now_[pipe + std::size_t{1}], step);
    }
}

Tally Tallies::at(std::size_t n, std::uint64_t t_ns, PipeId pipe) const {
    const auto end = static_cast<std::size_t>(
        std::upper_bound(steps_.begin(), steps_.end(), n, [](std::uint64_t v, const Step& s) { return v < s.n; }) - steps_.begin());
    const std::size_t which = pipe == no_id ? 0 : pipe + std::size_t{1};
    Sums sum;
    const std::size_t k = end / spacing;
    const std::vector<Sums>& kept = k < kept_.size() ? kept_[k] : now_; // behind the last step, at a round number of them
    if (which < kept.size()) sum = kept[which];
    for (std::size_t i = k * spacing; i < end; ++i)
        if (pipe == no_id || steps_[i].pipe == pipe) fold(sum, steps_[i]);
    for (std::size_t i = 0; i < sum.open.size(); ++i) sum.done.of[i] += sum.open[i] * static_cast<std::int64_t>(t_ns);
    return sum.done;
}

void Tallies::update(const Timeline& t) {
    for (; seen_ < t.size(); ++seen_) take(t[seen_]);
}

void Tallies::take(const Event& e) {
    if (e.kind == EventKind::task_new && e.task < most_ids && e.task >= tasks_.size()) tasks_.resize(e.task + std::size_t{1});
    if (e.kind == EventKind::pipe_new && e.pipe < most_ids && e.pipe >= pipes_.size()) pipes_.resize(e.pipe + std::size_t{1});
    if (e.kind == EventKind::pipe_new && e.pipe < pipes_.size()) pipes_[e.pipe].len.assign(std::min(e.a, most_ids), 0);
    if (e.task < tasks_.size()) take_task(e, tasks_[e.task]);
    if (e.pipe < pipes_.size()) take_ring(e, pipes_[e.pipe]);
}

void Tallies::wait(TaskNow& t, bool on, std::uint64_t now, PipeId pipe) {
    if (t.waits == on) return;
    t.waits = on;
    if (on) t.wait_pipe = pipe;
    add(Count::lock_ns, t.wait_pipe, on ? -static_cast<std::int64_t>(now) : static_cast<std::int64_t>(now), on ? 1 : 2);
}

void Tallies::sleep(TaskNow& t, bool on, std::uint64_t now, PipeId pipe) {
    if (t.sleeps == on) return;
    t.sleeps = on;
    if (on) t.sleep_pipe = pipe;
    add(Count::sleep_ns, t.sleep_pipe, on ? -static_cast<std::int64_t>(now) : static_cast<std::int64_t>(now), on ? 1 : 2);
}

void Tallies::take_task(const Event& e, TaskNow& t) {
    const PipeId here = e.pipe != no_id ? e.pipe : t.pipe;
    switch (e.kind) {
    case EventKind::sys_enter:
        t.pipe = e.pipe, t.sys = static_cast<Sys>(e.a), t.stage = Stage::none;
        add(Count::calls, here);
        break;
    case EventKind::sys_exit: {
        const auto result = static_cast<std::int64_t>(e.x);
        const bool live = here < pipes_.size() && pipes_[here].read_live;
        if (result > 0 && (reads(t.sys) || (live && t.sys == Sys::splice))) add(Count::bytes_out, here, result);
        if (result > 0 && live && writes(t.sys)) add(Count::bytes_in, here, result);
        if (result == -EAGAIN) add(Count::eagains, here);
        wait(t, false, e.t_ns, here), sleep(t, false, e.t_ns, here);
        t.sys = Sys::none, t.stage = Stage::none, t.pipe = no_id;
        break;
    }
    case EventKind::task_exit: wait(t, false, e.t_ns, here), sleep(t, false, e.t_ns, here); break;
    case EventKind::stage:
        if (e.pipe != no_id) t.pipe = e.pipe;
        t.stage = e.stage;
        if (e.stage == Stage::g_walk) add(Count::walks, here);
        if (e.stage == Stage::g_slow) add(Count::slow_walks, here);
        if (e.stage == Stage::g_fault) add(Count::faults, here);
        break;
    case EventKind::copy: {
        const bool in = t.stage == Stage::w_copy || t.stage == Stage::w_merge_copy, out = t.stage == Stage::r_copy;
        copies_known_ = true;
        add(in ? Count::copied_in : out ? Count::copied_out : Count::copied_else, here, e.c & ~copy_tlb_hit);
        break;
    }
    case EventKind::page_alloc:
        copies_known_ = true;
        if (t.sys == Sys::none) break; // a program's own memory, before it is used
        add(Count::pages_allocated, here);
        if (static_cast<PageOwner>(e.c) == PageOwner::table) tables_.insert(e.a), add(Count::tables, here);
        break;
    case EventKind::page_free:
        if (!tables_.erase(e.a)) add(Count::pages_freed, here);
        break;
    case EventKind::page_ref:
        if (static_cast<std::int32_t>(e.b) > 0) add(Count::refs_taken, here, e.b);
        else add(Count::refs_dropped, here, -std::int64_t{static_cast<std::int32_t>(e.b)});
        break;
    case EventKind::mutex_wait:
        add(Count::lock_waits, here);
        if (e.a == 1) add(Count::lock_spins, here);
        wait(t, true, e.t_ns, here);
        break;
    case EventKind::mutex_lock: add(Count::locks, here), wait(t, false, e.t_ns, here); break;
    case EventKind::mutex_leave: wait(t, false, e.t_ns, here); break;
    case EventKind::wake:
        add(Count::wakes, here);
        if (e.b < tasks_.size()) sleep(tasks_[e.b], false, e.t_ns, here);
        break;
    case EventKind::sock_wake:
        add(Count::wakes, here);
        if (e.b < tasks_.size()) sleep(tasks_[e.b], false, e.t_ns, here);
        break;
    case EventKind::run_state: {
        const auto run = static_cast<RunState>(e.a);
        const bool asleep = run == RunState::sleep;
        if (asleep) add(static_cast<WaitFor>(e.b) == WaitFor::space ? Count::sleeps_space : Count::sleeps_data, here);
        if (asleep || run == RunState::lock_sleep) add(Count::switches, here);
        sleep(t, asleep, e.t_ns, here);
        break;
    }
    default: break;
    }
}

// Bytes come into a slot, or leave it. What a read takes is known by its result: the rest of a packet is not read.
void Tallies::moved(const Event& e, std::uint32_t before, std::uint32_t after) {
    const Sys sys = e.task < tasks_.size() ? tasks_[e.task].sys : Sys::none;
    if (after > before) add(Count::bytes_in, e.pipe, after - before);
    if (after < before && sys != Sys::none && !reads(sys) && sys != Sys::close && sys != Sys::exit) add(Count::bytes_out, e.pipe, before - after);
}

void Tallies::take_ring(const Event& e, PipeNow& p) {
    const auto slot = [&]() -> std::uint32_t* { return e.a < p.len.size() ? &p.len[e.a] : nullptr; };
    switch (e.kind) {
    case EventKind::ring_begin: p.read_live = true; break;
    case EventKind::ring_source: p.read_live = static_cast<RingSource>(e.a) != RingSource::model; break;
    case EventKind::head_set: p.head = e.a; break;
    case EventKind::tail_set: p.tail = e.a; break;
    case EventKind::buf_set:
        if (std::uint32_t* len = slot(); len && !p.read_live) moved(e, *len, static_cast<std::uint32_t>(e.x)), *len = static_cast<std::uint32_t>(e.x);
        break;
    case EventKind::buf_move:
        if (std::uint32_t* len = slot(); len && !p.read_live) moved(e, *len, e.c), *len = e.c;
        break;
    case EventKind::buf_clear:
        if (std::uint32_t* len = slot(); len && !p.read_live) moved(e, *len, 0), *len = 0;
        break;
    case EventKind::ring_resize: {
        if (p.len.empty() || e.a == 0 || e.a > most_ids) break;
        std::vector<std::uint32_t> next(e.a, 0);
        for (std::uint32_t i = 0; i < p.head - p.tail && i < next.size(); ++i) next[i] = p.len[(p.tail + i) & (p.len.size() - 1)];
        p.len = std::move(next), p.head -= p.tail, p.tail = 0;
        break;
    }
    default: break;
    }
}

} // namespace pipescope

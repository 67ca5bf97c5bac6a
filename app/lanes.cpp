// SPDX-License-Identifier: MIT
// Builds the lanes event by event, and answers for a column of the picture without visiting every span in it.
#include "app/lanes.hpp"
#include <algorithm>
#include <map>

namespace pipescope {
namespace {

constexpr std::size_t most_looks = 24; // spans looked at for one column

Lane::const_iterator first_after(const Lane& lane, std::uint64_t x) {
    return std::upper_bound(lane.begin(), lane.end(), x, [](std::uint64_t v, const LaneSpan& s) { return v < s.from; });
}

LaneKind kind_of(const Event& e, bool in_call, bool spins) {
    switch (static_cast<RunState>(e.a)) {
    case RunState::lock_spin:
    case RunState::lock_sleep: return LaneKind::lock_wait;
    case RunState::sleep: return static_cast<WaitFor>(e.b) == WaitFor::space ? LaneKind::sleep_full : LaneKind::sleep_empty;
    case RunState::exited: return LaneKind::none;
    case RunState::user: return LaneKind::user;
    case RunState::runnable: return spins ? LaneKind::lock_wait : LaneKind::woken; // a spinner has its CPU all the while
    case RunState::running:
    case RunState::parked: break;
    }
    return in_call ? LaneKind::in_call : LaneKind::user;
}

} // namespace

const char* lane_kind_name(LaneKind k) {
    static constexpr const char* names[] = {"", "in the call", "in user code", "waits for the lock", "sleeps: full", "sleeps: empty", "woken"};
    return names[static_cast<std::size_t>(k)];
}

void Lanes::put(std::vector<Lane> Axis::*which, std::uint32_t lane, const Event& e, std::uint64_t n, std::uint32_t value) {
    for (int by_event = 0; by_event < 2; ++by_event) {
        auto& lanes = axis_[static_cast<std::size_t>(by_event)].*which;
        if (lane >= lanes.size()) lanes.resize(lane + 1);
        Lane& l = lanes[lane];
        const std::uint64_t from = by_event ? n : e.t_ns;
        if (!l.empty() && l.back().value == value) continue;
        if (!l.empty() && l.back().from == from) l.back().value = value; // it took no time
        else l.push_back({from, value});
    }
}

void Lanes::update(const Timeline& t) {
    for (; seen_ < t.size(); ++seen_) {
        end_ns_ = std::max(end_ns_, t[seen_].t_ns);
        take(t[seen_], seen_ + 1); // an event shows at the position behind it
    }
}

void Lanes::take(const Event& e, std::uint64_t n) {
    if (e.task != no_id && e.task < (1u << 20)) take_task(e, n);
    if (e.pipe != no_id && e.pipe < (1u << 20)) take_pipe(e, n);
}

void Lanes::take_task(const Event& e, std::uint64_t n) {
    if (e.kind == EventKind::task_new && e.task == tasks_.size()) {
        tasks_.emplace_back();
        put(&Axis::tasks, e.task, e, n, static_cast<std::uint32_t>(LaneKind::user));
        return;
    }
    if (e.task >= tasks_.size()) return;
    TaskNow& now = tasks_[e.task];
    const auto run = static_cast<RunState>(e.a);
    const bool made_ready = e.kind == EventKind::run_state && run == RunState::runnable; // told of it, not by it
    if (now.wake < wakes_.size() && !made_ready) wakes_[now.wake].to_ns = e.t_ns, wakes_[now.wake].to_n = n, now.wake = ~std::size_t{0};
    const auto put_kind = [&](TaskId task, LaneKind k) { put(&Axis::tasks, task, e, n, static_cast<std::uint32_t>(k)); };
    switch (e.kind) {
    case EventKind::sys_enter: tasks_[e.task].in_call = true, put_kind(e.task, LaneKind::in_call); break;
    case EventKind::sys_exit: tasks_[e.task].in_call = false, put_kind(e.task, LaneKind::user); break;
    case EventKind::task_exit: put_kind(e.task, LaneKind::none); break;
    case EventKind::run_state:
        put_kind(e.task, kind_of(e, now.in_call, now.spins));
        if (made_ready && now.wake == ~std::size_t{0}) take_wake(e, n, e.task, true);
        if (run != RunState::runnable) now.spins = run == RunState::lock_spin;
        break;
    case EventKind::wake:
    case EventKind::sock_wake:
        if (e.b < tasks_.size()) put_kind(e.b, LaneKind::woken), take_wake(e, n, e.b, false);
        break;
    default: break;
    }
}

void Lanes::take_wake(const Event& e, std::uint64_t n, TaskId woken, bool lock) {
    const TaskId waker = !lock ? e.task : n - unlocked_at_ <= 2 ? unlocked_by_ : no_id; // a hand-over stands between at most
    if (waker == woken || waker >= tasks_.size()) return;
    tasks_[woken].wake = wakes_.size();
    wakes_.push_back({e.t_ns, 0, n, 0, waker, woken, e.pipe, static_cast<WaitQueue>(e.a & 1), lock});
}

void Lanes::take_pipe(const Event& e, std::uint64_t n) {
    if (e.kind == EventKind::pipe_new && e.pipe == pipes_.size()) {
        pipes_.push_back({0, 0, e.a});
        put(&Axis::slots, e.pipe, e, n, 0);
        put(&Axis::mutexes, e.pipe, e, n, no_id);
        return;
    }
    if (e.pipe >= pipes_.size()) return;
    PipeNow& p = pipes_[e.pipe];
    bool moved = true;
    switch (e.kind) {
    case EventKind::head_set: p.head = e.a; break;
    case EventKind::tail_set: p.tail = e.a; break;
    case EventKind::ring_resize: p.head -= p.tail, p.tail = 0, p.size = e.a; break;
    case EventKind::ring_begin: p.head = e.a, p.tail = e.b, p.size = e.c; break;
    case EventKind::mutex_lock: put(&Axis::mutexes, e.pipe, e, n, e.task), moved = false; break;
    case EventKind::mutex_unlock: unlocked_by_ = e.task, unlocked_at_ = n, put(&Axis::mutexes, e.pipe, e, n, no_id), moved = false; break;
    case EventKind::ring_end: put(&Axis::mutexes, e.pipe, e, n, e.c < tasks_.size() ? e.c : no_id), moved = false; break;
    default: moved = false; break;
    }
    if (moved) p.most = std::max(p.most, p.head - p.tail), put(&Axis::slots, e.pipe, e, n, p.head - p.tail);
}

std::uint32_t lane_at(const Lane& lane, std::uint64_t x) {
    const auto it = first_after(lane, x);
    return it == lane.begin() ? no_id : static_cast<std::uint32_t>(it - lane.begin() - 1);
}

std::size_t lane_count(const Lane& lane, std::uint64_t from, std::uint64_t to) {
    return static_cast<std::size_t>(first_after(lane, to ? to - 1 : 0) - first_after(lane, from ? from - 1 : 0));
}

std::uint32_t lane_most(const Lane& lane, std::uint64_t from, std::uint64_t to) {
    std::uint32_t i = lane_at(lane, from);
    if (i == no_id) {
        if (lane.empty() || lane[0].from >= to) return no_id;
        i = 0;
    }
    struct Share {
        std::uint32_t value;
        std::uint64_t part;
    };
    std::array<Share, most_looks> shares{};
    std::size_t n = 0, looks = 0;
    const std::size_t count = std::max<std::size_t>(lane_count(lane, from, to), 1);
    const std::size_t stride = count / most_looks + 1; // a crowded column is sampled evenly
    for (std::size_t k = i; k < lane.size() && (lane[k].from < to) && looks < most_looks; k += stride, ++looks) {
        const std::uint64_t a = std::max(lane[k].from, from);
        const std::uint64_t b = k + 1 < lane.size() ? std::min(lane[k + 1].from, to) : to;
        std::size_t s = 0;
        while (s < n && shares[s].value != lane[k].value) ++s;
        if (s == n) shares[n++] = {lane[k].value, 0};
        shares[s].part += b > a ? b - a : 0;
    }
    std::size_t best = 0;
    for (std::size_t s = 1; s < n; ++s)
        if (shares[s].part > shares[best].part) best = s;
    return n ? shares[best].value : no_id;
}

LaneRange lane_range(const Lane& lane, std::uint64_t from, std::uint64_t to) {
    std::uint32_t i = lane_at(lane, from);
    if (i == no_id) {
        if (lane.empty() || lane[0].from >= to) return {};
        i = 0;
    }
    LaneRange r{lane[i].value, lane[i].value};
    const std::size_t stride = lane_count(lane, from, to) / 256 + 1;
    for (std::size_t k = i; k < lane.size() && lane[k].from < to; k += stride) {
        r.least = std::min(r.least, lane[k].value);
        r.most = std::max(r.most, lane[k].value);
    }
    return r;
}

} // namespace pipescope

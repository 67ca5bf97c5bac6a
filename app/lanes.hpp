// SPDX-License-Identifier: MIT
// What the WHEN view draws, as data: per task what it did over time, who had each mutex, how full each ring was.
#pragma once
#include "sim/timeline.hpp"
#include <algorithm>
#include <array>
#include <vector>

namespace pipescope {

enum class LaneKind : std::uint8_t { none, in_call, user, lock_wait, sleep_full, sleep_empty, woken, count };
const char* lane_kind_name(LaneKind k);

// From a start to the start of the next one. The axis is time, or the event number where a run takes no time.
struct LaneSpan {
    std::uint64_t from = 0;
    std::uint32_t value = 0; // LaneKind, the owner's task, or slots in use
};
using Lane = std::vector<LaneSpan>;

// One task wakes another: from its wake-up until the other goes on.
struct WakeUp {
    std::uint64_t from_ns = 0, to_ns = 0, from_n = 0, to_n = 0; // to: 0 while it has not gone on
    TaskId waker = no_id, woken = no_id;
    PipeId pipe = no_id;
    WaitQueue queue = WaitQueue::rd;
    bool lock = false; // by the mutex and not from a wait queue
};

// Grows with the timeline: update() looks only at events that have come since.
class Lanes {
public:
    void update(const Timeline& t);
    const std::vector<Lane>& tasks(bool by_event) const { return axis_[by_event].tasks; }
    const std::vector<Lane>& mutexes(bool by_event) const { return axis_[by_event].mutexes; }
    const std::vector<Lane>& slots(bool by_event) const { return axis_[by_event].slots; }
    const std::vector<WakeUp>& wakes() const { return wakes_; } // by the waker's time
    // Slots of the ring as it is now, or the most that were ever in use when that is more.
    std::uint32_t ring_size(std::uint32_t pipe) const { return pipe < pipes_.size() ? std::max(pipes_[pipe].most, pipes_[pipe].size) : 1; }
    std::uint64_t end(bool by_event) const { return by_event ? seen_ : end_ns_; }

private:
    struct Axis {
        std::vector<Lane> tasks, mutexes, slots;
    };
    struct PipeNow {
        std::uint32_t head = 0, tail = 0, size = 1, most = 0;
    };
    struct TaskNow {
        bool in_call = false, spins = false;
        std::size_t wake = ~std::size_t{0}; // the wake-up that it has not followed yet
    };
    void take(const Event& e, std::uint64_t n);
    void take_task(const Event& e, std::uint64_t n);
    void take_pipe(const Event& e, std::uint64_t n);
    void put(std::vector<Lane> Axis::*which, std::uint32_t lane, const Event& e, std::uint64_t n, std::uint32_t value);
    void take_wake(const Event& e, std::uint64_t n, TaskId woken, bool lock);
    std::array<Axis, 2> axis_;
    std::vector<WakeUp> wakes_;
    std::vector<PipeNow> pipes_;
    std::vector<TaskNow> tasks_;
    TaskId unlocked_by_ = no_id; // who released a mutex last: a waiter that is woken next, is woken by it
    std::uint64_t unlocked_at_ = 0; // the event
    std::size_t seen_ = 0;
    std::uint64_t end_ns_ = 0;
};

// Index of the span in force at x, or no_id before the first.
std::uint32_t lane_at(const Lane& lane, std::uint64_t x);
// The value that fills most of [from, to); looks at no more than a fixed number of spans, however many there are.
std::uint32_t lane_most(const Lane& lane, std::uint64_t from, std::uint64_t to);
// Least and greatest value in [from, to).
struct LaneRange {
    std::uint32_t least = 0, most = 0;
};
LaneRange lane_range(const Lane& lane, std::uint64_t from, std::uint64_t to);
// Spans that begin in [from, to).
std::size_t lane_count(const Lane& lane, std::uint64_t from, std::uint64_t to);

} // namespace pipescope

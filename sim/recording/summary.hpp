// SPDX-License-Identifier: MIT
// A run in figures: what moved, through which slots, whose pages they held, and where each task's time went.
#pragma once
#include "core/state.hpp"
#include "sim/recording/task_clock.hpp"
#include "sim/trace.hpp"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pipescope {

// Slots by the owner of the page they held, each slot counted once for every time it was filled.
struct SlotCounts {
    std::uint64_t kernel = 0, user = 0, page_cache = 0, zero = 0, socket = 0;
    std::uint64_t unknown = 0;                                                // seen, but whose page it is was not to be learnt
    std::uint64_t unseen = 0;                                                 // filled and emptied again between two looks at the ring
    std::uint64_t by_frame = 0, by_slot_kind = 0, by_model = 0, inferred = 0; // how the owners of the first five are known
    std::uint64_t seen() const { return kernel + user + page_cache + zero + socket + unknown; }
};

struct PipeSummary {
    std::string name;
    std::uint64_t inode = 0;     // 0 where there is none
    std::uint32_t ring_size = 0; // slots, at the end
    RingSource source = RingSource::model;
    SlotCounts slots;
    std::string user_pages_of; // the task whose pages all user slots held; empty when there are several, or not known
    std::uint64_t snapshots = 0, torn = 0;
    std::uint64_t bytes = 0; // that left it
};

// ns, from the first call to the last. Nothing where the capture does not show it; what is missing is then part of in_call.
struct TaskTimes {
    std::optional<std::uint64_t> user; // outside its calls on pipes
    std::optional<std::uint64_t> in_call, lock_wait, sleep_space, sleep_data;
    std::optional<std::uint64_t> runnable; // of user and in_call: woken or preempted, waiting for a CPU
};

struct TaskSummary {
    std::string name;
    std::uint64_t pid = 0; // 0 in simulations
    std::uint64_t calls = 0, bytes = 0, sleeps = 0;
    TaskTimes times;
};

struct Summary {
    std::uint64_t events = 0, lost = 0, refused = 0; // refused: events that do not fit the state before them
    std::uint64_t calls_left_out = 0;                // calls of busy loops, counted by the recorder but not recorded
    std::optional<std::uint64_t> duration_ns;        // from the first event to the last
    std::optional<std::uint64_t> active_ns;          // from the first call to the last
    std::optional<std::uint64_t> bytes;              // that left the pipes, by the results of the calls that took them
    std::optional<double> gib_per_s;                 // bytes over active_ns, or over duration_ns where there is none
    std::vector<PipeSummary> pipes;
    std::vector<TaskSummary> tasks;
};

class SlotCounter;

// Takes the events one by one, so that a long recording need not be held in memory.
class Summarizer {
public:
    explicit Summarizer(const TraceMeta& meta);
    ~Summarizer();
    bool add(const Event& e); // false: refused, it does not fit what came before
    // So far. For others that look at the same events, so that one fold serves all.
    const State& state() const;
    const SlotCounter& ring(PipeId pipe) const;
    const TaskClock& clock(TaskId task) const;
    Summary finish(const StringTable& strings); // once, at the end

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

Summary summarize(const Trace& trace);

} // namespace pipescope

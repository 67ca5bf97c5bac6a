// SPDX-License-Identifier: MIT
// Turns the BPF recorder's records, in order of time, into events.
#pragma once
#include "sim/bpf/shared.h"
#include "sim/live/ring_reader.hpp"
#include "sim/live/world.hpp"

namespace pipescope {

Sys sys_of_number(std::uint32_t nr); // of an x86-64 system call number; none for one that is not recorded

class RecordConverter {
public:
    // `facts` and `users` are looked at whenever a page is met for the first time; they may grow meanwhile.
    RecordConverter(const LiveFacts& facts, const FrameUsers& users, const RecordedWorld& world, StringTable& strings, std::uint64_t start_ns);
    void add(const rec_head& record, std::vector<Event>& out);

    std::uint64_t snapshots() const { return snapshots_; }
    std::uint64_t torn() const { return torn_; }

private:
    struct Known { // a page met before, as it was last told of
        PageId id = no_page;
        PageOwner owner = PageOwner::free;
        std::int32_t refcount = 0;
        std::uint32_t order = 0, flags = 0;
    };
    struct TaskNow {
        RunState run = RunState::user;
        bool in_call = false, waits_for_lock = false, queued = false; // queued: in the wait queue of its side
    };

    Event& emit(std::vector<Event>& out, EventKind kind, TaskId task);
    TaskId task_of(std::uint32_t tid) const; // no_id for a stranger
    void enter(const rec_call& call, TaskId task, std::vector<Event>& out);
    void exit(const rec_call& call, TaskId task, std::vector<Event>& out);
    void ring(const bpf_ring& ring, TaskId task, std::vector<Event>& out);
    PageId page(const bpf_slot& slot, TaskId task, std::vector<Event>& out);
    void run(TaskId task, RunState state, WaitFor wait_for, std::vector<Event>& out);
    void off_cpu(TaskId task, std::uint32_t state, std::vector<Event>& out);
    void leave_waits(TaskId task, std::vector<Event>& out);
    WaitQueue queue_of(TaskId task) const { return world_.tasks[task].reads ? WaitQueue::rd : WaitQueue::wr; }
    PageOwner owner_of(std::uint64_t pfn, BufOps ops) const;

    const LiveFacts& facts_;
    const FrameUsers& users_;
    const RecordedWorld& world_;
    StringTable& strings_;
    std::uint64_t start_ns_, now_ns_ = 0;
    std::unordered_map<std::uint64_t, Known> pages_; // by address of the struct page
    PageId next_page_ = 2;
    std::array<TaskNow, 2> tasks_{};
    std::vector<Event> last_ring_; // what the state's ring is made of now
    std::uint64_t snapshots_ = 0, torn_ = 0;
};

} // namespace pipescope

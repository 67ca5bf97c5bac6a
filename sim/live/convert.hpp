// SPDX-License-Identifier: MIT
// Turns the BPF recorder's records, in order of time, into events.
#pragma once
#include "sim/bpf/shared.h"
#include "sim/live/record_queue.hpp"
#include "sim/live/ring_reader.hpp"
#include "sim/live/world.hpp"
#include <optional>

namespace pipescope {

Sys sys_of_number(std::uint32_t nr); // of an x86-64 system call number; none for one that is not recorded

class RecordConverter {
public:
    // `facts` and `users` are looked at whenever a page is met for the first time; they may grow meanwhile. What `world`
    // has was told of already.
    RecordConverter(const LiveFacts& facts, const FrameUsers& users, const RecordedWorld& world, StringTable& strings, std::uint64_t start_ns);
    // A thread that is recorded from the beginning. It becomes a task when it first moves something through a pipe.
    void know(std::uint32_t tid, std::uint32_t tgid, const std::string& name);
    void add(const rec_head& record, RecordPart part, std::vector<Event>& out);
    void add(const rec_head& record, std::vector<Event>& out) { add(record, RecordPart::own, out); }

    TaskId task_of(std::uint32_t tid) const;        // no_id for a stranger
    PipeId pipe_of(std::uint64_t address) const {   // no_id for one not met
        const auto p = pipes_.find(address);
        return p == pipes_.end() ? no_id : p->second.id;
    }
    std::uint64_t snapshots() const { return snapshots_; }
    std::uint64_t slots() const { return slots_; } // in them
    std::uint64_t torn() const { return torn_; }
    std::uint64_t bytes() const { return bytes_; } // taken out of pipes

private:
    struct KnownPage { // a page met before, as it was last told of
        PageId id = no_page;
        PageOwner owner = PageOwner::free;
        std::int32_t refcount = 0;
        std::uint32_t order = 0, flags = 0;
    };
    struct KnownPipe {
        PipeId id = no_id;
        std::uint64_t ino = 0;
    };
    struct OpenFd {
        PipeId pipe = no_id;
        FileId file = no_id;
    };
    struct Process { // what its threads share, until it becomes another program
        std::uint32_t id = no_id; // of its mm and of its fdtable
        std::unordered_map<std::uint32_t, OpenFd> fds;
    };
    struct Thread {
        std::string name;
        std::uint32_t tid = 0, tgid = 0;
        TaskId task = no_id; // none yet
        PipeId pipe = no_id; // of its call
        Sys sys = Sys::none;
        RunState run = RunState::user;
        bool reads = false; // it is the pipe's reading end that the call is on
        bool in_call = false, waits_for_lock = false, queued = false; // queued: in the wait queue of its side
    };

    Event& emit(std::vector<Event>& out, EventKind kind, const Thread* t, PipeId pipe);
    void note(const char* text, std::uint64_t x, std::uint64_t y, const Thread& t, std::vector<Event>& out);
    void task_record(const rec_task& record, Thread& t, std::vector<Event>& out);
    void call_record(const rec_call& record, rec_kind kind, Thread& t, std::vector<Event>& out);
    void lock_begin(Thread& t, std::uint32_t flags, std::vector<Event>& out);
    void lock_end(Thread& t, std::vector<Event>& out);
    void wait_record(const rec_small& record, Thread& t, std::vector<Event>& out);
    void become_task(Thread& t, std::uint32_t cpu, std::vector<Event>& out);
    void end_task(Thread& t, std::vector<Event>& out);
    PipeId pipe_at(const rec_call& call, std::vector<Event>& out);
    void use_fd(const rec_call_info& call, PipeId pipe, Thread& t, std::vector<Event>& out);
    void close_fd(std::uint32_t fd, Thread& t, std::vector<Event>& out);
    void enter(const rec_call& call, Thread& t, std::vector<Event>& out);
    void exit(const rec_call& call, Thread& t, std::vector<Event>& out);
    void sample(const rec_call& call, Thread& t, std::vector<Event>& out);
    void run(Thread& t, RunState state, WaitFor wait_for, std::vector<Event>& out);
    void off_cpu(Thread& t, std::uint32_t state, std::uint32_t fill, std::vector<Event>& out);
    void leave_waits(Thread& t, std::vector<Event>& out);
    static WaitQueue queue_of(const Thread& t) { return t.reads ? WaitQueue::rd : WaitQueue::wr; }
    // convert_ring.cpp
    struct KnownSlot { // as it was last told
        std::uint32_t index = 0, offset = 0, len = 0, flags = 0;
        PageId page = no_page;
        BufOps ops = BufOps::null;
        bool known = false;
    };
    struct KnownRing {
        std::vector<KnownSlot> slots;   // by index, as many as the ring has
        std::uint32_t max_usage = 0, readers = 0, writers = 0;
        std::vector<Event> told;        // what the state's ring is made of now
        void amend(std::uint32_t index, const bpf_u32 (&extent)[2]); // of a slot that is known
    };
    struct RingMoment {
        std::uint32_t head, tail, owner_tid;
        bool torn;
    };
    void ring(const rec_ring& ring, PipeId pipe, const Thread& t, std::vector<Event>& out);
    void ring_at_enter(const rec_call_info& call, PipeId pipe, const Thread& t, std::vector<Event>& out);
    void tell_ring(const RingMoment& at, KnownRing& ring, PipeId pipe, const Thread& t, std::vector<Event>& out);
    void learn_slots(const rec_ring& ring, KnownRing& known, const Thread& t, std::vector<Event>& out);
    PageId page(const bpf_slot& slot, BufOps ops, const Thread& t, std::vector<Event>& out);
    PageOwner owner_of(std::uint64_t pfn, BufOps ops) const;

    const LiveFacts& facts_;
    const FrameUsers& users_;
    StringTable& strings_;
    RingSource source_;
    std::uint64_t start_ns_, now_ns_ = 0;
    std::unordered_map<std::uint32_t, Thread> threads_;    // by tid
    std::unordered_map<std::uint32_t, Process> processes_; // by tgid
    std::unordered_map<std::uint64_t, KnownPipe> pipes_;   // by address of the pipe_inode_info
    std::unordered_map<std::uint64_t, KnownPage> pages_;   // by address of the struct page
    std::vector<KnownRing> rings_;                         // by pipe
    PageId next_page_ = 2;
    TaskId next_task_ = 0;
    std::uint32_t next_process_ = 0;
    FileId next_file_ = 0;
    std::uint64_t snapshots_ = 0, slots_ = 0, torn_ = 0, bytes_ = 0;
};

} // namespace pipescope

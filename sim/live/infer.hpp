// SPDX-License-Identifier: MIT
// The ring that the results of calls imply, where it could not be read: one history that agrees with all of them.
#pragma once
#include "core/event.hpp"
#include "core/state.hpp"
#include "sim/live/pair.hpp"
#include <deque>
#include <functional>
#include <map>
#include <vector>

namespace pipescope {

struct InferredCall {
    TaskId task = no_id;
    std::uint32_t fd = 0;
    LoggedCall call;
    bool into = false; // a splice: into this pipe, not out of it
};

// A reader sleeps first and then reads; a writer has filled the ring before, and goes on behind.
struct SleepSpan {
    std::uint64_t from_ns = 0, to_ns = 0;
};
// Where the sleeps of a call are told, as one: when each of them was is not counted.
SleepSpan sleep_span(const InferredCall& c);

// Follows the calls in order of time. What a call moved is known when it returns, when it moved it is not: bytes stay
// with a call that is still inside the kernel until another call's result shows that they had moved.
class RingInference {
public:
    // `buffers[t]`: where task t's buffer begins, to number its pages.
    // `again_note`: the text of the note that tells of calls left out.
    // `next_page`: where pipes of one recording take their page ids from; none: this is the only one.
    RingInference(PipeId pipe, std::uint32_t slots, std::vector<std::uint64_t> buffers, StringId again, std::vector<Event>& out,
        PageId* next_page = nullptr);
    // What enter() and exit() do besides the events of the call itself. With a call whose result was not known at its entry
    // both come at its end.
    void begin(const InferredCall& c);
    void end(const InferredCall& c, std::uint64_t t_ns, bool at_once);
    void enter(const InferredCall& c, std::uint64_t t_ns);
    // `at_once`: nothing else happened until the caller looked at the pipe, so what it saw was so when the call returned.
    void exit(const InferredCall& c, std::uint64_t t_ns, bool at_once);
    void sleep(const InferredCall& c, std::uint64_t t_ns, bool begins); // in a call that waits for this pipe and nothing else
    // What the caller then saw of the pipe bounds what calls still inside had moved by that time.
    void observe(const InferredCall& c, std::uint64_t t_ns);

    std::uint64_t bytes() const { return bytes_; } // in the ring
    std::uint32_t occupancy() const { return head_ - tail_; }

private:
    struct Open { // a call, or what is left of it
        TaskId task = no_id;
        Sys sys = Sys::none;
        std::uint64_t addr = 0; // of the next byte
        std::uint64_t left = 0; // bytes it has yet to move, by its result
        std::uint32_t tail = 0; // write: asked for, modulo a page; the part that may be merged. 0 once tried
        bool inside = true;     // has not returned
    };

    Event& emit(EventKind kind, TaskId task);
    bool push(Open& w, std::uint64_t most); // one slot's worth at most; false when the ring is full
    bool merge(Open& w, std::uint64_t most);
    bool pop(Open& r, std::uint64_t most); // from one slot; false when the ring is empty
    std::uint64_t push_open(std::uint64_t n);
    std::uint64_t pop_open(std::uint64_t n);
    void settle(std::deque<Open>& side, TaskId task);
    PageId page_for(const Open& w, std::uint32_t slot);

    PipeId pipe_;
    std::vector<std::uint64_t> buffers_;
    StringId again_note_;
    std::vector<Event>& out_;
    std::uint64_t now_ = 0, bytes_ = 0;
    std::uint32_t head_ = 0, tail_ = 0;
    std::vector<PipeBuffer> bufs_;
    std::deque<Open> writers_, readers_;                       // in order of entry; a call that returned stays while the ring disagrees with it
    PageId own_next_page_ = zero_page + 1;
    PageId* next_page_;
    std::map<std::pair<TaskId, std::uint64_t>, PageId> pages_; // by task and page in its buffer; by slot for kernel pages
};

// All calls of all tasks, in order of time: sys_enter, what the ring did, observed, sys_exit. Times relative to start_ns.
// `flush` is offered the events so far after each call and may take them.
void infer_events(const std::vector<InferredCall>& calls, RingInference& ring, std::uint64_t start_ns, const std::function<void()>& flush);

} // namespace pipescope

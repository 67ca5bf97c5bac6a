// SPDX-License-Identifier: MIT
// What the slots of the rings tell: how full each was, how it was filled, and whether its page is used twice.
#pragma once
#include "sim/findings/figures.hpp"

namespace pipescope {

// Who is inside a call that fills a pipe; kept by the taker of figures.
struct Fillers {
    std::uint32_t writes = 0, vmsplices = 0;
};

class RingWatch {
public:
    explicit RingWatch(const Summarizer& summarizer) : summarizer_(summarizer) {}
    // Each after the event was applied.
    void pipe_event(std::uint64_t number, const Event& e, const Fillers& inside, PipeFigures& out);
    void page_user(const Event& e) { place_[e.a] = {e.b, e.x}; }
    // A task is about to hand over memory by vmsplice: whether the ring still holds a page of it. Only what the task itself
    // saw of the ring counts: another one's look may be later than its time, with pages of this very call.
    void handing_over(std::uint64_t number, const Event& enter);
    // A store, fill or copy into a page: the first slot of any ring that holds it and was filled by vmsplice.
    void stored(std::uint64_t number, const Event& e, std::vector<PipeFigures>& pipes) const;
    void finish(std::vector<PipeFigures>& pipes);

private:
    struct Newest { // a slot that may still grow
        std::uint32_t index = 0, bytes = 0;
        std::uint64_t number = 0;
        bool open = false;
    };
    struct Place {
        TaskId task = no_id;
        std::uint64_t addr = 0;
    };
    void filled(std::uint64_t number, const Pipe& p, std::uint32_t index, const Fillers& inside, PipeFigures& out, Newest& newest);
    void handed_over(PipeId pipe, PipeFigures& out, const Event& look);
    static void close(Newest& newest, PipeFigures& out);

    const Summarizer& summarizer_;
    struct Offer { // a vmsplice whose memory is still to be looked for
        std::uint64_t number = 0;
        Event enter;
    };
    std::vector<Newest> newest_; // by pipe
    std::map<TaskId, Offer> offers_;
    std::map<PageId, Place> place_; // recordings: whose memory a page is, and where
};

} // namespace pipescope

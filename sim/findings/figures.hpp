// SPDX-License-Identifier: MIT
// What findings are made of: counts by task and pipe, each with the first events that it was counted at.
#pragma once
#include "sim/recording/direction.hpp"
#include "sim/recording/summary.hpp"
#include "sim/recording/summary_slots.hpp"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace pipescope {

// How often something was seen, and where: event numbers as `step` and `shot --at` count them, from 1.
struct Evidence {
    static constexpr std::size_t kept = 8;
    std::uint64_t n = 0;
    std::vector<std::uint64_t> events; // the first ones
    void at(std::uint64_t event) {
        ++n;
        if (events.size() < kept && (events.empty() || events.back() != event)) events.push_back(event);
    }
};

struct EndFigures { // one task at one pipe
    TaskId task = no_id;
    PipeId pipe = no_id;
    std::uint64_t calls_in = 0, bytes_in = 0, calls_out = 0, bytes_out = 0; // calls that moved something
    std::uint64_t copied_in = 0, copied_out = 0; // of these bytes: by calls that copy every byte
    std::uint64_t calls = 0, most = 0;           // all its calls on the pipe; bytes that one of them moved at most
    std::uint64_t again_left_out = 0;            // calls that gave EAGAIN and were counted only
    std::uint64_t pages_made = 0;                // pages allocated inside its calls
    Evidence made;                               // calls of vmsplice that pages were allocated in
    Evidence moving, again, epipe, cut, sleeps_space, sleeps_data, lock_waits;
    std::uint64_t cut_asked = 0, cut_got = 0; // of the first write that was cut short
    bool cut_nonblock = false;
    std::uint64_t call_ns = 0, lock_ns = 0, space_ns = 0, data_ns = 0, runnable_ns = 0; // by finish()
    bool ended_by_epipe = false; // its last call on the pipe gave EPIPE
    bool signalled = false;      // … and SIGPIPE was seen to come
};

struct PipeFigures {
    std::vector<std::uint32_t> ends;               // into Figures::ends
    std::uint32_t first_size = 0;   // slots
    std::uint64_t first_ns = ~std::uint64_t{0}, last_ns = 0; // first call begins, last one is over
    struct Fills {
        Evidence seen;
        std::uint64_t bytes = 0;
    };
    Fills all, small;                              // small: less than half a page
    Fills packets, fragments, unmergeable;         // of the small ones: by O_DIRECT, by vmsplice, by tee or a split slot
    Evidence full;                                 // the ring was seen full
    std::uint64_t full_bytes = 0, full_slots = 0;  // in it, summed over these
    std::uint64_t wakes = 0, most_bytes = 0;       // most_bytes: seen in the ring at a time
    Evidence zero;                                 // slots filled with the zero page by vmsplice
    Evidence vmsplice_copied;                      // calls whose bytes came into pages of the kernel
    Evidence twice;                                // a slot filled with bytes that another slot of this ring holds
    Evidence early;                                // vmsplice of memory of which the ring still holds a page
    Evidence stored;                               // a store into a page while a slot held it
    Evidence resized, resize_refused;              // F_SETPIPE_SZ
    Evidence mixed;                                // writes longer than PIPE_BUF while another task wrote
    std::uint64_t teed = 0;                        // calls of tee that took from it
};

struct Figures {
    std::vector<EndFigures> ends;
    std::vector<PipeFigures> pipes;
    bool sleeps_inferred = false; // by switches and CPU times, not seen
    bool sleeps_known = false, stores_seen = false; // by this capture
    bool gaps = false;                                                   // events were lost
    std::string kernel;
    std::vector<std::string> task_names; // by id, told apart by pid where two are alike
};

// Looks at each event after the summarizer took it.
class FigureTaker {
public:
    FigureTaker(const TraceMeta& meta, const Summarizer& summarizer);
    ~FigureTaker();
    void add(std::uint64_t number, const Event& e); // number: from 1; not for refused events
    Figures finish(const Summary& summary, const StringTable& strings); // after the summarizer's own

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace pipescope

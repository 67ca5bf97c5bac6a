// SPDX-License-Identifier: MIT
// A scenario call by call on this kernel, with the model's prediction beside each: the run, and where the two part.
#pragma once
#include "core/strings.hpp"
#include "core/version.hpp"
#include "sim/timeline.hpp"
#include "sim/trace.hpp"
#include <memory>
#include <string>
#include <vector>

namespace pipescope::lockstep {

struct Divergence {
    std::size_t event = 0;      // of the timeline: the model's end of the call, or where it fell asleep
    PipeId pipe = no_id;        // whose ring differs; no_id: the call's result does
    std::uint32_t slot = no_id; // the first that differs; no_id: head or tail, or no ring at all
    std::string text;           // "pipe 1, slot 3: kernel 3:k1@0+100 M, model 3:k1@0+90 M"
};
struct Reading { // of the kernel's rings, after a call
    std::size_t event = 0;
    std::vector<std::string> rings; // by PipeId, as ring() prints them; empty: not open, or not to be read
};
struct Comparison {
    std::string kernel;       // `uname -r`
    std::uint64_t calls = 0;  // whose results were compared
    bool rings = false;       // some ring was read
    std::string no_rings;     // why none can be
    std::string why;          // why the comparison ended before the scenario did; empty: it did not
    std::vector<Reading> readings; // in the order of events; those in which a ring or its difference from the model's changed
    std::vector<Divergence> divergences;
};

// One real call at a time: a task's program goes on to its next call, which is made, and everybody goes on until done or
// asleep; then the next task's. The timeline is the model's, and can be shown as any scenario's.
class Run {
public:
    // Plays at most so many events. Nothing with `error` for a file that cannot be read. `kernel` false: the model alone, in the same order.
    static std::unique_ptr<Run> play(const std::string& path, const KernelVersion& v, std::size_t events, std::string& error, bool kernel = true);
    ~Run();
    Timeline& timeline();
    const StringTable& strings() const;
    const TraceMeta& meta() const;
    const KernelVersion& version() const; // of the model
    const Comparison& comparison() const;
    const Reading* reading_at(std::size_t event) const;       // null: none was made there
    const Divergence* divergence_at(std::size_t event) const; // the first there; null: none
    const std::string& fault() const; // "file:line: message" that ended the scenario early
    bool refuted() const, skipped() const; // it was an expectation, or the scenario itself
    bool more() const;                // the limit of events ended it

private:
    Run();
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace pipescope::lockstep

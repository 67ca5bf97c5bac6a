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
    std::size_t until = ~std::size_t{0}; // … after how many events; what is later is the model alone
    std::vector<Reading> readings; // in the order of events; those in which a ring or its difference from the model's changed
    std::vector<Divergence> divergences;
};

struct Coming { // the next call, which nobody has made yet
    TaskId task = no_id;      // no_id: none, the scenario ends
    std::string name;         // the task's
    std::uint32_t line = 0;   // of the scenario
    std::string call, result; // "write(4, 100)"; the model's: "100", "EPIPE", "it sleeps"
};

// One real call at a time: a task's program goes on to its next call, which is made, and everybody goes on until done or
// asleep; then the next task's. The kernel's half is a process that makes no call before it is asked for. The timeline is
// the model's, and can be shown as any scenario's.
class Run {
public:
    // At the beginning, no call made. Nothing with `error` for a file that cannot be read. `kernel` false: the model alone, in the same
    // order. The kernel's process ends with the thread that calls this.
    static std::unique_ptr<Run> begin(const std::string& path, const KernelVersion& v, std::string& error, bool kernel = true);
    // Plays at once, until there are so many events.
    static std::unique_ptr<Run> play(const std::string& path, const KernelVersion& v, std::size_t events, std::string& error, bool kernel = true);
    ~Run();
    // Makes the next call, if more(). The kernel's is waited for at most so long, however often it is asked for: false, and waiting(), when
    // it is still on its way. One that takes a minute is given up, and its process with it: then the model goes on alone.
    bool next(int wait_ms = whole_wait);
    void finish(std::size_t events); // next() until there are so many events or it is over
    bool waiting() const;
    bool more() const;
    std::size_t steps() const;       // next()s that were made
    const Coming& coming();          // if more()
    int kernel_pid() const;          // of the kernel's half; 0: there is none, or no more
    static constexpr int whole_wait = 70'000; // more than any call may take

    Timeline& timeline();
    const StringTable& strings() const;
    const TraceMeta& meta() const;
    const KernelVersion& version() const; // of the model
    const Comparison& comparison() const;
    const Reading* reading_at(std::size_t event) const;       // null: none was made there
    const Divergence* divergence_at(std::size_t event) const; // the first there; null: none
    const std::string& fault() const; // "file:line: message" that ended the scenario early
    bool refuted() const, skipped() const; // it was an expectation, or the scenario itself

private:
    Run();
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace pipescope::lockstep

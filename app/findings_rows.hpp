// SPDX-License-Identifier: MIT
// What the findings panel shows, as data: a bar a task, a line a finding, and where the model and the kernel part.
#pragma once
#include "app/lanes.hpp"
#include "core/strings.hpp"
#include "sim/trace.hpp"
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pipescope {

struct TimeBar { // where one task's time went, in the colours of its lane
    std::string name, figures; // "writer (4711)", "120 calls, 4.0 MiB"
    std::vector<std::pair<LaneKind, std::uint64_t>> parts; // ns, none of them 0
    std::uint64_t total = 0;
    bool waits_known = false; // else what is called in a call is waiting too
};
struct FindingLine {
    std::string text;
    std::vector<std::uint64_t> events; // positions that show it, ascending; none where it is about the whole run
};
struct Parting { // of the model and the kernel
    std::size_t n = 0;          // the position after the event
    PipeId pipe = no_id;
    std::uint32_t slot = no_id; // the first that differs; no_id: a result does, or head or tail
    std::string text, kernel, model; // the last two: both rings, or empty
};

// The first of `events` after position n; behind the last one the first again. 0 where there are none.
std::size_t next_of(const std::vector<std::uint64_t>& events, std::size_t n);

class InsightFold;

// Looks at all events of a run, some at a time, so that a long recording does not hold up the window.
class RunFindings {
public:
    RunFindings();
    ~RunFindings();
    RunFindings(RunFindings&&) noexcept;
    RunFindings& operator=(RunFindings&&) noexcept;
    // Goes on by at most `most` events, anew when the run has grown since; true when everything below is of the whole run.
    bool update(const Timeline& t, const TraceMeta& meta, const StringTable& names, std::size_t most);
    bool done() const { return done_; }
    std::size_t looked_at() const; // events so far

    const std::vector<TimeBar>& bars() const { return bars_; }
    const std::vector<FindingLine>& lines() const { return lines_; }
    const std::vector<std::string>& beside() const { return beside_; } // how the model did; none in simulations
    const std::optional<Parting>& parting() const { return parting_; }

private:
    void finish(const StringTable& names);
    std::unique_ptr<InsightFold> fold_;
    std::vector<TimeBar> bars_;
    std::vector<FindingLine> lines_;
    std::vector<std::string> beside_;
    std::optional<Parting> parting_;
    std::size_t size_ = 0; // of the run that is looked at
    bool done_ = false;
};

} // namespace pipescope

// SPDX-License-Identifier: MIT
// A Lua scenario run on the model, event by event, and a litmus case checked on the model or on the live kernel.
#pragma once
#include "core/version.hpp"
#include "sim/schedule.hpp"
#include "sim/timeline.hpp"
#include "sim/trace.hpp"
#include <memory>
#include <string>
#include <vector>

namespace pipescope {

// A scenario on the model: its main chunk runs first, call by call; when it never called run(), the engine then schedules
// the tasks it made by their virtual time until all have ended or sleep for good.
class Scenario {
public:
    // Nothing with `error` ("file:line: message") for a file that cannot be read or does not compile.
    static std::unique_ptr<Scenario> load(const std::string& path, const KernelVersion& v, std::string& error);
    ~Scenario();
    void follow(Schedule schedule);    // before pump(): whose turns come first, or at a position
    std::size_t turns_taken() const;   // of the schedule
    std::vector<TaskId> can_go() const; // tasks that could take a turn now; none while the main chunk runs, or where it calls run()
    // Runs on until the timeline holds at least `events` events or the scenario is over; true while there is more to come.
    bool pump(std::size_t events);
    bool over() const;
    const std::string& error() const; // "file:line: message" when it was ended by one; what ran before stays
    bool refuted() const; // … by an expectation that does not hold
    bool skipped() const; // … by the scenario itself: it is not for here
    Timeline& timeline();
    const StringTable& strings() const;
    const TraceMeta& meta() const;
    const std::string& question() const;             // what the lecturer asks; empty when the file sets none
    const std::vector<std::string>& printed() const; // what print() was given, a line each

private:
    Scenario();
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

enum class CaseStatus { passed, failed, skipped };
struct CaseResult {
    std::string file;
    std::string on; // "model" or "kernel"
    std::string kernel; // the model's, where the case chose it itself; then the live kernel is another one
    CaseStatus status = CaseStatus::passed;
    int line = 0;        // of the first expectation that failed or was skipped, 0 none
    std::string message; // why; empty when passed
    int expectations = 0, skipped_expectations = 0;
    bool unreadable = false;          // a Lua error, not a failed expectation
    std::vector<std::string> results; // every call and its result in order, for comparing two runs
    std::vector<std::string> printed; // what print() was given, a line each
};
// A version that nobody asked for gives way to the one that a scenario's header names; for Scenario::load() too.
CaseResult check_on_model(const std::string& path, const KernelVersion& v);
CaseResult check_on_kernel(const std::string& path);

} // namespace pipescope

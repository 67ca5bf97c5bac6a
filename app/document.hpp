// SPDX-License-Identifier: MIT
// What is open: a scenario that runs on as far as somebody looks, or a recording read whole, behind one face.
#pragma once
#include "core/version.hpp"
#include "sim/schedule.hpp"
#include "sim/timeline.hpp"
#include "sim/trace.hpp"
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pipescope {

class Scenario;
namespace lockstep {
class Run;
}

class Document {
public:
    // Nothing with `error`, one line that names the file and the fault, for what cannot be read.
    static std::unique_ptr<Document> open(const std::string& path, const KernelVersion& v, std::string& error);
    static std::unique_ptr<Document> from_trace(Trace trace);
    // A scenario that is run call by call on this kernel too, as far as somebody steps; the timeline is the model's. A real call is waited
    // for at most `patience_ms`.
    static std::unique_ptr<Document> from_lockstep(std::unique_ptr<lockstep::Run> run, const std::string& path, const KernelVersion& asked, int patience_ms);
    const KernelVersion& asked() const { return asked_; } // as it was opened with; what a scenario's header wishes for is none
    lockstep::Run* in_step() const { return run_.get(); } // null: it is not
    ~Document();

    // Lets a scenario run until it has n events or is over. In step real calls are made for it: ask for none that nobody wants.
    void ensure(std::size_t n);
    bool more() const;    // a scenario that could still run on
    bool waiting() const; // in step: the kernel is still in the call that was asked for last
    bool recorded() const { return !scenario_ && !run_; }
    void follow(Schedule schedule);                        // a scenario, before ensure(): whose turns come first, or at a position
    const Schedule& schedule() const { return schedule_; } // that it follows
    std::size_t turns_taken() const;                       // of it
    std::vector<TaskId> can_go() const;                    // who could take a turn at the end of what has run
    bool refuted() const; // fault() is an expectation that does not hold; skipped(): it says that it is not for here
    bool skipped() const;
    const std::string& fault() const; // "file:line: message" of a scenario that was ended by an error
    std::size_t opening();            // where a window opens: before the first stage of pipe_write or of sosend, or at the start

    Timeline& timeline();
    const StringTable& strings() const;
    const TraceMeta& meta() const;
    const std::string& path() const { return path_; }
    KernelVersion version() const;                       // that the model ran, or the newest where that is not one the model knows
    std::string title() const;                           // or the command that was recorded, or the file's name
    const std::vector<std::string_view>& source_lines(); // of a scenario

private:
    Document();
    std::unique_ptr<Scenario> scenario_;
    std::unique_ptr<lockstep::Run> run_;
    std::string path_;
    KernelVersion asked_;
    int patience_ms_ = 0;
    Schedule schedule_;
    Trace trace_; // its events have moved into the timeline
    Timeline timeline_;
    std::string no_fault_;
    std::vector<std::string_view> lines_;
    bool lines_known_ = false;
};

// The scenario that opens when no file is named.
std::string document_first_tour();

} // namespace pipescope

// SPDX-License-Identifier: MIT
// A scenario's programs side by side on the model, once its main chunk has ended: each is resumed when its turn comes.
#pragma once
#include "sim/model_backend.hpp"
#include "sim/scenario/script.hpp"
#include "sim/trace.hpp"

namespace pipescope {

class FreeRun {
public:
    FreeRun(Script& script, ModelBackend& model) : script_(script), model_(model) {}
    // The program of t, which is in user code, goes on to its next call or its end. False: the script was stopped; see why().
    bool resume(TaskId t);
    // A whole turn of t: its program if that is where it is, then the kernel up to the next place where order matters.
    bool turn(TaskId t);
    const std::string& why() const { return why_; } // "file:line: message"

private:
    Script& script_;
    ModelBackend& model_;
    std::vector<Call> calls_; // by task: what it has asked for last
    std::vector<bool> asked_;
    std::string why_;
};

// What print() was given since the last time, into the timeline; `noted` counts.
void note_printed(const Script& script, ModelBackend& model, std::size_t& noted);
// What a scenario says of itself: its title, or its first comment, or the file's name.
TraceMeta meta_of(const Script& script, const std::string& kernel);

} // namespace pipescope

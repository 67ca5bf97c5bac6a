// SPDX-License-Identifier: MIT
// Records every pipe that a command and all it starts make use of, or a process that runs already.
#pragma once
#include "sim/live/event_stream.hpp"
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace pipescope {

struct CommandOptions {
    std::vector<std::string> argv; // the command; empty: `pid`
    pid_t pid = 0;
    CaptureChoice capture = CaptureChoice::automatic;
    Sampling sampling;
    std::function<bool()> interrupted;                   // asked now and then: true ends the recording; what is recorded goes on
    std::function<void(const RecordProgress&)> progress; // now and then
};

// False with `error`, one sentence, when there is no recording; then the command has not run. `status` is its exit status,
// 128 and more for a signal.
bool record_command(const CommandOptions& options, const RecordTarget& target, RecordSummary& summary, int& status, std::string& error);

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Records every pipe that a command and all it starts make use of, or a process that runs already.
#pragma once
#include "sim/live/event_stream.hpp"
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace pipescope {

struct CommandOptions : RecordWish { // interrupted, it is the recording that ends: what is recorded goes on
    std::vector<std::string> argv; // the command; empty: `pid`
    pid_t pid = 0;
    std::function<int()> job = nullptr; // of this program's own, in the command's place, named `job_text`
    std::string job_text = "";
};

// False with `error`, one sentence, when there is no recording; then the command has not run. `status` is its exit status,
// 128 and more for a signal.
bool record_command(const CommandOptions& options, const RecordTarget& target, RecordSummary& summary, int& status, std::string& error);

} // namespace pipescope

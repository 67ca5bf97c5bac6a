// SPDX-License-Identifier: MIT
// Every distinguishable interleaving of a scenario's tasks, and the set of what comes out.
#pragma once
#include "core/version.hpp"
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pipescope::explore {

struct Outcome {
    std::string result;            // one line
    double count = 0;              // schedules that end so; exact up to 2^53
    std::vector<std::uint32_t> schedule; // one of them: whose turn, by task
};
struct Report {
    std::uint64_t states = 0;      // distinguishable ones
    double schedules = 0;          // orders of turns, counted as paths through the states
    bool complete = false;         // false: cut at the limit
    bool endless = false;          // some order goes round for ever: not counted
    std::vector<Outcome> outcomes; // most frequent first
    std::string error;             // the file cannot be read or has no tasks of its own; "file:line: message"
};

// At most `limit` states. A scenario that calls run() has one order and is refused.
Report explore(const std::string& path, const KernelVersion& v, std::uint64_t limit, const std::function<void(std::uint64_t)>& progress = {});


} // namespace pipescope::explore

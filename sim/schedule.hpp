// SPDX-License-Identifier: MIT
// Whose turn it is, chosen by somebody: from the start of the tasks, or from a position of a run that went its own way up to there.
#pragma once
#include "core/types.hpp"
#include <cstddef>
#include <string>
#include <vector>

namespace pipescope {

struct Turn {
    TaskId task = no_id;
    std::size_t after = 0; // not before the run has so many events: up to there virtual time decides
};
using Schedule = std::vector<Turn>;

// "1 2 1" as explore prints them, and "@283 2" for a turn of task 2 after event 283; false for what is neither.
bool schedule_parse(const std::string& text, Schedule& out);
std::string schedule_text(const Schedule& s);
// Turns from the start on.
Schedule schedule_of(const std::vector<std::uint32_t>& tasks);

} // namespace pipescope

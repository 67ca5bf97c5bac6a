// SPDX-License-Identifier: MIT
// What a run shows about its pipes, in words: each finding names a cause, its figures and the events that show it.
#pragma once
#include "sim/findings/figures.hpp"

namespace pipescope {

struct Finding {
    std::string rule; // "reader_slower"
    std::string text; // one or two sentences
    std::vector<std::uint64_t> events; // as `step` and `shot --at` number them; empty when it is about the whole run
};

// All rules in their order: who holds up whom, then what it costs, then what is wrong or about to be.
std::vector<Finding> find(const Figures& f);

// A run at hand as a whole.
std::vector<Finding> find(const Trace& trace);

} // namespace pipescope

// SPDX-License-Identifier: MIT
// The ladder for the window: every rung run once in virtual time, with what was published beside it.
#pragma once
#include "app/costs.hpp"
#include "sim/des/ladder.hpp"
#include <optional>

namespace pipescope {

struct LadderBar {
    std::string name;
    double published = 0, simulated = 0; // GiB/s; published 0: it was not
    RungResult result;
    CostTree costs;
};
struct LadderRun {
    std::string profile, error; // one line when the profile cannot be read
    std::uint64_t bytes = 0;    // moved on each rung
    std::vector<LadderBar> bars;
    double most() const; // GiB/s, of all bars
};
// Runs all rungs with a profile of assets/profiles; 64 MiB each take well under a tenth of a second in all.
LadderRun ladder_run(const std::string& profile, std::uint64_t bytes);

struct LadderFigure { // what a GiB takes
    const char* name;
    double per_gib;
};
std::vector<LadderFigure> ladder_figures(const RungResult& r);

} // namespace pipescope

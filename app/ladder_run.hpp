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
    std::string profile; // its name
    std::uint64_t bytes = 0;    // moved on each rung
    std::vector<LadderBar> bars;
    double most() const; // GiB/s, of all bars
};
// Runs all rungs; 64 MiB each take well under a tenth of a second in all.
LadderRun ladder_run(const Profile& profile, std::uint64_t bytes);

struct ProfileFile {
    std::string name, path; // as the file says it; path empty: the one that is in the program
};
// What the ladder can be run with: the program's own first, then those of assets/profiles with the costs of a pipe, by name.
std::vector<ProfileFile> ladder_profiles();
// Of a path, or the program's own for an empty one; nothing with one line in `error`.
std::optional<Profile> ladder_profile(const std::string& path, std::string& error);

struct LadderFigure { // what a GiB takes
    const char* name;
    double per_gib;
};
std::vector<LadderFigure> ladder_figures(const RungResult& r);

} // namespace pipescope

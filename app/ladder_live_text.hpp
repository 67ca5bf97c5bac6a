// SPDX-License-Identifier: MIT
// What `ladder --live` prints: the live figures beside the published and the simulated ones.
#pragma once
#include "sim/live/ladder_live.hpp"
#include <nlohmann/json.hpp>

namespace pipescope {

struct LadderLine { // one rung; simulated with a profile
    const Rung* rung = nullptr;
    double simulated = 0, writer_sleeps = 0, reader_sleeps = 0;
    const LiveRow* live = nullptr;
    double error() const; // simulated beside the live median, as a part of that; 0 without one
};

// The keys live_gib_per_s (median), live_min, live_max, …: null where there was no run.
void add_live_json(nlohmann::ordered_json& row, const LadderLine& line);
std::string live_text(const std::vector<LadderLine>& lines, const std::string& profile);
std::string live_markdown(const std::vector<LadderLine>& lines, const std::string& profile);
// Runs the ladder; on a terminal it tells which rung it is at.
std::vector<LiveRow> run_live_rows(const std::vector<const Rung*>& rungs, std::uint64_t bytes, std::uint64_t runs, std::uint64_t offset);

} // namespace pipescope

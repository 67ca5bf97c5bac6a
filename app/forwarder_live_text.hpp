// SPDX-License-Identifier: MIT
// What `ladder --live --forwarder` prints: each forwarder here beside the published and the simulated one.
#pragma once
#include "sim/live/forwarder_live.hpp"
#include <nlohmann/json.hpp>

namespace pipescope {

struct ForwarderLine {
    const ForwarderRow* row = nullptr;
    double simulated = 0; // Gbit/s
    const LiveForwardRow* live = nullptr;
};

// Keys live_gbit_per_s (median), live_min, live_max, …: none where there was no run.
void add_forwarder_json(nlohmann::ordered_json& row, const LiveForwardRow& live);
std::string forwarder_text(const std::vector<ForwarderLine>& lines, const std::string& profile, std::uint32_t connections);
std::string forwarder_markdown(const std::vector<ForwarderLine>& lines, const std::string& profile);
// Runs them; on a terminal it tells which one it is at.
std::vector<LiveForwardRow> run_forwarder_rows(const std::vector<const ForwarderRow*>& rows, LiveForwardWish wish);

} // namespace pipescope

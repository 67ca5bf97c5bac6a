// SPDX-License-Identifier: MIT
// `ladder --forwarder`: the published table of forwarders beside the simulated one, and who waits for which mutex.
#pragma once
#include "sim/live/forwarder_live.hpp"
#include <string>

namespace pipescope {

struct ForwarderWish {
    std::string profile_path;
    std::uint64_t runs = 1, seed = 1;
    bool more = false, report = false, json = false;
    bool here = false, markdown = false; // on this machine, too
    LiveForwardWish live;
};
// Runs each row `runs` times, with seeds one after another, and prints; 0.
int ladder_forwarder(const ForwarderWish& wish);

} // namespace pipescope

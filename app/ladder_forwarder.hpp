// SPDX-License-Identifier: MIT
// `ladder --forwarder`: the published table of forwarders beside the simulated one, and who waits for which mutex.
#pragma once
#include <cstdint>
#include <string>

namespace pipescope {

// Runs each row `runs` times, with seeds one after another, and prints; 0.
int ladder_forwarder(const std::string& profile_path, std::uint64_t runs, std::uint64_t seed, bool more, bool report, bool json);

} // namespace pipescope

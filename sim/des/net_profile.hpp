// SPDX-License-Identifier: MIT
// A profile of a forwarder's machine: the network's numbers in its own file, all others from the profile it names as base.
#pragma once
#include "sim/des/profile.hpp"

namespace pipescope {

enum class Net : std::uint8_t {
#define NET(id, unit, what) id,
#include "sim/des/net.def"
#undef NET
    count
};
inline constexpr std::size_t net_count = static_cast<std::size_t>(Net::count);

struct NetProfile {
    Profile base; // with the name and the kernel of the forwarder's own file
    std::array<double, net_count> value{};

    double operator[](Net n) const { return value[static_cast<std::size_t>(n)]; }
    double& at(Net n) { return value[static_cast<std::size_t>(n)]; }
};
// Throws std::runtime_error that names the file and what is wrong. The base, "i7-8550u-5.17", lies beside the file.
NetProfile net_profile_load(const std::string& path);

} // namespace pipescope

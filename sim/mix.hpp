// SPDX-License-Identifier: MIT
// One more word into a hash.
#pragma once
#include <cstdint>

namespace pipescope {

constexpr std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
    h = (h ^ h >> 29) * 0x9fb21c651e98df25u + v + 0x9e3779b97f4a7c15u; // a 0 counts as well
    return (h ^ h >> 32) * 0xd6e8feb86659fd93u;
}

} // namespace pipescope

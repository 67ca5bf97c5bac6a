// SPDX-License-Identifier: MIT
// A word for everything that decides how a run can go on, whatever way led there.
#pragma once
#include "core/state.hpp"
#include <cstdint>
#include <span>

namespace pipescope::explore {

constexpr std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
    h = (h ^ h >> 29) * 0x9fb21c651e98df25u + v + 0x9e3779b97f4a7c15u; // a 0 counts as well
    return (h ^ h >> 32) * 0xd6e8feb86659fd93u;
}

// `programs`: by task, a word for where its program and its call are. Pages count by which places share one and by what
// is in them, not by number; time and counters do not count, wake-ups do.
std::uint64_t state_key(const State& s, std::span<const std::uint64_t> programs);

} // namespace pipescope::explore

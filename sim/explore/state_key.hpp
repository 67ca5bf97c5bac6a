// SPDX-License-Identifier: MIT
// A word for everything that decides how a run can go on, whatever way led there.
#pragma once
#include "core/state.hpp"
#include "sim/mix.hpp"
#include <cstdint>
#include <span>

namespace pipescope::explore {

// `programs`: words for where each program and its call are. Pages count by which places share one and by what
// is in them, not by number; time and counters do not count, wake-ups do.
std::uint64_t state_key(const State& s, std::span<const std::uint64_t> programs);

} // namespace pipescope::explore

// SPDX-License-Identifier: MIT
// What a step of a task touched, so that two steps can be told to be independent of each other.
#pragma once
#include "core/event.hpp"
#include <cstdint>
#include <span>
#include <vector>

namespace pipescope::explore {

// Objects as numbers: what kind, then which one. Sorted, each once.
struct Footprint {
    std::vector<std::uint64_t> reads, writes;
};

// Of the events of one step, which began at the stage `from`; another event than a stage: in user code.
Footprint footprint(std::span<const Event> events, const Event& from);
// Whether the order of the two can matter: one writes what the other reads or writes.
bool dependent(const Footprint& a, const Footprint& b);

} // namespace pipescope::explore

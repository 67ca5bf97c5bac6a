// SPDX-License-Identifier: MIT
// Events as columns: each field by itself, as the difference to the last event of its kind.
#pragma once
#include "core/event.hpp"
#include "sim/recording/bytes.hpp"
#include "sim/recording/tables.hpp"
#include <vector>

namespace pipescope::rec {

// Appends the payload of an event chunk to `raw`. The events are in order of time and of known kinds and stages.
void put_events(std::string& raw, std::span<const Event> events);

// Reads `count` events into `out` (appended). False with `fault` in words, and `out` as it was, when the payload does not
// hold exactly that many, in order of time from t_first to t_last, all known to `numbers`.
bool get_events(std::string_view raw, std::uint32_t count, std::uint64_t t_first, std::uint64_t t_last, const NumberMap& numbers,
    std::vector<Event>& out, std::string& fault);

} // namespace pipescope::rec

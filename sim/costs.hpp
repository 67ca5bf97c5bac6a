// SPDX-License-Identifier: MIT
// What each stage takes, in ns of virtual time: one plausible desktop, enough for an order of events and a time axis.
#pragma once
#include "core/event.hpp"

namespace pipescope {

std::uint64_t stage_cost(const Event& stage_event);
inline constexpr std::uint64_t user_code_ns = 55;    // between two calls: the program's loop and the way in and out
inline constexpr std::uint64_t spin_handover_ns = 240; // unlock until a spinner on another CPU has the mutex
inline constexpr std::uint64_t wake_latency_ns = 550;  // wake-up until the sleeper runs

} // namespace pipescope

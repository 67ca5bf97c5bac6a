// SPDX-License-Identifier: MIT
// What each stage takes, in ns of virtual time, step by step: from the built-in cost profile, enough for an order of events
// and a time axis. What `ladder` adds, who wrote a line last and chance, is left out.
#pragma once
#include "core/event.hpp"

namespace pipescope {

std::uint64_t stage_cost(const Event& stage_event);
struct StepCosts {
    std::uint64_t user_code_ns;     // between two calls: the way out, the program's loop
    std::uint64_t spin_handover_ns; // unlock until a spinner on another CPU has the mutex and its lines
    std::uint64_t wake_latency_ns;  // wake-up until the sleeper runs
};
const StepCosts& step_costs();

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Time stamps of a few ns: the processor's counter, in ns by CLOCK_MONOTONIC; and what a list of times amounts to.
#pragma once
#include "sim/calibrate/exchange.hpp"
#include <sched.h>
#include <span>
#include <x86intrin.h>

namespace pipescope {

inline std::uint64_t ticks() { // nothing before it is still going on, nothing after it has begun
    unsigned aux;
    const std::uint64_t t = __rdtscp(&aux);
    _mm_lfence();
    return t;
}
double tick_ns();      // found out once
double ticks_cost_ns(); // between two that have nothing between them

Measured measured_of(std::vector<double> ns); // sorts
inline bool pin_to(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(cpu), &set);
    return ::sched_setaffinity(0, sizeof set, &set) == 0;
}

} // namespace pipescope

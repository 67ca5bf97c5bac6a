// SPDX-License-Identifier: MIT
// The time, and waiting for a while.
#pragma once
#include <cstdint>
#include <time.h>

namespace pipescope {

std::uint64_t clock_ns(int clock); // CLOCK_MONOTONIC and its like
void nap_ms(long ms);

} // namespace pipescope

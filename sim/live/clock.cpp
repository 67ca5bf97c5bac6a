// SPDX-License-Identifier: MIT
// clock_gettime and nanosleep.
#include "sim/live/clock.hpp"

namespace pipescope {

std::uint64_t clock_ns(int clock) {
    timespec t{};
    ::clock_gettime(clock, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

void nap_ms(long ms) {
    const timespec t{ms / 1000, ms % 1000 * 1'000'000};
    ::nanosleep(&t, nullptr);
}

} // namespace pipescope

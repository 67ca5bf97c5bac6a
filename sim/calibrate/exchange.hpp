// SPDX-License-Identifier: MIT
// What is measured and simulated alike: a call that fills a pipe, and one that empties it after the first has returned.
#pragma once
#include "core/types.hpp"
#include "sim/des/profile.hpp"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pipescope {

enum class Ask : std::uint8_t { exchange, empty, full }; // both calls; the reader's alone on an empty pipe; the writer's on a full one: EAGAIN
struct Exchange {
    bool vmsplice = false, splice = false, huge = false, touched = true;
    std::uint32_t pages = 16;
    bool two_cpus = true; // the reader on another one
    Ask ask = Ask::exchange;
    bool operator==(const Exchange&) const = default;
};
std::string exchange_text(const Exchange& e);
inline constexpr std::uint32_t exchange_slots = 32; // of its pipe
inline constexpr std::uint64_t exchange_buffer = 256 << 10; // two of them, so that no page is sent again at once

struct Measured {
    double ns = 0;     // the median
    double spread = 0; // standard deviation as a part of it, from the nearer quartile: other load moves one of the two
};
struct ExchangeTimes {
    Measured writer, reader; // of a call; nothing of the side that makes none
};

// On this kernel: two processes on CPUs `cpu`, a call of each in turns, nobody sleeps. Nothing with `error` when it cannot be.
std::optional<ExchangeTimes> measure_exchange(const Exchange& e, const int (&cpu)[2], std::uint32_t rounds, std::string& error);
// In virtual time, without chance: what a profile gives for the same calls.
ExchangeTimes simulate_exchange(const Exchange& e, const Profile& profile);
// How often each cost occurs in the writer's call, and in the reader's.
struct Coefficients {
    std::array<double, cost_count> writer{}, reader{};
};
Coefficients count_costs(const Exchange& e, const std::string& kernel);

// A reader that sleeps on an empty pipe and a writer that wakes it with a byte: from the start of the write to its end, and
// to the end of the read; and how long one goes round between two tasks that wake each other on one CPU.
struct WakeTimes {
    double write_ns = 0, read_ns = 0;
    double idle_ns = 0; // the reader was asleep for, when it was woken; negative: it was not yet
};
WakeTimes simulate_wake(const Profile& profile, double after_ns = 5e5); // after the reader's call began
double simulate_switch(const Profile& profile);

} // namespace pipescope

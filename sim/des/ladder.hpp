// SPDX-License-Identifier: MIT
// The throughput ladder: the published rungs with their figures, and what a profile gives for each.
#pragma once
#include "sim/des/speed_test.hpp"
#include <span>

namespace pipescope {

struct Share { // a published share of all samples, 0…1, of a call path
    const char* path;
    double published;
};
struct Rung {
    const char* name;
    SpeedOptions options;
    double published_gib_per_s;    // 0: not published
    std::span<const Share> shares; // published, at least 1 %
};
// The published program takes its small-page buffers from malloc(), which puts them this far into a page: with vmsplice each
// then has a fragment at both ends, and a call of a few bytes between the others.
constexpr std::uint64_t malloc_offset = 16;
SpeedOptions placed_at(SpeedOptions o, std::uint64_t offset); // huge pages, and any with 0, stay where they are
std::span<const Rung> ladder_rungs();
std::span<const Rung> ladder_more(); // combinations that the article does not print

struct RungResult {
    double gib_per_s = 0;
    double rings = 0;                            // how many times the whole ring's capacity was moved
    double writer_sleeps = 0, reader_sleeps = 0; // per ring moved
    Ledger ledger;
};
RungResult run_rung(const Profile& profile, const SpeedOptions& options, std::uint64_t bytes, std::uint64_t seed);

} // namespace pipescope

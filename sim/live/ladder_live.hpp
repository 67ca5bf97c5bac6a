// SPDX-License-Identifier: MIT
// The throughput ladder on this machine, not recorded: each rung several times, in turns, with what else the machine did.
#pragma once
#include "sim/des/ladder.hpp"
#include "sim/live/pair_options.hpp"
#include <functional>
#include <vector>

namespace pipescope {

struct LiveRun {
    std::string error; // empty: it ran to its end
    std::uint64_t bytes = 0;
    double gib_per_s = 0;                        // from the gate to the reader's last byte
    double writer_sleeps = 0, reader_sleeps = 0; // voluntary context switches, per ring moved
    double foreign = 0;                          // of all CPUs' time meanwhile, what others took, 0…1
};
// The median of some runs' throughput, with its neighbours.
struct LiveRow {
    const Rung* rung = nullptr;
    std::vector<LiveRun> runs;                  // those without error
    std::string error;                          // of one that failed
    double median(double LiveRun::*what) const; // 0 without runs
    double least() const;
    double most() const;
};

struct LiveOptions {
    std::uint64_t bytes = 0; // of each run; 0: as many as take about half a second, at most 16 GiB
    std::uint64_t runs = 5;
    std::uint64_t offset = malloc_offset; // where buffers of small pages begin in a page
    std::function<void(const Rung&)> progress; // before each run
};

PairOptions pair_options(const SpeedOptions& o);
LiveRun run_live(const PairOptions& options);
std::array<int, 2> two_cpus(); // that this process may use; -1, -1 where it is only one
// First a short run of each rung, then all rungs in turns, `runs` times.
std::vector<LiveRow> run_ladder_live(const std::vector<const Rung*>& rungs, const LiveOptions& options);

} // namespace pipescope

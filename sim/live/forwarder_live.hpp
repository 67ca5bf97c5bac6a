// SPDX-License-Identifier: MIT
// The three forwarders on this machine, not recorded, in turns: what each passes on, and what its workers take for it.
#pragma once
#include "sim/live/forward_options.hpp"
#include <functional>
#include <vector>

namespace pipescope {

struct LiveForward { // one run
    std::string error; // empty: every byte went through
    std::uint64_t bytes = 0;
    double gbit_per_s = 0;         // from the gate to the last receiver's last byte
    double user = 0, system = 0;   // of the workers, as a share of all CPUs' time, 0…1
    double all_system = 0;         // of senders, workers and receivers together
    double switches_per_s = 0;     // of the workers, voluntary and not
    double agains = 0;             // of the workers' calls that move bytes, those that gave EAGAIN, 0…1
};
LiveForward run_forwarder_live(const ForwardOptions& options);

struct LiveForwardRow {
    const ForwarderRow* row = nullptr;
    std::vector<LiveForward> runs; // those without error
    std::string error;             // of one that failed
    double median(double LiveForward::*what) const; // 0 without runs
    double least() const;
    double most() const; // of gbit_per_s
};
struct LiveForwardWish {
    std::uint32_t connections = 4;
    std::uint64_t bytes = 0; // of each run; 0: as many as take about half a second
    std::uint64_t runs = 5;
    bool verify = false;
    std::function<void(const ForwarderRow&)> progress; // before each run
};
// First short runs of each row, then all rows in turns, `runs` times.
std::vector<LiveForwardRow> run_forwarders_live(const std::vector<const ForwarderRow*>& rows, const LiveForwardWish& wish);

} // namespace pipescope

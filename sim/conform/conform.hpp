// SPDX-License-Identifier: MIT
// The model against this kernel: random calls on both in step, compared after each; the first difference, shrunk.
#pragma once
#include "core/version.hpp"
#include <cstdint>
#include <functional>
#include <string>

namespace pipescope::conform {

struct Options {
    std::uint64_t ops = 100000, seed = 1;
    bool ring = false;       // compare every slot too; needs what RingReader needs
    KernelVersion version;
};
struct Report {
    std::uint64_t calls = 0, differences = 0, skipped = 0; // skipped: ring comparisons that could not be made
    double seconds = 0;                       // by the clock
    double worker_seconds = 0, model_seconds = 0; // of all CPUs that took part, and what of it the model took
    std::string message;     // what differed first; empty when nothing did
    std::string litmus;      // the shortest sequence found that shows it, as a litmus case
    std::string error;       // the comparison could not run
};
// `progress` is called about once a second with the calls made so far.
Report conform(const Options& o, const std::function<void(std::uint64_t)>& progress = {});

} // namespace pipescope::conform

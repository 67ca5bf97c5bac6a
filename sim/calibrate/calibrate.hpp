// SPDX-License-Identifier: MIT
// This machine's cost profile: measured calls and waits, taken apart with the model's own account of what they are made of.
#pragma once
#include "sim/calibrate/units.hpp"
#include <functional>

namespace pipescope {

struct Check { // a measurement beside what the finished profile gives for it
    std::string what;
    double measured_ns, profile_ns;
};
struct Calibration {
    Profile profile;
    std::vector<Check> checks;
    std::vector<WakeAfter> wakes;
    double line_ns = 0;
};
struct CalibrateOptions {
    int cpu[2];
    std::uint32_t rounds = 2000;     // of each exchange
    Profile base;                    // where nothing can be measured, and what shares a sum is split in
    std::function<void(const std::string&)> told; // what is measured now
};
// Takes a few seconds. Nothing with `error`, one sentence, when a measurement fails.
std::optional<Calibration> calibrate(const CalibrateOptions& options, std::string& error);

// A sum that was measured: times[i] of each cost make `ns`.
struct Equation {
    std::string what;
    double ns = 0;
    std::array<double, cost_count> times{};
    double weight = 1;
};
// Scales what `free` lets it until each sum holds as well as it can: round and round, each sum's costs by a part of what is
// missing. A weak pull keeps what the sums do not tell apart in the proportions it started in.
void solve(std::span<const Equation> equations, const std::array<bool, cost_count>& free, std::array<double, cost_count>& values);

} // namespace pipescope

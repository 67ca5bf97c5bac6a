// SPDX-License-Identifier: MIT
// Multiplicative corrections: what occurs most often in a sum takes most of its correction.
#include "sim/calibrate/calibrate.hpp"
#include <algorithm>
#include <cmath>

namespace pipescope {

void solve(std::span<const Equation> equations, const std::array<bool, cost_count>& free, std::array<double, cost_count>& values) {
    constexpr int rounds = 4000;
    constexpr double damping = 0.3, pull = 0.003;
    const std::array<double, cost_count> start = values;
    for (int round = 0; round < rounds; ++round) {
        double drift = 0, moved = 0; // of all together: a machine that is slower throughout is not pulled back
        for (std::size_t i = 0; i < cost_count; ++i)
            if (free[i] && start[i] > 0) drift += std::log(values[i] / start[i]), ++moved;
        const double scale = moved > 0 ? std::exp(drift / moved) : 1;
        for (std::size_t i = 0; i < cost_count; ++i)
            if (free[i] && start[i] > 0) values[i] *= std::pow(scale * start[i] / values[i], pull);
        for (const Equation& e : equations) {
            double held = 0, moving = 0, most = 0;
            for (std::size_t i = 0; i < cost_count; ++i) {
                (free[i] ? moving : held) += e.times[i] * values[i];
                if (free[i]) most = std::max(most, e.times[i]);
            }
            if (moving <= 0) continue;
            const double wanted = std::max(e.ns - held, 0.02 * e.ns); // a cost is never negative
            const double step = damping * e.weight * std::log(wanted / moving);
            for (std::size_t i = 0; i < cost_count; ++i)
                if (free[i] && e.times[i] > 0) values[i] *= std::exp(step * e.times[i] / most);
        }
    }
}

} // namespace pipescope

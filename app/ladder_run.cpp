// SPDX-License-Identifier: MIT
// Runs the rungs.
#include "app/ladder_run.hpp"
#include <algorithm>
#include <cstdlib>
#include <exception>

namespace pipescope {
namespace {

constexpr double least_share = 0.005; // of the tree

} // namespace

double LadderRun::most() const {
    double out = 0;
    for (const LadderBar& b : bars) out = std::max({out, b.published, b.simulated});
    return out;
}

LadderRun ladder_run(const std::string& profile, std::uint64_t bytes) {
    LadderRun out;
    out.profile = profile, out.bytes = bytes;
    const char* assets = std::getenv("PIPESCOPE_ASSETS");
    try {
        const Profile p = profile_load(std::string(assets ? assets : PIPESCOPE_ASSETS) + "/profiles/" + profile + ".toml");
        for (const Rung& rung : ladder_rungs()) {
            LadderBar b{rung.name, rung.published_gib_per_s, 0, run_rung(p, rung.options, bytes, 1), {}};
            b.simulated = b.result.gib_per_s;
            b.costs = ledger_costs(b.result.ledger, least_share);
            out.bars.push_back(std::move(b));
        }
    } catch (const std::exception& e) {
        out.error = e.what();
    }
    return out;
}

std::vector<LadderFigure> ladder_figures(const RungResult& r) {
    const Counts& c = r.ledger.counts;
    const auto n = [&](std::uint64_t v) { return c.bytes_moved ? static_cast<double>(v) / static_cast<double>(c.bytes_moved) * (1 << 30) : 0; };
    return {{"copies of each byte", n(c.bytes_copied) / (1 << 30)}, {"pages allocated", n(c.pages_allocated)}, {"references taken", n(c.refs_taken)},
        {"page-table walks", n(c.walks)}, {"locks taken", n(c.locks)}, {"lock waits", n(c.lock_waits)}, {"sleeps", n(c.sleeps)},
        {"wake-ups", n(c.wake_ups)}, {"context switches", n(c.context_switches)}, {"system calls", n(c.syscalls)}, {"EAGAINs", n(c.eagains)}};
}

} // namespace pipescope

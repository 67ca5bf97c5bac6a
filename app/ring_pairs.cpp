// SPDX-License-Identifier: MIT
// Pairs the kernel's rings with the model's.
#include "app/ring_pairs.hpp"
#include "core/describe.hpp"
#include "sim/lockstep/shadow.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace pipescope {

void RingPairs::update(lockstep::Run& run) {
    const auto& readings = run.comparison().readings;
    for (; read_ < readings.size() && readings[read_].event < run.timeline().size(); ++read_) {
        const lockstep::Reading& r = readings[read_];
        const State& s = run.timeline().seek(r.event + 1);
        for (PipeId p = 0; p < r.rings.size(); ++p) {
            if (r.rings[p].empty()) continue;
            RingPair pair{r.event + 1, p, r.rings[p], ring_string(s, run.strings(), p), no_id};
            if (!pair.same()) lockstep::first_difference(pair.kernel, pair.model, pair.slot);
            list_.push_back(std::move(pair));
        }
    }
}

const RingPair* pair_at(const std::vector<RingPair>& pairs, PipeId pipe, std::size_t n) {
    auto it = std::upper_bound(pairs.begin(), pairs.end(), n, [](std::size_t at, const RingPair& p) { return at < p.n; });
    while (it != pairs.begin())
        if ((--it)->pipe == pipe) return &*it;
    return nullptr;
}

std::vector<Parting> partings_of(lockstep::Run& run, const std::vector<RingPair>& pairs) {
    std::vector<Parting> out;
    for (const lockstep::Divergence& d : run.comparison().divergences) {
        Parting p{d.event + 1, d.pipe, d.slot, d.text, "", ""};
        if (const RingPair* rings = d.pipe == no_id ? nullptr : pair_at(pairs, d.pipe, p.n)) p.kernel = rings->kernel, p.model = rings->model;
        out.push_back(std::move(p));
    }
    return out;
}

std::string coming_text(const lockstep::Coming& c, bool waiting, bool beside) {
    if (c.task == no_id) return "the scenario ends";
    return fmt::format("{}, line {}: {}{}", c.name, c.line, c.call,
        waiting ? " · the kernel is still in it" : beside ? fmt::format(" · not made yet; the model says {}", c.result) : " · for the model alone");
}

std::string in_step_verdict(const lockstep::Comparison& c) {
    const std::size_t n = c.divergences.size();
    std::string out = fmt::format("{} call{} compared with {}: {}", c.calls, c.calls == 1 ? "" : "s", c.kernel,
        n == 0 ? "no difference" : n == 1 ? "one difference" : fmt::format("{} differences", n));
    if (!c.rings) out += "; results alone: " + (c.no_rings.empty() ? "no ring was to be read" : c.no_rings);
    if (!c.why.empty()) out += "; it ended early: " + c.why;
    return out;
}

} // namespace pipescope

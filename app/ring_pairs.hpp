// SPDX-License-Identifier: MIT
// A run in lock step as the window shows it: after each call the kernel's ring and the one that the model predicted.
#pragma once
#include "app/findings_rows.hpp"
#include "sim/lockstep/lockstep.hpp"

namespace pipescope {

struct RingPair {
    std::size_t n = 0; // the position after the call
    PipeId pipe = no_id;
    std::string kernel, model; // as ring() prints them
    std::uint32_t slot = no_id; // the first that differs
    bool same() const { return kernel == model; }
};
// Every ring that was read, where it had changed; in the order of positions.
std::vector<RingPair> ring_pairs(lockstep::Run& run);
// The last one of a pipe at or before position n; null: none was read yet.
const RingPair* pair_at(const std::vector<RingPair>& pairs, PipeId pipe, std::size_t n);
std::vector<Parting> partings_of(lockstep::Run& run, const std::vector<RingPair>& pairs);
// "39 calls compared with 6.18.5: no difference".
std::string in_step_verdict(const lockstep::Comparison& c);

} // namespace pipescope

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
// Every ring that was read, where it had changed; in the order of positions. Grows with the run.
class RingPairs {
public:
    void update(lockstep::Run& run);
    const std::vector<RingPair>& list() const { return list_; }

private:
    std::vector<RingPair> list_;
    std::size_t read_ = 0; // readings of the run
};
// The last one of a pipe at or before position n; null: none was read yet.
const RingPair* pair_at(const std::vector<RingPair>& pairs, PipeId pipe, std::size_t n);
std::vector<Parting> partings_of(lockstep::Run& run, const std::vector<RingPair>& pairs);
// "writer, line 12: write(4, 100) · not made yet; the model says 100"; without `beside` it is the model alone that will make it.
std::string coming_text(const lockstep::Coming& c, bool waiting, bool beside);
// "39 calls compared with 6.18.5: no difference".
std::string in_step_verdict(const lockstep::Comparison& c);

} // namespace pipescope

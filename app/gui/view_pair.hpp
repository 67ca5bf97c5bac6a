// SPDX-License-Identifier: MIT
// WHAT, below the ring: the kernel's ring beside the model's, where both are known, the word DIVERGED where they part, and the next call.
#pragma once
#include "app/gui/paint.hpp"
#include "app/gui/scene.hpp"

namespace pipescope {

// What there is to show of a pipe at this moment; nothing: none of it.
struct PairShown {
    std::string kernel, model, text;
    std::uint32_t slot = no_id; // the first that differs
    bool diverged = false;
    std::string coming; // the call that is made next, or that the kernel is in
    bool waiting = false;
    bool any() const { return !kernel.empty() || diverged || !coming.empty(); }
};
PairShown pair_shown(const Scene& scene, PipeId pipe); // no_id: there is no pipe yet
float pair_h(const Paint& p, const PairShown& s); // the height it takes
void draw_pair(Paint& p, const PairShown& s, const Rect& r);

} // namespace pipescope

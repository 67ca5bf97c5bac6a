// SPDX-License-Identifier: MIT
// WHAT, below the ring: the kernel's ring beside the model's, where both are known, and the word DIVERGED where they part.
#pragma once
#include "app/gui/paint.hpp"
#include "app/gui/scene.hpp"

namespace pipescope {

// What there is to show of a pipe at this moment; both lines empty: nothing.
struct PairShown {
    std::string kernel, model, text;
    std::uint32_t slot = no_id; // the first that differs
    bool diverged = false;
    bool any() const { return !kernel.empty() || diverged; }
};
PairShown pair_shown(const Scene& scene, PipeId pipe);
float pair_h(const Paint& p, const PairShown& s); // the height it takes
void draw_pair(Paint& p, const PairShown& s, const Rect& r);

} // namespace pipescope

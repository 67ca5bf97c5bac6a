// SPDX-License-Identifier: MIT
// WHO, its top: who could go next, and that the run shown is a branch in which somebody chose.
#pragma once
#include "app/gui/paint.hpp"
#include "app/gui/scene.hpp"

namespace pipescope {

class BranchView {
public:
    // In the region of WHO: a button in its heading, cards below; gives the height of the cards.
    float draw(Scene& scene, Paint& p, const Rect& who);

private:
    float draw_choice(Scene& scene, Paint& p, const Rect& at);
    float draw_branch(Scene& scene, Paint& p, const Rect& at);
};

} // namespace pipescope

// SPDX-License-Identifier: MIT
// WHO: a card for each task, the acting one in full with its program, call, stages and what it does.
#pragma once
#include "app/gui/paint.hpp"
#include "app/gui/scene.hpp"
#include "app/gui/view_branch.hpp"

namespace pipescope {

class WhoView {
public:
    void draw(Scene& scene, Paint& p, const Rect& r);

private:
    float draw_card(Scene& scene, Paint& p, TaskId id, bool full, const Rect& at);
    float draw_program(Scene& scene, Paint& p, const Task& t, bool full, const Rect& at);
    float draw_call(Scene& scene, Paint& p, const Task& t, const Rect& at);
    float draw_stages(Paint& p, const Task& t, const StageSet& reached, const Rect& at);
    BranchView branch_;
    bool tight_ = false;                  // little height: less of the program, one row of stages
    std::size_t shown_ = ~std::size_t{0}; // the position whose card was last brought into sight
};

} // namespace pipescope

// SPDX-License-Identifier: MIT
// WHY, the findings: where each task's time went, what that shows, and where model and kernel part; every line seeks.
#pragma once
#include "app/gui/paint.hpp"
#include "app/gui/scene.hpp"

namespace pipescope {

class FindingsView {
public:
    void draw(Scene& scene, Paint& p, const Rect& r);

private:
    float draw_actions(Scene& scene, Paint& p, const Rect& at);
    float draw_beside(Scene& scene, Paint& p, const Rect& at);
    float draw_bars(const Scene& scene, Paint& p, const Rect& at);
    float draw_lines(Scene& scene, Paint& p, const Rect& at);
};

} // namespace pipescope

// SPDX-License-Identifier: MIT
// WHY, the versions: what the same scenario does differently under another kernel.
#pragma once
#include "app/gui/paint.hpp"
#include "app/gui/scene.hpp"

namespace pipescope {

class VersionsView {
public:
    void draw(Scene& scene, Paint& p, const Rect& r);

private:
    float draw_choice(Scene& scene, Paint& p, const Rect& at);
    float draw_first(Scene& scene, Paint& p, const Comparison& c, const Rect& at);
    float draw_calls(Scene& scene, Paint& p, const Comparison& c, const Rect& at);
    float draw_ends(Paint& p, const Comparison& c, const Rect& at);
};

} // namespace pipescope

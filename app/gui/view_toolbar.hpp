// SPDX-License-Identifier: MIT
// The bar on top: what is open, the transport, where in the run one is, and what happens there.
#pragma once
#include "app/gui/paint.hpp"
#include "app/gui/scene.hpp"

namespace pipescope {

class ToolbarView {
public:
    void draw(Scene& scene, Paint& p, const Rect& r);

private:
    float draw_transport(Scene& scene, Paint& p, float x, const Rect& r);
    float draw_steps(Scene& scene, Paint& p, float x, const Rect& r);
};

} // namespace pipescope

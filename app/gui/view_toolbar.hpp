// SPDX-License-Identifier: MIT
// The bar on top: what is open, under which kernel, the transport, where in the run one is, and what happens there.
#pragma once
#include "app/gui/paint.hpp"
#include "app/gui/scene.hpp"

namespace pipescope {

class ToolbarView {
public:
    void draw(Scene& scene, Paint& p, const Rect& r);

private:
    struct Plan { // how wide each part is; 0: it is left out
        float title = 0, kernel = 0, button = 0, step = 0, count = 0, time = 0, narration = 0;
        bool long_count = true;
    };
    Plan plan(const Scene& scene, Paint& p, float width) const;
    float draw_kernel(Scene& scene, Paint& p, float x, float w, const Rect& r);
    float draw_transport(Scene& scene, Paint& p, float x, float w, const Rect& r);
    float draw_steps(Scene& scene, Paint& p, float x, float w, const Rect& r);
    void draw_versions(Scene& scene, Paint& p);
};

} // namespace pipescope

// SPDX-License-Identifier: MIT
// WHY, the costs: the tree of call paths with their shares of the kernel's time, and what tasks did outside of it.
#pragma once
#include "app/costs.hpp"
#include "app/gui/paint.hpp"
#include "app/gui/scene.hpp"

namespace pipescope {

class CostsView {
public:
    void draw(Scene& scene, Paint& p, const Rect& r);

private:
    float draw_off(const Scene& scene, Paint& p, const Rect& at);

    RunCosts costs_;
    CostTree tree_; // at the position it was last asked for
    std::size_t n_ = ~std::size_t{0}, size_ = 0;
};

// The lines of a tree with a bar each, as `perf report` has them; gives the height.
float draw_cost_lines(Paint& p, const CostTree& tree, std::size_t most, const Rect& at);

} // namespace pipescope

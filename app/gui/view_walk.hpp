// SPDX-License-Identifier: MIT
// WHY, the page walk: the address that the moment is about, cut into indices, and the entry each table gives.
#pragma once
#include "app/gui/paint.hpp"
#include "app/gui/scene.hpp"
#include "core/mm/walk.hpp"

namespace pipescope {

class WalkView {
public:
    void draw(Scene& scene, Paint& p, const Rect& r);

private:
    float draw_address(Paint& p, std::uint64_t addr, const Walk& w, const Rect& at);
    float draw_tables(Scene& scene, Paint& p, const Walk& w, const Rect& at);
    void draw_page(const Scene& scene, Paint& p, const Walk& w, const Rect& at);
};

} // namespace pipescope

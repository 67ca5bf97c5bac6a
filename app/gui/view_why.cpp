// SPDX-License-Identifier: MIT
// Chooses among the tabs of WHY.
#include "app/gui/view_why.hpp"

namespace pipescope {

void WhyView::draw(Scene& scene, Paint& p, const Rect& r) {
    p.rect(r, p.theme.panel);
    p.line(r.x, r.y, r.x, r.bottom(), p.theme.line);
    scene.sel.tab = p.tabs("why", r.x + p.px(8), r.y + p.px(8), r.w - p.px(16), {"Events", "Locks", "Page walk"}, scene.sel.tab);
    p.line(r.x, r.y + p.px(38), r.right(), r.y + p.px(38), p.theme.line);
    draw_tab(scene, p, scene.sel.tab, {r.x + 1, r.y + p.px(46), r.w - 1, r.h - p.px(54)});
}

bool WhyView::draw_shared(Scene& scene, Paint& p, const Rect& r) {
    p.rect(r, p.theme.panel);
    shared_ = p.tabs("why", r.x + p.px(8), r.y + p.px(4), r.w - p.px(16), {"The ring", "Events", "Locks", "Page walk"}, shared_);
    const float bar = p.px(36);
    p.line(r.x, r.y + bar, r.right(), r.y + bar, p.theme.line);
    if (shared_ == 0) return false;
    scene.sel.tab = shared_ - 1;
    draw_tab(scene, p, scene.sel.tab, {r.x, r.y + bar + p.px(8), r.w, r.h - bar - p.px(12)});
    return true;
}

void WhyView::draw_tab(Scene& scene, Paint& p, int tab, const Rect& r) {
    if (tab == 0) events_.draw(scene, p, r);
    else if (tab == 1) locks_.draw(scene, p, r);
    else walk_.draw(scene, p, r);
}

} // namespace pipescope

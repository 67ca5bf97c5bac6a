// SPDX-License-Identifier: MIT
// Chooses among the tabs of WHY.
#include "app/gui/view_why.hpp"

namespace pipescope {
namespace {

const std::vector<std::string> names = {"Events", "Locks", "Page walk", "struct page", "Versions"},
                               brief = {"Events", "Locks", "Walk", "Page", "Versions"};

} // namespace

void WhyView::draw(Scene& scene, Paint& p, const Rect& r) {
    p.rect(r, p.theme.panel);
    p.line(r.x, r.y, r.x, r.bottom(), p.theme.line);
    scene.sel.tab = static_cast<Tab>(p.tabs("why", r.x + p.px(8), r.y + p.px(8), r.w - p.px(16), names, static_cast<int>(scene.sel.tab), brief));
    p.line(r.x, r.y + p.px(38), r.right(), r.y + p.px(38), p.theme.line);
    draw_tab(scene, p, {r.x + 1, r.y + p.px(46), r.w - 1, r.h - p.px(54)});
}

void WhyView::draw_shared(Scene& scene, Paint& p, const Rect& r) {
    p.rect(r, p.theme.panel);
    Selection& sel = scene.sel;
    std::vector<std::string> all = {"The ring", "Memory"}, small = {"Ring", "Memory"};
    all.insert(all.end(), names.begin(), names.end()), small.insert(small.end(), brief.begin(), brief.end());
    const int now = sel.middle == Middle::ring ? 0 : sel.middle == Middle::memory ? 1 : 2 + static_cast<int>(sel.tab);
    const int chosen = p.tabs("why", r.x + p.px(8), r.y + p.px(4), r.w - p.px(16), all, now, small);
    sel.middle = chosen == 0 ? Middle::ring : chosen == 1 ? Middle::memory : Middle::why;
    if (chosen >= 2) sel.tab = static_cast<Tab>(chosen - 2);
    const float bar = p.px(36);
    p.line(r.x, r.y + bar, r.right(), r.y + bar, p.theme.line);
    if (sel.middle == Middle::why) draw_tab(scene, p, {r.x, r.y + bar + p.px(8), r.w, r.h - bar - p.px(12)});
}

void WhyView::draw_tab(Scene& scene, Paint& p, const Rect& r) {
    switch (scene.sel.tab) {
    case Tab::events: events_.draw(scene, p, r); break;
    case Tab::locks: locks_.draw(scene, p, r); break;
    case Tab::walk: walk_.draw(scene, p, r); break;
    case Tab::page: page_.draw(scene, p, r); break;
    case Tab::versions: versions_.draw(scene, p, r); break;
    case Tab::count: break;
    }
}

} // namespace pipescope

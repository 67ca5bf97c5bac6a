// SPDX-License-Identifier: MIT
// Chooses among the tabs of WHY.
#include "app/gui/view_why.hpp"

namespace pipescope {
namespace {

const std::vector<std::string> names = {"Events", "Findings", "Locks", "Ledger", "Costs", "Ladder", "Page walk", "struct page", "Versions"},
                               brief = {"Events", "Finds", "Locks", "Ledger", "Costs", "Ladder", "Walk", "Page", "Versions"};

std::vector<std::string> with_middle(const std::string& ring, const std::vector<std::string>& tabs) {
    std::vector<std::string> out = {ring, "Memory"};
    out.insert(out.end(), tabs.begin(), tabs.end());
    return out;
}
// By whether mbufs stand in place of the ring.
const std::vector<std::string> all[] = {with_middle("The ring", names), with_middle("The mbufs", names)},
                               all_brief[] = {with_middle("Ring", brief), with_middle("Mbufs", brief)};

} // namespace

void WhyView::draw(Scene& scene, Paint& p, const Rect& r) {
    p.rect(r, p.theme.panel);
    p.line(r.x, r.y, r.x, r.bottom(), p.theme.line);
    const float w = r.w - p.px(16), bar = p.px(8) + p.tabs_h(w, names, brief);
    scene.sel.tab = static_cast<Tab>(p.tabs("why", r.x + p.px(8), r.y + p.px(8), w, names, static_cast<int>(scene.sel.tab), brief));
    p.line(r.x, r.y + bar, r.right(), r.y + bar, p.theme.line);
    draw_tab(scene, p, {r.x + 1, r.y + bar + p.px(8), r.w - 1, r.h - bar - p.px(16)});
}

float WhyView::shared_bar(const Paint& p, float w, bool mbufs) const { return p.px(6) + p.tabs_h(w - p.px(16), all[mbufs], all_brief[mbufs]); }

void WhyView::draw_shared(Scene& scene, Paint& p, const Rect& r) {
    p.rect(r, p.theme.panel);
    Selection& sel = scene.sel;
    const bool mbufs = scene.mbufs();
    const int now = sel.middle == Middle::ring ? 0 : sel.middle == Middle::memory ? 1 : 2 + static_cast<int>(sel.tab);
    const int chosen = p.tabs("why", r.x + p.px(8), r.y + p.px(4), r.w - p.px(16), all[mbufs], now, all_brief[mbufs]);
    sel.middle = chosen == 0 ? Middle::ring : chosen == 1 ? Middle::memory : Middle::why;
    if (chosen >= 2) sel.tab = static_cast<Tab>(chosen - 2);
    const float bar = shared_bar(p, r.w, mbufs);
    p.line(r.x, r.y + bar, r.right(), r.y + bar, p.theme.line);
    if (sel.middle == Middle::why) draw_tab(scene, p, {r.x, r.y + bar + p.px(8), r.w, r.h - bar - p.px(12)});
}

void WhyView::draw_tab(Scene& scene, Paint& p, const Rect& r) {
    switch (scene.sel.tab) {
    case Tab::events: events_.draw(scene, p, r); break;
    case Tab::findings: findings_.draw(scene, p, r); break;
    case Tab::locks: locks_.draw(scene, p, r); break;
    case Tab::ledger: ledger_.draw(scene, p, r); break;
    case Tab::costs: costs_.draw(scene, p, r); break;
    case Tab::ladder: ladder_.draw(scene, p, r); break;
    case Tab::walk: walk_.draw(scene, p, r); break;
    case Tab::page: page_.draw(scene, p, r); break;
    case Tab::versions: versions_.draw(scene, p, r); break;
    case Tab::count: break;
    }
}

} // namespace pipescope

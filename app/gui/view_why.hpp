// SPDX-License-Identifier: MIT
// WHY: the tabs on the right; in a narrow window they share the middle with the ring and the memory.
#pragma once
#include "app/gui/view_costs.hpp"
#include "app/gui/view_events.hpp"
#include "app/gui/view_findings.hpp"
#include "app/gui/view_ladder.hpp"
#include "app/gui/view_ledger.hpp"
#include "app/gui/view_locks.hpp"
#include "app/gui/view_page.hpp"
#include "app/gui/view_versions.hpp"
#include "app/gui/view_walk.hpp"

namespace pipescope {

class WhyView {
public:
    void prepare(Document& doc, std::size_t position) { events_.prepare(doc, position); }
    void draw(Scene& scene, Paint& p, const Rect& r);
    // The row of tabs of a narrow window, the ring and the memory first; draws the tab when it is one of WHY.
    void draw_shared(Scene& scene, Paint& p, const Rect& r);
    float shared_bar(const Paint& p, float w, bool mbufs) const; // the height of that row; mbufs stand in place of the ring

private:
    void draw_tab(Scene& scene, Paint& p, const Rect& r);
    EventsView events_;
    FindingsView findings_;
    LocksView locks_;
    LedgerView ledger_;
    CostsView costs_;
    LadderView ladder_;
    WalkView walk_;
    PageView page_;
    VersionsView versions_;
};

} // namespace pipescope

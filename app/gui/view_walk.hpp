// SPDX-License-Identifier: MIT
// WHY, the page walk: an address cut into indices, the entry each table gives, and what one batch of get_user_pages_fast takes.
#pragma once
#include "app/gui/paint.hpp"
#include "app/gui/scene.hpp"
#include "app/gui/subject.hpp"
#include "app/walk_picture.hpp"

namespace pipescope {

class WalkView {
public:
    void draw(Scene& scene, Paint& p, const Rect& r);

private:
    float draw_head(Scene& scene, Paint& p, const Subject& x, const Rect& at);
    float draw_address(Paint& p, const WalkPicture& w, const Rect& at);
    float draw_tables(const Scene& scene, Paint& p, const WalkPicture& w, const GupRun& run, const Rect& at);
    void draw_entries(const Scene& scene, Paint& p, const WalkPicture& w, const TableStrip& strip, const GupRun& run, const Rect& bar);
    float draw_entry(Paint& p, const WalkPicture& w, const Rect& at);
    float draw_run(Scene& scene, Paint& p, const GupRun& run, const Rect& at);
    float draw_tlb(const Scene& scene, Paint& p, const Subject& x, const Rect& at);
    float draw_page(const Scene& scene, Paint& p, const WalkPicture& w, const Rect& at);
};

// Takes what was typed as an address: selects it, or leaves the fault for the panel.
void take_address(Scene& scene, const std::string& text);

} // namespace pipescope

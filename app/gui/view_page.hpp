// SPDX-License-Identifier: MIT
// WHY, struct page: the fields of the chosen page, where it stands in its folio, and the folio's own view beside it.
#pragma once
#include "app/gui/paint.hpp"
#include "app/gui/scene.hpp"
#include "app/page_facts.hpp"

namespace pipescope {

class PageView {
public:
    void draw(Scene& scene, Paint& p, const Rect& r);

private:
    float draw_title(Scene& scene, Paint& p, PageId page, bool chosen, const Rect& at);
    float draw_folio(const Scene& scene, Paint& p, PageId page, const PageFacts& f, const Rect& at);
    float draw_list(Paint& p, const char* title, const std::vector<PageFact>& list, const Rect& at);
};

} // namespace pipescope

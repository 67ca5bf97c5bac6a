// SPDX-License-Identifier: MIT
// Draws a struct page.
#include "app/gui/view_page.hpp"
#include "app/gui/subject.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace pipescope {

void PageView::draw(Scene& scene, Paint& p, const Rect& r) {
    Paint::Scroll scroll(p, "page", r);
    const Rect in = scroll.area();
    const Rect at{in.x + p.px(16), in.y, in.w - p.px(32), 0};
    float y = at.y + p.px(4);
    const Subject x = subject_of(scene);
    if (x.page == no_page || !scene.s.pages.contains(x.page)) {
        y += p.text_wrapped(Face::body, at.x, y, at.w, p.theme.muted,
            x.mm != no_id && x.chosen ? "No page is mapped there yet, so there is no struct page to look at."
                                      : "No page yet. Click one in the memory or in the ring.");
        return scroll.end_at(y);
    }
    const PageFacts f = page_facts(scene.s, scene.names, scene.pages, x.page, scene.doc.recorded(), scene.doc.meta().kernel);
    y += draw_title(scene, p, x.page, x.chosen, {at.x, y, at.w, 0}) + p.px(6);
    y += draw_folio(scene, p, x.page, f, {at.x, y, at.w, 0}) + p.px(12);
    const bool beside = at.w > p.px(560); // two columns where both have room for their words
    const float half = beside ? (at.w - p.px(20)) / 2 : at.w;
    const float page_h = draw_list(p, "struct page, 64 bytes", f.page, {at.x, y, half, 0});
    if (!beside) y += page_h + p.px(12);
    const float folio_h = draw_list(p, "struct folio: the same memory, from its head", f.folio, {beside ? at.x + half + p.px(20) : at.x, y, half, 0});
    y += beside ? std::max(page_h, folio_h) : folio_h;
    scroll.end_at(y + p.px(6));
}

float PageView::draw_title(Scene& scene, Paint& p, PageId page, bool chosen, const Rect& at) {
    const Theme& th = p.theme;
    const Page& q = scene.s.pages[page];
    const float h = p.px(28), close = chosen ? p.px(32) : 0;
    p.swatch(q.owner, {at.x, at.y + p.px(5), p.px(18), p.px(18)});
    const float x = at.x + p.px(28), w = p.text_in(Face::title, x, at.y + p.px(4), at.w * 0.45f, th.text, scene.page(page));
    const std::string where =
        q.pfn ? fmt::format("{} · frame {:#x}", page_owner_name(q.owner), q.pfn) : fmt::format("{} · frame {}", page_owner_name(q.owner), page);
    p.text_in(Face::small, x + w + p.px(12), at.y + p.px(7), at.right() - close - x - w - p.px(14), th.muted, where);
    if (chosen &&
        p.button("page/follow", {at.right() - p.px(28), at.y, p.px(28), h}, icon_text(Icon::close, p.fonts.icons), {Face::icon, false, true, false}))
        select_nothing(scene.sel);
    return h;
}

// Head and tails as one bar; every tail points back to the head.
float PageView::draw_folio(const Scene& scene, Paint& p, PageId page, const PageFacts& f, const Rect& at) {
    if (!f.compound) return 0;
    const Theme& th = p.theme;
    const Colour c = th.owner(scene.s.pages[page].owner), pale = mix(c, th.panel, 0.45f);
    const float bar_h = p.px(22), head_w = std::max(at.w / static_cast<float>(f.pages), p.px(12)), tails = at.w - head_w - 1;
    const Rect bar{at.x, at.y + p.px(20), at.w, bar_h};
    p.text_in(Face::small, at.x, at.y, at.w * 0.3f, th.text, "head");
    p.text_in(Face::small, at.x, at.y, at.w, th.muted, fmt::format("{} tails", digits_grouped(f.pages - 1)), Align::right);
    p.rect({bar.x, bar.y, head_w, bar.h}, c);
    p.rect({bar.x + head_w + 1, bar.y, tails, bar.h}, pale);
    const float x = f.number == 0
                        ? bar.x + head_w / 2
                        : bar.x + head_w + 1 + tails * (static_cast<float>(f.number - 1) + 0.5f) / static_cast<float>(std::max(f.pages - 1, 1u));
    const float mark_w = std::max(p.px(3), tails / static_cast<float>(f.pages));
    p.rect({x - mark_w / 2, bar.y - p.px(3), mark_w, bar.h + p.px(6)}, th.link);
    const float y = bar.bottom() + p.px(9);
    if (f.tail) { // from the tail back to the head
        const float head_x = bar.x + head_w / 2;
        p.line(x, bar.bottom() + p.px(3), x, y, th.muted, 1.5f), p.line(x, y, head_x, y, th.muted, 1.5f);
        p.line(head_x, y, head_x, bar.bottom() + p.px(2), th.muted, 1.5f);
        p.dl->AddTriangleFilled(
            {head_x, bar.bottom() + p.px(1)}, {head_x - p.px(4), bar.bottom() + p.px(7)}, {head_x + p.px(4), bar.bottom() + p.px(7)}, th.muted);
    }
    p.text_in(Face::small, at.x, y + p.px(4), at.w, th.muted,
        f.tail ? fmt::format("this is tail {}: compound_head leads to the head, {}", f.number, f.head)
               : "this is the head: all counts are kept here");
    return y + p.px(22) - at.y;
}

float PageView::draw_list(Paint& p, const char* title, const std::vector<PageFact>& list, const Rect& at) {
    const Theme& th = p.theme;
    float y = at.y;
    p.text_in(Face::strong, at.x, y, at.w, th.text, title);
    y += p.px(26);
    const bool offsets = !list.empty() && *list[0].where;
    const float where_w = offsets ? p.px(36) : 0, name_w = p.px(offsets ? 124 : 96);
    for (const PageFact& f : list) {
        p.line(at.x, y - p.px(3), at.right(), y - p.px(3), th.line);
        if (offsets) p.text_in(Face::mono_small, at.x, y, where_w, th.muted, f.where);
        p.text_in(Face::mono_small, at.x + where_w, y, name_w - p.px(6), th.text, f.field);
        const float x = at.x + where_w + name_w, w = at.right() - x;
        const float used = p.text_wrapped(Face::mono_small, x, y, w, th.text, f.value, 3);
        y += std::max(used, p.px(19));
        if (!f.note.empty()) y += p.text_wrapped(Face::small, at.x + where_w, y, at.w - where_w, th.muted, f.note, 3);
        y += p.px(6);
    }
    return y - at.y;
}

} // namespace pipescope

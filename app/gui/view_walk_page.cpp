// SPDX-License-Identifier: MIT
// The page walk below its tables: the bits of the last entry, what a batch takes from here, and the page at the end.
#include "app/gui/view_walk.hpp"
#include "app/tlb_list.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace pipescope {

float WalkView::draw_entry(Paint& p, const WalkPicture& w, const Rect& at) {
    const Theme& th = p.theme;
    const TableStrip* last = nullptr; // the last entry that was read
    int level = 0;
    for (std::size_t i = 0; i < w.strips.size(); ++i)
        if (w.strips[i].read) last = &w.strips[i], level = static_cast<int>(i);
    if (!last) return 0;
    float y = at.y;
    const char* kind = last->leaf && w.order == pud_order ? ", a leaf of 1 GiB" : last->leaf && w.order == pmd_order ? ", a leaf of 2 MiB" : "";
    const float used = p.text_in(Face::strong, at.x, y, at.w * 0.6f, th.text, fmt::format("{} entry{}", level_name(w.split.levels, level), kind));
    p.text_in(Face::mono_small, at.x, y + p.px(1), at.w, th.muted, used + p.px(170) < at.w ? fmt::format("{:#018x}", last->entry) : "", Align::right);
    y += p.px(24);
    const std::vector<EntryBit> bits = entry_bits(last->entry, last->leaf);
    const float gap = p.px(3), w1 = (at.w - gap * static_cast<float>(bits.size() - 1)) / static_cast<float>(bits.size());
    for (std::size_t i = 0; i < bits.size(); ++i) {
        const Rect box{at.x + (w1 + gap) * static_cast<float>(i), y, w1, p.px(24)};
        p.rect(box, bits[i].set ? mix(th.card, th.link, 0.45f) : th.well, p.px(3));
        p.outline(box, bits[i].set ? th.link : th.line, 1, p.px(3));
        p.text_in(Face::mono_small, box.x, box.mid_y() - p.text_h(Face::mono_small) / 2, box.w, bits[i].set ? th.text : th.muted, bits[i].name,
            Align::centre);
        if (p.area(fmt::format("walk/bit/{}", bits[i].name), box).hovered) p.tip(fmt::format("{}: {}", bits[i].name, bits[i].means));
    }
    return y + p.px(24) - at.y;
}

float WalkView::draw_run(Scene& scene, Paint& p, const GupRun& run, const Rect& at) {
    const Theme& th = p.theme;
    float y = at.y;
    p.text_in(Face::strong, at.x, y, at.w, th.text, fmt::format("get_user_pages_fast, a batch of {}", gup_batch));
    y += p.px(24);
    const float gap = p.px(2), side = std::floor((at.w - gap * (gup_batch - 1)) / gup_batch), h = std::min(side, p.px(22));
    for (std::uint32_t i = 0; i < gup_batch; ++i) {
        const Rect box{at.x + (side + gap) * static_cast<float>(i), y, side, h};
        if (i >= run.pages.size() || !scene.s.pages.contains(run.pages[i])) {
            p.rect(box, th.well), p.outline(box, th.line);
            continue;
        }
        const PageOwner owner = scene.s.pages[run.pages[i]].owner;
        p.rect(box, th.owner(owner));
        p.owner_mark(owner, box.mid_x(), box.mid_y(), std::min(box.h * 0.42f, box.w * 0.42f), th.on_fill);
    }
    if (!run.pages.empty()) { // one bracket over what one entry gives
        const float end = at.x + (side + gap) * static_cast<float>(run.pages.size()) - gap;
        if (run.entries == 1) p.rect({at.x, y + h + p.px(2), end - at.x, p.px(2)}, th.accent);
        const Paint::Press press = p.area("walk/run", {at.x, y, end - at.x, h});
        const auto under = static_cast<std::size_t>(std::max((ImGui::GetIO().MousePos.x - at.x) / (side + gap), 0.0f));
        if (press.hovered && under < run.pages.size())
            p.tip(fmt::format("page {} of the batch: {}, frame {}", under, scene.page(run.pages[under]), run.pages[under]));
        if (press.clicked && under < run.pages.size()) select_page(scene, run.pages[under]);
    }
    y += h + p.px(8);
    return y + p.text_wrapped(Face::small, at.x, y, at.w, run.slow ? th.warn : th.muted, run.words, 3) - at.y;
}

// The translations that the CPUs remember: the one of this page first.
float WalkView::draw_tlb(const Scene& scene, Paint& p, const Subject& x, const Rect& at) {
    const Theme& th = p.theme;
    const TlbList list = tlb_list(scene.s, x.mm, x.addr);
    if (!list.any) return 0;
    float y = at.y;
    const float used = p.text_in(Face::strong, at.x, y, at.w, th.text, "TLB");
    p.text_in(Face::mono_small, at.x + used + p.px(12), y + p.px(1), at.w - used - p.px(12), th.muted,
        fmt::format("{} hits · {} misses · {} flushes", digits_grouped(list.hits), digits_grouped(list.misses), digits_grouped(list.flushes + list.invlpgs)));
    y += p.px(24);
    constexpr std::size_t listed = 6;
    for (std::size_t i = 0; i < std::min(list.lines.size(), listed); ++i, y += p.px(19))
        p.text_in(Face::mono_small, at.x, y, at.w, list.lines[i].here ? th.accent : th.muted, tlb_line_text(list.lines[i]));
    if (list.lines.empty() || !list.lines[0].here) {
        p.text_in(Face::small, at.x, y, at.w, th.muted, "No CPU remembers this page: the next access walks the tables.");
        y += p.px(19);
    }
    if (list.lines.size() > listed) {
        p.text_in(Face::small, at.x, y, at.w, th.muted, fmt::format("and {} more of this address space", list.lines.size() - listed));
        y += p.px(19);
    }
    return y - at.y;
}

float WalkView::draw_page(const Scene& scene, Paint& p, const WalkPicture& w, const Rect& at) {
    const Theme& th = p.theme;
    if (w.leaf < 0 || !scene.s.pages.contains(w.page)) {
        const char* words = w.protnone ? "" : "Nothing is mapped here: the first touch faults a page in, where the range is mapped at all.";
        return p.text_wrapped(Face::small, at.x, at.y, at.w, th.muted, words, 3);
    }
    const Page& q = scene.s.pages[w.page];
    const Page& head = scene.s.pages.contains(q.compound_head) ? scene.s.pages[q.compound_head] : q;
    float y = at.y;
    p.swatch(q.owner, {at.x, y + p.px(2), p.px(13), p.px(13)});
    p.text_in(Face::mono_small, at.x + p.px(20), y, at.w - p.px(20), th.text,
        fmt::format("frame {}, {}: refcount {}, mapcount {}", w.page, page_owner_name(q.owner), head.refcount, head.mapcount));
    y += p.px(20);
    if (q.order)
        y += p.text_wrapped(Face::small, at.x, y, at.w, th.muted,
            q.compound_head == w.page ? fmt::format("The head of a folio of {} pages.", 1u << q.order)
                                      : fmt::format("Tail {} of a folio of {} pages; its counts are those of the head, {}.", w.page - q.compound_head,
                                            1u << q.order, q.compound_head),
            3);
    return y - at.y;
}

} // namespace pipescope

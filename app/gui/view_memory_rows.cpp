// SPDX-License-Identifier: MIT
// One strip of memory: its tiles, their marks and counts, and the brackets of compound pages.
#include "app/gui/subject.hpp"
#include "app/gui/view_memory.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace pipescope {
namespace {

std::string tip_text(const Scene& scene, PageId page) {
    if (page == no_page || !scene.s.pages.contains(page)) return "nothing is mapped here yet";
    const Page& q = scene.s.pages[page];
    const Page& head = scene.s.pages.contains(q.compound_head) ? scene.s.pages[q.compound_head] : q;
    std::string out = fmt::format("page {}, {}\nrefcount {}, mapcount {}", scene.page(page), page_owner_name(q.owner), head.refcount, head.mapcount);
    if (q.order)
        out += q.compound_head == page ? fmt::format("\nhead of a folio of {} pages", 1u << q.order)
                                       : fmt::format("\ntail {} of a folio of {} pages", page - q.compound_head, 1u << q.order);
    if (q.pfn) out += fmt::format("\nframe {:#x}", q.pfn);
    return out;
}

std::uint64_t tile_addr(const State& s, const MemoryStrip& strip, std::uint64_t index) {
    return (s.buffers[strip.buffer].addr & ~std::uint64_t{page_size - 1}) + index * page_size;
}

} // namespace

void MemoryView::draw_row(Scene& scene, Paint& p, const Row& row) {
    const MemoryStrip& strip = *row.strip;
    const Rect& r = row.r;
    p.text_in(Face::body, r.x, r.mid_y() - p.text_h(Face::body) / 2, row.label - p.px(8), p.theme.text, strip.name);
    if (strip.buffer != no_id && !tables_known(scene.s, scene.s.buffers[strip.buffer])) {
        p.text_in(Face::small, r.x + row.label, r.mid_y() - p.text_h(Face::small) / 2, r.w - row.label, p.theme.muted,
            fmt::format("{} pages; which frames they are was not recorded", digits_grouped(strip.pages)));
        return;
    }
    if (row.tiles.empty()) {
        p.text_in(Face::small, r.x + row.label, r.mid_y() - p.text_h(Face::small) / 2, r.w - row.label, p.theme.muted, "none in use");
        return;
    }
    draw_brackets(scene, p, row);
    for (const Tile& t : row.tiles) draw_tile(scene, p, row, t);
    const Rect& last = row.tiles.back().r;
    p.marks.add("memory/" + strip.name, {row.tiles[0].r.x, last.y, last.right() - row.tiles[0].r.x, last.h});
    const std::string behind = row.tiles.size() < strip.pages
                                   ? fmt::format("{}–{} of {}", row.tiles[0].index, row.tiles.back().index, digits_grouped(strip.pages))
                                   : digits_grouped(strip.pages);
    const float x = last.right() + p.px(8);
    const float w = p.text_in(Face::mono_small, x, r.mid_y() - p.text_h(Face::mono_small) / 2, r.right() - x, p.theme.muted, behind);
    if (ring_tile_.w > 0 && free_.w == 0) free_ = {x + w + p.px(14), r.y, r.right() - x - w - p.px(14), r.h};
}

// A compound page is one thing: a bracket over its tiles, with a foot at the head and one at the last tail.
void MemoryView::draw_brackets(const Scene& scene, Paint& p, const Row& row) {
    const State& s = scene.s;
    for (std::size_t i = 0; i < row.tiles.size();) {
        const PageId page = row.tiles[i].page;
        if (page == no_page || !s.pages.contains(page) || s.pages[page].order == 0) {
            ++i;
            continue;
        }
        const PageId head = s.pages[page].compound_head, behind = head + (1u << s.pages[page].order);
        std::size_t j = i;
        while (j + 1 < row.tiles.size() && row.tiles[j + 1].page > row.tiles[j].page && row.tiles[j + 1].page < behind) ++j;
        const Rect &a = row.tiles[i].r, &b = row.tiles[j].r;
        const float y = a.y - p.px(5), thick = p.px(2);
        const Colour c = p.theme.text;
        p.rect({a.x, y, b.right() - a.x, thick}, c);
        if (page == head) p.rect({a.x, y, thick, p.px(5)}, c);
        if (row.tiles[j].page + 1 == behind) p.rect({b.right() - thick, y, thick, p.px(5)}, c);
        i = j + 1;
    }
}

void MemoryView::draw_tile(Scene& scene, Paint& p, const Row& row, const Tile& tile) {
    const State& s = scene.s;
    const Theme& th = p.theme;
    const Rect& r = tile.r;
    const bool mapped = tile.page != no_page && s.pages.contains(tile.page);
    const Page* q = mapped ? &s.pages[tile.page] : nullptr;
    const bool of_ring = mapped && tile.page == scene.focus.page && tile.page != zero_page; // a user page can be in the ring itself
    const bool of_user = row.strip->buffer != no_id && row.strip->wanted == tile.index && scene.focus.user_addr != 0;
    const bool in_use = of_ring || of_user, tail = mapped && q->order && q->compound_head != tile.page;
    p.rect(r, !mapped ? th.card : tail ? mix(th.owner(q->owner), th.stage, 0.3f) : th.owner(q->owner));
    if (!mapped) p.outline(r, th.line);
    // The owner's mark above, the count of references below it or in the other corner; references of a compound page
    // stand in its head alone.
    const std::int32_t refs = mapped && !tail ? q->refcount : 0;
    const std::string count = refs > 0 ? std::to_string(refs) : "";
    const bool wide = r.w >= p.px(18), tall = r.h >= p.px(18);
    const bool figure = tall && !count.empty() && p.text_w(Face::mono_small, count) <= r.w - p.px(1);
    const float size = p.px(wide ? 6 : 5);
    if (mapped && r.w >= p.px(6))
        p.owner_mark(q->owner, wide && tall ? r.x + p.px(6) : r.mid_x(), tall && (wide || figure) ? r.y + p.px(6) : r.mid_y(), size, th.on_fill);
    if (figure)
        p.text_in(Face::mono_small, r.x, r.bottom() - p.text_h(Face::mono_small) - p.px(1), r.w - (wide ? p.px(2) : 0), th.on_fill, count,
            wide ? Align::right : Align::centre);
    else if (refs > 1) p.rect({r.x + p.px(1), r.bottom() - p.px(4), r.w - p.px(2), p.px(2)}, th.on_fill);
    const bool chosen = (mapped && tile.page == scene.sel.page) ||
                        (scene.sel.place && row.strip->buffer != no_id && s.buffers[row.strip->buffer].mm == scene.sel.place->mm &&
                            tile_addr(s, *row.strip, tile.index) == (scene.sel.place->addr & ~std::uint64_t{page_size - 1}));
    if (in_use || chosen) p.outline({r.x - 1, r.y - 1, r.w + 2, r.h + 2}, in_use ? th.accent : th.link, p.px(2));
    if (of_user) user_tile_ = r;
    else if (of_ring) ring_tile_ = r;
    take_click(scene, p, row, tile);
}

void MemoryView::take_click(Scene& scene, Paint& p, const Row& row, const Tile& tile) {
    const ImVec2 m = ImGui::GetIO().MousePos;
    if (!tile.r.contains(m.x, m.y) || !ImGui::IsWindowHovered()) return;
    p.tip(fmt::format("{}, tile {}\n{}", row.strip->name, tile.index, tip_text(scene, tile.page)));
    if (!ImGui::IsMouseClicked(0)) return;
    const std::uint32_t buffer = row.strip->buffer;
    if (buffer != no_id) select_place(scene, scene.s.buffers[buffer].mm, tile_addr(scene.s, *row.strip, tile.index), tile.page);
    else if (tile.page != no_page) select_page(scene, tile.page);
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Lays the strips of memory out, and draws the slots, the lines to their pages and the band of a copy.
#include "app/gui/view_memory.hpp"
#include "app/gui/subject.hpp"
#include "app/gui/view_ring.hpp"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pipescope {

void MemoryView::draw(Scene& scene, Paint& p, const Rect& r) {
    if (r.h < p.px(60)) return;
    p.rect(r, p.theme.stage);
    p.line(r.x, r.y, r.right(), r.y, p.theme.line);
    const float heading = p.heading(r.x + p.px(18), r.y + p.px(11), "MEMORY");
    user_tile_ = ring_tile_ = free_ = {};
    cells_.clear(), tile_of_.clear();
    const PipeId id = scene.pipe();
    const std::vector<MemoryStrip> list = memory_strips(scene.s, scene.names, scene.pages, scene.focus, id, scene.sel.page);
    float top = r.y + p.px(36);
    const Pipe* pipe = id < scene.s.pipes.size() ? &scene.s.pipes[id] : nullptr;
    const bool slots = pipe && pipe->ring_size && r.bottom() - top > p.px(100);
    const Rect slot_row{r.x + p.px(18), top, r.w - p.px(36), p.px(18)};
    if (slots) top += p.px(30);
    const float room = r.bottom() - p.px(6) - top;
    const auto fit = static_cast<std::size_t>(std::max(1.0f, room / p.px(34)));
    const std::size_t n = std::min(list.size(), fit);
    const float step = n ? std::min(room / static_cast<float>(n), p.px(56)) : 0;
    std::vector<Row> rows;
    for (std::size_t i = 0; i < n; ++i) {
        rows.push_back(lay_out(scene, p, list[i], {r.x + p.px(18), top + step * static_cast<float>(i), r.w - p.px(36), step}));
        for (const Tile& t : rows.back().tiles)
            if (t.page != no_page) tile_of_.try_emplace(t.page, t.r);
    }
    // What the pointer is on lights up its line, so it has to be known before anything is drawn.
    const ImVec2 m = ImGui::GetIO().MousePos;
    hovered_page_ = no_page;
    for (const Row& row : rows)
        for (const Tile& t : row.tiles)
            if (t.r.contains(m.x, m.y) && ImGui::IsWindowHovered()) hovered_page_ = t.page;
    if (slots) draw_slots(scene, p, *pipe, slot_row), draw_links(scene, p, *pipe);
    for (const Row& row : rows) draw_row(scene, p, row);
    if (list.size() > n)
        p.text_in(Face::small, heading + p.px(16), r.y + p.px(12), r.right() - heading - p.px(180), p.theme.muted,
            fmt::format("{} more {} without room", list.size() - n, list.size() - n == 1 ? "strip" : "strips"));
    if (list.empty()) p.text_in(Face::body, r.x + p.px(18), top, r.w - p.px(36), p.theme.muted, "no buffers and no kernel pages in use");
    draw_band(scene, p, r);
    draw_reference(scene, p, r);
}

MemoryView::Row MemoryView::lay_out(const Scene& scene, Paint& p, const MemoryStrip& strip, const Rect& r) const {
    Row row{&strip, r, std::min(p.px(120), r.w * 0.28f), {}};
    if (strip.buffer != no_id && !tables_known(scene.s, scene.s.buffers[strip.buffer])) return row;
    const float gap = p.px(2), h = std::min(p.px(24), r.h - p.px(10));
    // Tiles shrink to a third before a strip is shown in parts; then the figure behind it needs more room.
    float side = h, room = r.w - row.label - p.px(44);
    if (static_cast<float>(strip.pages) * (side + gap) > room) side = std::max(room / static_cast<float>(strip.pages) - gap, p.px(7));
    if (static_cast<float>(strip.pages) * (side + gap) > room + 1) room -= p.px(92);
    const auto shown = std::min<std::uint64_t>(strip.pages, static_cast<std::uint64_t>(std::max(1.0f, (room + 1) / (side + gap))));
    const std::uint64_t first = strip_first(strip.pages, shown, strip.wanted);
    for (std::uint64_t i = 0; i < shown; ++i)
        row.tiles.push_back({strip_page(scene.s, strip, first + i), first + i,
            {std::round(r.x + row.label + static_cast<float>(i) * (side + gap)), std::round(r.mid_y() - h / 2), std::round(side), h}});
    return row;
}

// The ring once more, as what it is: an array, bufs[0] to bufs[ring_size - 1].
void MemoryView::draw_slots(Scene& scene, Paint& p, const Pipe& pipe, const Rect& r) {
    const Theme& th = p.theme;
    const float label = std::min(p.px(120), r.w * 0.28f), room = r.w - label - p.px(44);
    const float cell = std::min(room / static_cast<float>(pipe.ring_size), p.px(30));
    p.text_in(Face::body, r.x, r.mid_y() - p.text_h(Face::body) / 2, label - p.px(8), th.text, "slots");
    if (cell < 1) return;
    const float gap = cell > p.px(8) ? p.px(2) : cell > 3 ? 1.0f : 0.0f;
    const bool numbers = p.text_w(Face::mono_small, std::to_string(pipe.ring_size - 1)) <= cell - gap - 2; // all of them or none
    hovered_slot_ = no_id;
    const auto press = p.area("memory/slots", {r.x + label, r.y, cell * static_cast<float>(pipe.ring_size), r.h});
    if (press.hovered) hovered_slot_ = std::min(static_cast<std::uint32_t>((ImGui::GetIO().MousePos.x - r.x - label) / cell), pipe.ring_size - 1);
    for (std::uint32_t slot = 0; slot < pipe.ring_size; ++slot) {
        const float x0 = std::round(r.x + label + cell * static_cast<float>(slot)),
                    x1 = std::round(r.x + label + cell * static_cast<float>(slot + 1));
        const Rect box{x0, r.y, std::max(x1 - x0 - gap, 1.0f), r.h};
        cells_.push_back(box);
        const bool live = slot_live(pipe, slot);
        const PageId page = pipe.bufs[slot].page;
        const PageOwner owner = scene.s.pages.contains(page) ? scene.s.pages[page].owner : PageOwner::unknown;
        p.rect(box, live ? th.owner(owner) : th.card);
        const std::string number = std::to_string(slot);
        if (numbers)
            p.text_in(
                Face::mono_small, box.x, box.mid_y() - p.text_h(Face::mono_small) / 2, box.w, live ? th.on_fill : th.muted, number, Align::centre);
        if (slot == scene.focus.slot) p.outline({box.x - 1, box.y - 1, box.w + 2, box.h + 2}, th.accent, p.px(2));
    }
    if (hovered_slot_ != no_id) p.tip(slot_tip(scene, pipe, hovered_slot_));
    if (press.clicked && hovered_slot_ != no_id && slot_live(pipe, hovered_slot_)) select_page(scene, pipe.bufs[hovered_slot_].page);
}

// From each filled slot to its page. With many slots only those that somebody looks at.
void MemoryView::draw_links(const Scene& scene, Paint& p, const Pipe& pipe) {
    if (cells_.empty()) return;
    const Theme& th = p.theme;
    const bool all = pipe.occupancy() <= 64;
    for (int pass = 0; pass < 2; ++pass) // those looked at last, over the others
        for (std::uint32_t slot = 0; slot < pipe.ring_size; ++slot) {
            if (!slot_live(pipe, slot)) continue;
            const PageId page = pipe.bufs[slot].page;
            const auto it = tile_of_.find(page);
            if (it == tile_of_.end()) continue;
            const bool now = slot == scene.focus.slot;
            const bool looked = now || slot == hovered_slot_ || page == hovered_page_ || page == scene.sel.page;
            if (looked != (pass == 1) || (!looked && !all)) continue;
            const PageOwner owner = scene.s.pages.contains(page) ? scene.s.pages[page].owner : PageOwner::unknown;
            const Rect &from = cells_[slot], &to = it->second;
            const float y0 = from.bottom(), y1 = to.y, bend = std::max((y1 - y0) * 0.5f, p.px(8));
            const Colour c = now ? th.accent : looked ? th.link : mix(th.stage, th.owner(owner), 0.62f);
            p.dl->AddBezierCubic({from.mid_x(), y0}, {from.mid_x(), y0 + bend}, {to.mid_x(), y1 - bend}, {to.mid_x(), y1}, c,
                looked ? p.px(2.5f) : std::max(p.px(1), 1.0f));
        }
}

// A slot that gets a page without a copy: a straight line, and nothing moves on it.
void MemoryView::draw_reference(const Scene& scene, Paint& p, const Rect& r) {
    const Focus& f = scene.focus;
    const Stage st = f.stage.stage;
    if (!stage_fills_slot(st) || f.copies || st == Stage::w_insert || st == Stage::f_put || f.slot >= cells_.size()) return;
    const std::string words = fmt::format("slot {} refers to {}: no byte moves", f.slot, scene.page(f.page));
    const float w = p.text_w(Face::mono_small, words);
    p.text_in(Face::mono_small, r.right() - p.px(18) - w, r.y + p.px(13), w + 1, p.theme.accent, words);
    const auto it = tile_of_.find(f.page);
    if (it == tile_of_.end()) return;
    const Rect &from = it->second, &to = cells_[f.slot];
    p.line(from.mid_x(), from.y, to.mid_x(), to.bottom(), p.theme.accent, p.px(2.5f));
    p.dl->AddCircleFilled({from.mid_x(), from.y}, p.px(4), p.theme.accent, 12);
    p.dl->AddCircleFilled({to.mid_x(), to.bottom()}, p.px(4), p.theme.accent, 12);
}

void MemoryView::draw_band(const Scene& scene, Paint& p, const Rect& r) {
    if (!scene.focus.copies || user_tile_.w == 0 || ring_tile_.w == 0) return;
    const bool user_above = user_tile_.y < ring_tile_.y;
    const Rect& up = user_above ? user_tile_ : ring_tile_;
    const Rect& down = user_above ? ring_tile_ : user_tile_;
    const float y0 = up.bottom() + 1, y1 = down.y - 1, bend = (y1 - y0) * 0.8f;
    std::array<ImVec2, 4> way{ImVec2(up.mid_x(), y0), {up.mid_x(), y0 + bend}, {down.mid_x(), y1 - bend}, {down.mid_x(), y1}};
    if (user_above == scene.focus.to_user) std::reverse(way.begin(), way.end());
    p.band(way, scene.motion);
    const auto bytes = static_cast<std::uint64_t>(static_cast<float>(scene.focus.bytes) * scene.motion + 0.5f);
    const std::string words = fmt::format("{} of {} B", digits_grouped(bytes), digits_grouped(page_size));
    const float w = p.text_w(Face::mono_small, words), h = p.text_h(Face::mono_small);
    if (y1 - y0 < h + p.px(3)) { // no room between the strips: behind the one of the ring's pages
        if (free_.w >= w) p.text_in(Face::mono_small, free_.x, free_.mid_y() - h / 2, free_.w, p.theme.text, words);
        else p.text_in(Face::mono_small, r.right() - p.px(18) - w, r.y + p.px(13), w, p.theme.text, words); // or in the heading
        return;
    }
    // On the middle of a long band, beside a short one.
    const bool on_it = std::fabs(up.mid_x() - down.mid_x()) > 2.2f * w;
    const float x = on_it ? (up.mid_x() + down.mid_x() - w) / 2 : std::max(up.right(), down.right()) + p.px(10);
    p.rect({x - p.px(4), (y0 + y1) / 2 - h / 2 - 1, w + p.px(8), h + 2}, p.theme.stage);
    p.text(Face::mono_small, x, (y0 + y1) / 2 - h / 2, p.theme.text, words);
}

} // namespace pipescope

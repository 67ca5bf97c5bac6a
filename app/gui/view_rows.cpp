// SPDX-License-Identifier: MIT
// Draws large rings: a cell a slot, or a cell for several where there are more slots than cells.
#include "app/gui/view_rows.hpp"
#include "app/gui/view_ring.hpp"
#include "app/gui/subject.hpp"
#include "core/describe.hpp"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pipescope {

void RowsView::draw(Scene& scene, Paint& p, const Rect& r, PipeId id, std::uint32_t differs) {
    const Pipe& pipe = scene.s.pipes[id];
    const float facts = draw_facts(scene, p, pipe, r);
    const float label_w = p.text_w(Face::mono_small, std::to_string(pipe.ring_size)) + p.px(10);
    const Rect area{r.x + label_w, r.y + facts, r.w - label_w, r.h - facts};
    const Grid g = grid_layout(pipe.ring_size, area.w, area.h, p.px(9));
    const float gap = g.cell_w > p.px(20) ? p.px(2) : 1;
    float labelled = -1e9f;
    for (std::uint32_t slot = 0; slot < pipe.ring_size; slot += g.per_cell) {
        Rect cell = g.cell(area, slot);
        if (cell.x == area.x && cell.y - labelled >= p.text_h(Face::mono_small) * 1.25f) {
            p.text_in(Face::mono_small, r.x, cell.mid_y() - p.text_h(Face::mono_small) / 2, label_w - p.px(8), p.theme.muted, std::to_string(slot),
                Align::right);
            labelled = cell.y;
        }
        cell = {std::round(cell.x), std::round(cell.y), std::round(cell.x + cell.w) - std::round(cell.x) - gap,
            std::round(cell.y + cell.h) - std::round(cell.y) - gap};
        if (g.per_cell == 1) draw_cell(scene, p, pipe, slot, cell);
        else draw_group(scene, p, pipe, slot, g.per_cell, cell);
        if (differs >= slot && differs < slot + g.per_cell) p.outline(cell, p.theme.warn, std::max(p.px(3), 2.0f));
    }
    const auto press = p.area("ring/rows", area);
    const ImVec2 m = ImGui::GetIO().MousePos;
    const auto column = static_cast<std::uint32_t>(std::max(0.0f, (m.x - area.x) / g.cell_w)),
               row = static_cast<std::uint32_t>(std::max(0.0f, (m.y - area.y) / g.cell_h));
    const std::uint32_t under = (row * g.columns + column) * g.per_cell;
    if (!press.hovered || column >= g.columns || under >= pipe.ring_size) return;
    p.tip(slot_tip(scene, pipe, under));
    if (press.clicked && slot_live(pipe, under)) select_page(scene, pipe.bufs[under].page);
}

void RowsView::draw_cell(const Scene& scene, Paint& p, const Pipe& pipe, std::uint32_t slot, const Rect& cell) {
    const Theme& th = p.theme;
    const PipeBuffer& b = pipe.bufs[slot];
    const bool live = slot_live(pipe, slot);
    p.rect(cell, th.card);
    if (!live && cell.w > p.px(16)) p.outline(cell, th.line);
    if (live) {
        const SlotFill f = slot_fill(pipe, slot);
        const PageOwner owner = scene.s.pages.contains(b.page) ? scene.s.pages[b.page].owner : PageOwner::unknown;
        const Rect filled{cell.x + std::floor(cell.w * f.from), cell.y, std::max(std::ceil(cell.w * (f.to - f.from)), 1.0f), cell.h};
        const bool hatch = cell.w > p.px(16);
        if (hatch && f.from > 0) p.hatch({cell.x, cell.y, filled.x - cell.x, cell.h}, th.hatch, 5);
        if (hatch && f.dead_behind && f.to < 1) p.hatch({filled.right(), cell.y, cell.right() - filled.right(), cell.h}, th.hatch, 5);
        p.rect(filled, th.owner(owner));
        if (pipe.source == RingSource::inferred) p.hatch(filled, mix(th.owner(owner), th.card, 0.4f), 8);
        if (hatch && cell.h > p.px(20)) p.owner_mark(owner, filled.x + std::min(p.px(6), filled.w / 2), cell.y + p.px(6), p.px(5), th.on_fill);
        const std::string flags = buf_flags_string(b.flags);
        draw_text(p, scene.page(b.page), fmt::format("{}+{}{}{}", b.offset, b.len, flags.empty() ? "" : " ", flags), cell, filled);
    } else if (slot == scene.focus.slot && scene.focus.copies) {
        const float part = std::min(1.0f, static_cast<float>(scene.focus.bytes) / static_cast<float>(page_size));
        p.rect({cell.x, cell.y, std::ceil(cell.w * part), cell.h}, mix(th.card, th.kernel, 0.5f));
    }
    // The two pointers: a bar on the left edge of their slot, head from above, tail from below.
    if (slot == pipe.slot(pipe.head)) p.rect({cell.x, cell.y, std::max(p.px(3), 2.0f), std::ceil(cell.h / 2)}, th.now);
    if (slot == pipe.slot(pipe.tail)) p.rect({cell.x, cell.y + std::floor(cell.h / 2), std::max(p.px(3), 2.0f), std::ceil(cell.h / 2)}, th.warn);
    if (slot == scene.focus.slot) p.outline(cell, th.accent, std::max(p.px(2), 2.0f));
}

void RowsView::draw_text(Paint& p, const std::string& label, const std::string& where, const Rect& cell, const Rect& filled) {
    const float h = p.text_h(Face::mono_small), label_w = p.text_w(Face::mono_small, label), where_w = p.text_w(Face::mono_small, where);
    if (cell.h < h || label_w > cell.w - 2) return; // the tip has it
    const bool inside = label_w <= filled.w - 2;    // on the page's colour, or across its edge on a ground of its own
    const Rect& box = inside ? filled : cell;
    const bool two = cell.h > p.px(36) && where_w <= box.w - 2;
    const float y = cell.mid_y() - h / 2 - (two ? p.px(8) : 0);
    const Colour ink = inside ? p.theme.on_fill : p.theme.text;
    if (!inside) p.rect({cell.mid_x() - label_w / 2 - 2, y, label_w + 4, h}, p.theme.stage);
    p.text_in(Face::mono_small, box.x, y, box.w, ink, label, Align::centre);
    if (two) p.text_in(Face::mono_small, box.x, y + p.px(16), box.w, ink, where, Align::centre);
}

void RowsView::draw_group(const Scene& scene, Paint& p, const Pipe& pipe, std::uint32_t first, std::uint32_t count, const Rect& cell) {
    std::uint32_t live = 0;
    PageOwner owner = PageOwner::kernel;
    for (std::uint32_t s = first; s < first + count && s < pipe.ring_size; ++s) {
        if (!slot_live(pipe, s)) continue;
        ++live;
        if (pipe.bufs[s].page < scene.s.pages.size()) owner = scene.s.pages[pipe.bufs[s].page].owner;
    }
    const float part = static_cast<float>(live) / static_cast<float>(count);
    p.rect(cell, p.theme.card);
    p.rect({cell.x, cell.y, std::ceil(cell.w * part), cell.h}, p.theme.owner(owner));
    if (pipe.source == RingSource::inferred) p.hatch({cell.x, cell.y, std::ceil(cell.w * part), cell.h}, mix(p.theme.owner(owner), p.theme.card, 0.4f), 6);
    const auto inside = [&](std::uint32_t slot) { return slot >= first && slot < first + count; };
    if (inside(pipe.slot(pipe.head))) p.rect({cell.x, cell.y, 2, cell.h / 2}, p.theme.now);
    if (inside(pipe.slot(pipe.tail))) p.rect({cell.x, cell.y + cell.h / 2, 2, cell.h / 2}, p.theme.warn);
    if (scene.focus.slot != no_id && inside(scene.focus.slot)) p.outline(cell, p.theme.accent, 2);
}

float RowsView::draw_facts(const Scene& scene, Paint& p, const Pipe& pipe, const Rect& r) {
    const Theme& th = p.theme;
    float x = r.x;
    const float y = r.y, limit = r.right();
    const auto put = [&](Colour mark, const std::string& name, const std::string& figure) {
        if (mark) p.rect({x, y + p.px(2), p.px(4), p.px(13)}, mark), x += p.px(10);
        x += p.text_in(Face::strong, x, y, limit - x, th.text, name) + p.px(6);
        x += p.text_in(Face::mono, x, y, limit - x, th.muted, figure) + p.px(20);
    };
    put(th.now, "head", index_text(pipe, pipe.head));
    put(th.warn, "tail", index_text(pipe, pipe.tail));
    put(0, "mutex", scene.mutex_owner(pipe) + (pipe.mutex.waiters.empty() ? "" : fmt::format(", {} wait", pipe.mutex.waiters.size())));
    if (!pipe.wait[0].empty()) put(0, "rd_wait", task_label(scene.s, scene.names, pipe.wait[0][0].task));
    if (!pipe.wait[1].empty()) put(0, "wr_wait", task_label(scene.s, scene.names, pipe.wait[1][0].task));
    return p.px(28);
}

} // namespace pipescope

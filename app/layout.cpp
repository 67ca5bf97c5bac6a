// SPDX-License-Identifier: MIT
// Geometry of the views, and the division of a slot and of the window.
#include "app/layout.hpp"
#include <algorithm>
#include <cmath>
#include <numbers>

namespace pipescope {
namespace {

constexpr float turn = 2 * std::numbers::pi_v<float>;

} // namespace

Arc ring_arc(std::uint32_t slot, std::uint32_t slots, float gap) {
    const float step = turn / static_cast<float>(slots ? slots : 1);
    const float from = step * static_cast<float>(slot);
    return {from + gap / 2, from + step - gap / 2};
}

std::uint32_t ring_slot_at(float dx, float dy, float inner, float outer, std::uint32_t slots) {
    const float r = std::hypot(dx, dy);
    if (r < inner || r > outer || slots == 0) return no_id;
    float angle = std::atan2(dx, -dy); // 0 at 12 o'clock, growing clockwise
    if (angle < 0) angle += turn;
    return std::min(static_cast<std::uint32_t>(angle / turn * static_cast<float>(slots)), slots - 1);
}

float ring_text_room(Arc a, float inner, float outer, float angle, float radius, float half_h) {
    const auto inside = [&](float x, float y) {
        const float r = std::hypot(x, y);
        if (r < inner || r > outer) return false;
        float at = std::atan2(x, -y) - a.from;
        at -= turn * std::floor(at / turn);
        return at <= a.to - a.from;
    };
    const float cx = radius * std::sin(angle), cy = -radius * std::cos(angle);
    float half = outer;
    for (const float dy : {-half_h, 0.0f, half_h})
        for (const float side : {-1.0f, 1.0f}) {
            float x = 0;
            while (x < half && inside(cx + side * (x + 2), cy + dy)) x += 2;
            half = std::min(half, x);
        }
    return 2 * half;
}

bool slot_live(const Pipe& p, std::uint32_t slot) {
    if (p.ring_size == 0 || slot >= p.ring_size) return false;
    if (slot < p.bufs.size() && p.bufs[slot].ops == BufOps::null) return false; // emptied, or of a snapshot that is still being read
    return p.slot(slot - p.tail) < p.occupancy();
}

SlotFill slot_fill(const Pipe& p, std::uint32_t slot) {
    SlotFill f;
    if (slot >= p.bufs.size()) return f;
    const PipeBuffer& b = p.bufs[slot];
    const std::uint64_t end = std::uint64_t{b.offset} + b.len;
    f.span = static_cast<std::uint32_t>(std::max<std::uint64_t>(page_size, end)); // socket buffers reach beyond one page
    f.from = static_cast<float>(b.offset) / static_cast<float>(f.span);
    f.to = static_cast<float>(end) / static_cast<float>(f.span);
    const bool newest = p.occupancy() && p.slot(p.head - 1) == slot;
    f.dead_behind = !(newest && (b.flags & PIPE_BUF_FLAG_CAN_MERGE));
    return f;
}

Rect Grid::cell(const Rect& area, std::uint32_t slot) const {
    const std::uint32_t c = slot / per_cell;
    return {area.x + cell_w * static_cast<float>(c % columns), area.y + cell_h * static_cast<float>(c / columns), cell_w, cell_h};
}

Grid grid_layout(std::uint32_t slots, float w, float h, float min_cell) {
    Grid best;
    slots = std::max(slots, 1u);
    w = std::max(w, 1.0f), h = std::max(h, 1.0f);
    const float room = std::max(1.0f, (w / min_cell) * (h / min_cell));
    std::uint32_t per = 1;
    while (static_cast<float>(slots / per) > room) per *= 2;
    const std::uint32_t cells = (slots + per - 1) / per;
    float best_score = -1;
    for (std::uint32_t columns = 1; columns <= cells; columns *= 2) { // powers of two: a row begins at a round number
        const std::uint32_t rows = (cells + columns - 1) / columns;
        const float cw = w / static_cast<float>(columns), ch = std::min(h / static_cast<float>(rows), cw);
        const float score = std::min(ch, cw * 0.55f); // text lies: a cell may be wider than high
        if (score > best_score) best_score = score, best = {columns, rows, per, cw, ch};
    }
    return best;
}

Regions regions_layout(float w, float h, float scale) {
    Regions r;
    const float bar = std::round(48 * scale);
    r.narrow = w < 1080 * scale;
    const float when_h = std::round(std::clamp(h * 0.25f, 150 * scale, 250 * scale));
    const float mid_h = std::max(h - bar - when_h, 1.0f);
    const float who_w = std::round(std::clamp(w * 0.206f, 250 * scale, 340 * scale));
    const float why_w = r.narrow ? 0 : std::round(std::clamp(w * 0.262f, 300 * scale, 440 * scale));
    const float what_w = std::max(w - who_w - why_w, 1.0f);
    const bool memory = mid_h > 420 * scale;
    const float memory_h = memory ? std::round(std::clamp(mid_h * 0.29f, 150 * scale, 270 * scale)) : 0;
    r.toolbar = {0, 0, w, bar};
    r.who = {0, bar, who_w, mid_h};
    r.ring = {who_w, bar, what_w, mid_h - memory_h};
    r.memory = {who_w, bar + mid_h - memory_h, what_w, memory_h};
    r.why = {w - why_w, bar, why_w, mid_h};
    r.when = {0, h - when_h, w, when_h};
    return r;
}

std::uint64_t strip_first(std::uint64_t pages, std::uint64_t shown, std::uint64_t wanted) {
    if (shown == 0 || pages <= shown || wanted >= pages || wanted < shown) return 0;
    // Whole screens of tiles: the strip stands still while the copy walks along it, then turns over like a page.
    return std::min(wanted / shown * shown, pages - shown);
}

std::uint64_t tick_step(std::uint64_t span, int ticks) {
    const std::uint64_t least = std::max<std::uint64_t>(span / static_cast<std::uint64_t>(std::max(ticks, 1)), 1);
    std::uint64_t power = 1;
    while (power <= least / 10) power *= 10;
    for (const std::uint64_t m : {1u, 2u, 5u, 10u})
        if (power * m >= least) return power * m;
    return power * 10;
}

} // namespace pipescope

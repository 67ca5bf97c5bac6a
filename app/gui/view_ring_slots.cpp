// SPDX-License-Identifier: MIT
// The annulus itself: slots, their text, the two pointers and what stands in the middle.
#include "app/gui/view_ring.hpp"
#include "core/describe.hpp"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pipescope {
namespace {

bool overlap(const Rect& a, const Rect& b) { return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom(); }

std::string names_of(const Scene& scene, const std::vector<WaitEntry>& q) {
    std::string out;
    for (std::size_t i = 0; i < q.size() && i < 3; ++i) out += (i ? ", " : "") + task_label(scene.s, scene.names, q[i].task);
    return q.size() > 3 ? out + fmt::format(" +{}", q.size() - 3) : out;
}

// A slot that is being filled is not between tail and head yet.
bool in_making(const Scene& scene, const Pipe& pipe, std::uint32_t slot) {
    return scene.focus.slot == slot && !slot_live(pipe, slot) && stage_fills_slot(scene.focus.stage.stage);
}

} // namespace

void RingView::draw_slot(const Scene& scene, Paint& p, const Pipe& pipe, std::uint32_t slot) {
    const Theme& th = p.theme;
    const Arc a = ring_arc(slot, pipe.ring_size, gap_);
    const PipeBuffer& b = pipe.bufs[slot];
    p.wedge(cx_, cy_, inner_, outer_, a, th.card);
    if (slot_live(pipe, slot)) {
        const SlotFill f = slot_fill(pipe, slot);
        const PageOwner owner = scene.s.pages.contains(b.page) ? scene.s.pages[b.page].owner : PageOwner::unknown;
        const Arc filled{a.at(f.from), a.at(f.to)};
        if (f.from > 0) p.wedge_hatch(cx_, cy_, inner_, outer_, {a.from, filled.from}, th.hatch);
        if (f.dead_behind && f.to < 1) p.wedge_hatch(cx_, cy_, inner_, outer_, {filled.to, a.to}, th.hatch);
        p.wedge(cx_, cy_, inner_, outer_, filled, th.owner(owner));
        const float mark = std::min(filled.from + p.px(10) / outer_, filled.mid()), far = outer_ - p.px(9); // beside the text of the slot
        if (far - inner_ > p.px(36)) p.owner_mark(owner, cx_ + far * std::sin(mark), cy_ - far * std::cos(mark), p.px(7), th.on_fill);
        if (pipe.source == RingSource::inferred) p.wedge_hatch(cx_, cy_, inner_, outer_, filled, mix(th.owner(owner), th.card, 0.45f), 9);
    } else if (in_making(scene, pipe, slot)) {
        const float part = std::min(1.0f, static_cast<float>(scene.focus.bytes) / static_cast<float>(page_size));
        const PageId page = scene.focus.page;
        const Colour c = th.owner(page != no_page && scene.s.pages.contains(page) ? scene.s.pages[page].owner : PageOwner::kernel);
        p.wedge(cx_, cy_, inner_, outer_, {a.from, a.at(part)}, mix(th.card, c, 0.5f));
    }
    if (!slot_live(pipe, slot)) p.wedge_outline(cx_, cy_, inner_, outer_, a, th.line, 1);
    if (slot == scene.focus.slot) p.wedge_outline(cx_, cy_, inner_, outer_, a, th.accent, p.px(3));
    if (slot == differs_) p.wedge_outline(cx_, cy_, inner_, outer_, a, th.warn, p.px(4));
}

bool RingView::level_text(Paint& p, Face f, float angle, float radius, float dy, Colour c, std::string_view s, float room) const {
    if (p.text_w(f, s) > room) return false;
    p.text_in(f, cx_ + radius * std::sin(angle) - room / 2, cy_ - radius * std::cos(angle) - p.text_h(f) / 2 + dy, room, c, s, Align::centre);
    return true;
}

void RingView::draw_slot_text(const Scene& scene, Paint& p, const Pipe& pipe, std::uint32_t slot) {
    const Theme& th = p.theme;
    const Arc arc = ring_arc(slot, pipe.ring_size, gap_);
    const PipeBuffer& b = pipe.bufs[slot];
    const bool live = slot_live(pipe, slot), making = in_making(scene, pipe, slot);
    // Flags stand inside the ring, or behind the number where the middle has no room for them.
    const std::string flags = live ? buf_flags_string(b.flags) : "";
    const bool flags_inside = roomy(p);
    level_text(p, Face::mono_small, arc.mid(), outer_ + p.px(15), 0, slot == scene.focus.slot ? th.accent : th.muted,
        std::to_string(slot) + (flags_inside || flags.empty() ? "" : " " + flags), p.px(60));
    if (flags_inside) level_text(p, Face::mono_small, arc.mid(), inner_ - p.px(12), 0, th.muted, flags, p.px(40));
    if (!live && !making) return;
    // The text stands in the middle of what is filled where that is broad enough, else in the middle of the slot.
    const SlotFill f = slot_fill(pipe, slot);
    const float radius = (inner_ + outer_) / 2;
    const std::string label = scene.page(making ? scene.focus.page : b.page);
    const std::string where = making ? (scene.focus.copies ? "copying" : "filling in") : fmt::format("{}+{}", b.offset, b.len);
    const Arc filled{arc.at(f.from), arc.at(f.to)};
    const float label_w = p.text_w(Face::mono_strong, label), both_w = std::max(label_w, p.text_w(Face::mono_small, where));
    const bool broad =
        live && f.to - f.from > 0.4f && (f.to - f.from > 0.95f || ring_text_room(filled, inner_, outer_, filled.mid(), radius, p.px(8)) >= label_w);
    const Arc part = broad ? filled : arc;
    const float mid = part.mid(), one_line = ring_text_room(part, inner_, outer_, mid, radius, p.px(8)),
                two_lines = ring_text_room(part, inner_, outer_, mid, radius, p.px(16));
    const bool two = both_w <= two_lines;
    const float room = two ? two_lines : one_line;
    const Colour ink = broad ? th.on_fill : th.text;
    const bool inferred = live && pipe.source == RingSource::inferred;
    if (live && (!broad || inferred)) { // a small ground keeps the text legible across an edge, or over hatching
        const float w = (two ? both_w : label_w) + p.px(6), h = two ? p.px(38) : p.px(20);
        if (label_w <= room)
            p.rect({cx_ + radius * std::sin(mid) - w / 2, cy_ - radius * std::cos(mid) - h / 2, w, h},
                broad ? th.owner(scene.s.pages.contains(b.page) ? scene.s.pages[b.page].owner : PageOwner::unknown) : with_alpha(th.stage, 0.72f),
                p.px(3));
    }
    const float up = two ? -p.px(8) : 0;
    const PageId shown = making ? scene.focus.page : b.page;
    const PageOwner owner = scene.s.pages.contains(shown) ? scene.s.pages[shown].owner : PageOwner::unknown;
    if (!level_text(p, Face::mono_strong, mid, radius, up, ink, label, room) && !level_text(p, Face::mono_small, mid, radius, up, ink, label, room))
        level_text(p, Face::mono_strong, mid, radius, up, ink, std::string_view(page_owner_name(owner)).substr(0, 1), room);
    if (two) level_text(p, Face::mono_small, mid, radius, p.px(10), ink, where, room);
}

void RingView::draw_pointers(Paint& p, const Pipe& pipe, const Rect& r, const Rect& legend) {
    const Theme& th = p.theme;
    const float step = 6.2831853f / static_cast<float>(pipe.ring_size);
    const bool together = pipe.slot(pipe.head) == pipe.slot(pipe.tail); // empty, or full
    Rect taken[3] = {legend, {}, {}};
    int n = 1;
    const auto draw = [&](const char* name, std::uint32_t index, float shift, const std::string& below) {
        const float a = step * static_cast<float>(pipe.slot(index)) + shift;
        const float sin = std::sin(a), cos = std::cos(a);
        // Many slots: outside their numbers, which leave no room between them.
        const bool dense = pipe.ring_size > 16 || (together && step * outer_ < p.px(60));
        const float tip = outer_ + p.px(dense ? 23 : 4), end = outer_ + p.px(dense ? 41 : 32);
        const ImVec2 t{cx_ + tip * sin, cy_ - tip * cos}, e{cx_ + end * sin, cy_ - end * cos};
        p.line(e.x, e.y, t.x + sin * p.px(8), t.y - cos * p.px(8), th.now, p.px(3));
        const float w = p.px(6), back = p.px(12);
        p.dl->AddTriangleFilled(
            t, {t.x + sin * back - cos * w, t.y - cos * back - sin * w}, {t.x + sin * back + cos * w, t.y - cos * back + sin * w}, th.now);
        const std::string number = digits_grouped(index);
        const float head_w = p.text_w(Face::title, name) + p.px(8) + p.text_w(Face::mono_strong, number), below_w = p.text_w(Face::mono_small, below);
        // Above and below the ring in one line, clear of the slots' numbers; beside it in two.
        const bool flat = std::fabs(cos) > 0.75f;
        const float bw = flat ? head_w + p.px(12) + below_w : std::max(head_w, below_w), bh = flat ? p.px(18) : p.px(38);
        const bool right = sin > 0.02f || (sin > -0.02f && shift >= 0);
        Rect box{right ? e.x + p.px(flat ? 14 : 8) : e.x - p.px(flat ? 14 : 8) - bw, e.y - p.px(10), bw, bh};
        box.x = std::clamp(box.x, r.x, std::max(r.right() - bw, r.x));
        box.y = std::clamp(box.y, r.y, std::max(r.bottom() - bh, r.y));
        for (int i = 0; i < n; ++i) // the second label keeps clear of the first, both of the legend
            if (overlap(box, taken[i]))
                box.y = taken[i].bottom() + bh + p.px(4) < r.bottom() ? taken[i].bottom() + p.px(4) : taken[i].y - bh - p.px(4);
        taken[n++] = box;
        const float x = right || flat ? box.x : box.right() - head_w;
        const float behind = p.text(Face::title, x, box.y, th.text, name);
        p.text(Face::mono_strong, behind + p.px(8), box.y + p.px(2), th.text, number);
        if (flat) p.text(Face::mono_small, box.right() - below_w, box.y + p.px(3), th.muted, below);
        else p.text_in(Face::mono_small, box.x, box.y + p.px(22), bw, th.muted, below, right ? Align::left : Align::right);
    };
    const float shift = together ? p.px(9) / outer_ : 0;
    draw("head", pipe.head, pipe.empty() ? shift : -shift, index_text(pipe, pipe.head));
    const PipeBuffer& b = pipe.bufs[pipe.slot(pipe.tail)];
    draw("tail", pipe.tail, pipe.empty() ? -shift : shift,
        pipe.empty() ? std::string("equals head: empty") : fmt::format("first byte at {}", digits_grouped(b.offset)));
}

void RingView::draw_middle(const Scene& scene, Paint& p, const Pipe& pipe) {
    const Theme& th = p.theme;
    const float w = inner_ * 1.45f, line = p.px(19);
    const bool wide = roomy(p);
    std::uint32_t spinning = 0, asleep = 0;
    for (const TaskId t : pipe.mutex.waiters)
        if (t < scene.s.tasks.size()) (scene.s.tasks[t].run == RunState::lock_spin ? spinning : asleep) += 1;
    struct Line {
        std::string text;
        Colour colour;
        Face face;
    };
    std::vector<Line> below;
    if (!pipe.mutex.waiters.empty())
        below.push_back(
            {wide ? fmt::format("{} spinning · {} asleep", spinning, asleep) : fmt::format("{} wait", spinning + asleep), th.warn, Face::small});
    if (!pipe.wait[0].empty()) below.push_back({(wide ? "rd_wait: " : "") + names_of(scene, pipe.wait[0]), th.text, Face::small});
    if (!pipe.wait[1].empty()) below.push_back({(wide ? "wr_wait: " : "") + names_of(scene, pipe.wait[1]), th.text, Face::small});
    std::string spare;
    for (const PageId page : pipe.tmp_page)
        if (page != no_page) spare += (spare.empty() ? "" : " ") + scene.page(page);
    if (!spare.empty() && wide) below.push_back({"spare pages", th.muted, Face::small});
    if (!spare.empty()) below.push_back({wide ? spare : "spare " + spare, th.muted, Face::mono_small});
    if (wide)
        below.push_back(
            {fmt::format("{} reader{} · {} writer{}", pipe.readers, pipe.readers == 1 ? "" : "s", pipe.writers, pipe.writers == 1 ? "" : "s"),
                th.muted, Face::small});
    const float pill_h = p.px(28), height = line + pill_h + p.px(8) + line * static_cast<float>(below.size());
    float y = cy_ - height / 2;
    p.text_in(Face::small, cx_ - w / 2, y, w, th.muted, "mutex", Align::centre);
    y += line;
    const bool held = pipe.mutex.owner < scene.s.tasks.size();
    const Rect pill{cx_ - std::min(w * 0.4f, p.px(60)), y, 2 * std::min(w * 0.4f, p.px(60)), pill_h};
    p.pill(pill, held ? th.accent : th.stage, held ? th.accent : th.line);
    p.text_in(held ? Face::strong : Face::small, pill.x + p.px(6), pill.mid_y() - p.text_h(Face::body) / 2, pill.w - p.px(12),
        held ? th.on_accent : th.muted, scene.mutex_owner(pipe), Align::centre);
    y += pill_h + p.px(8);
    for (const Line& l : below) p.text_in(l.face, cx_ - w / 2, y, w, l.colour, l.text, Align::centre), y += line;
}

} // namespace pipescope

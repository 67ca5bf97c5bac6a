// SPDX-License-Identifier: MIT
// Draws the two rings as lines, the model's on a hatched ground, for it is a prediction.
#include "app/gui/view_pair.hpp"
#include "app/ring_pairs.hpp"
#include <algorithm>

namespace pipescope {

PairShown pair_shown(const Scene& scene, PipeId pipe) {
    PairShown out;
    for (const Parting& d : *scene.partings)
        if (d.n == scene.n && (d.pipe == pipe || d.pipe == no_id)) {
            out = {d.kernel, d.model, d.text, d.slot, true, "", false};
            break;
        }
    lockstep::Run* const run = scene.doc.in_step();
    const RingPair* const pair = pair_at(*scene.pairs, pipe, scene.n);
    if (pair && run && scene.n <= run->comparison().until) {
        out.kernel = pair->kernel, out.model = pair->model;
        if (!pair->same()) out.diverged = true, out.slot = pair->slot;
    }
    if (!run || scene.n != scene.timeline.size()) return out;
    out.waiting = run->waiting();
    if (run->more()) out.coming = coming_text(run->coming(), out.waiting, run->comparison().why.empty());
    return out;
}

float pair_h(const Paint& p, const PairShown& s) {
    float h = s.any() ? 6 : 0;
    if (s.diverged && (s.kernel.empty() || !s.text.empty())) h += 24;
    if (!s.kernel.empty()) h += 48;
    if (!s.coming.empty()) h += 26;
    return p.px(h);
}

namespace {

constexpr float tag_px = 62, row_px = 24;

// A line with its name before it; a hatched name is of what is not read from the kernel.
struct PairLine {
    const char* name;
    const std::string& text;
    Colour ink;
    bool hatched;
    const char* end; // at the right
};

void draw_line(Paint& p, const PairLine& l, const Rect& box) {
    const Theme& th = p.theme;
    const float tag = p.px(tag_px), h = p.text_h(Face::mono_small);
    p.rect(box, th.card, p.px(3));
    if (l.hatched) p.hatch({box.x, box.y, tag - p.px(4), box.h}, th.hatch, 6);
    if (l.hatched) p.rect({box.x + p.px(4), box.y + p.px(2), p.text_w(Face::small, l.name) + p.px(6), box.h - p.px(4)}, th.card);
    p.text_in(Face::small, box.x + p.px(7), box.mid_y() - p.text_h(Face::small) / 2, tag, th.text, l.name);
    const float end_w = *l.end ? p.text_w(Face::small, l.end) + p.px(10) : 0;
    const float used = p.text_in(Face::mono_small, box.x + tag + p.px(4), box.mid_y() - h / 2, box.w - tag - p.px(10) - end_w, l.ink, l.text);
    if (used + 1 < p.text_w(Face::mono_small, l.text) && p.area(std::string("ring/pair/") + l.name, box).hovered) p.tip(l.text);
    if (end_w > 0) p.text_in(Face::small, box.right() - end_w, box.mid_y() - p.text_h(Face::small) / 2, end_w - p.px(4), th.accent, l.end, Align::right);
}

} // namespace

void draw_pair(Paint& p, const PairShown& s, const Rect& r) {
    if (!s.any()) return;
    const Theme& th = p.theme;
    float y = r.y;
    const char* word = "DIVERGED";
    float badge_w = s.diverged ? p.text_w(Face::strong, word) + p.px(16) : 0;
    if (s.diverged) {
        const Rect badge{r.right() - badge_w, y, badge_w, p.px(22)};
        p.rect(badge, th.warn, p.px(4));
        p.text_in(Face::strong, badge.x, badge.mid_y() - p.text_h(Face::strong) / 2, badge.w, th.dark ? th.on_fill : th.on_accent, word, Align::centre);
        p.marks.add("ring/diverged", badge);
        badge_w += p.px(8);
    }
    const auto row = [&](const PairLine& l) {
        draw_line(p, l, {r.x, y, r.w - (y == r.y ? badge_w : 0), p.px(row_px - 3)});
        y += p.px(row_px);
    };
    if (s.diverged && (s.kernel.empty() || !s.text.empty())) {
        p.text_in(Face::small, r.x, y + p.px(3), r.w - badge_w, th.warn, s.text);
        y += p.px(24);
    }
    if (!s.kernel.empty()) {
        row({"kernel", s.kernel, th.text, false, ""});
        row({"model", s.model, s.diverged ? th.warn : th.text, true, s.diverged ? "" : "= kernel"});
    }
    if (s.coming.empty()) return;
    y += p.px(2);
    const Rect box{r.x, y, r.w, p.px(row_px - 3)};
    draw_line(p, {s.waiting ? "now" : "next", s.coming, th.text, true, ""}, box);
    p.outline(box, s.waiting ? th.warn : th.accent, 1, p.px(3));
    p.marks.add("ring/coming", box);
}

} // namespace pipescope

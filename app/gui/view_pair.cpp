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
            out = {d.kernel, d.model, d.text, d.slot, true};
            break;
        }
    if (const RingPair* pair = pair_at(*scene.pairs, pipe, scene.n)) {
        out.kernel = pair->kernel, out.model = pair->model;
        if (!pair->same()) out.diverged = true, out.slot = pair->slot;
    }
    return out;
}

float pair_h(const Paint& p, const PairShown& s) {
    if (!s.any()) return 0;
    return p.px(s.kernel.empty() ? 30 : 54) + (s.diverged && !s.text.empty() && !s.kernel.empty() ? p.px(22) : 0);
}

void draw_pair(Paint& p, const PairShown& s, const Rect& r) {
    if (!s.any()) return;
    const Theme& th = p.theme;
    float y = r.y;
    const float tag = p.px(62), row = p.px(24), h = p.text_h(Face::mono_small);
    const char* word = "DIVERGED";
    const float badge_w = s.diverged ? p.text_w(Face::strong, word) + p.px(16) : 0;
    if (s.diverged) {
        const Rect badge{r.right() - badge_w, y, badge_w, p.px(22)};
        p.rect(badge, th.warn, p.px(4));
        p.text_in(Face::strong, badge.x, badge.mid_y() - p.text_h(Face::strong) / 2, badge.w, th.dark ? th.on_fill : th.on_accent, word, Align::centre);
        p.marks.add("ring/diverged", badge);
    }
    if (s.kernel.empty() || !s.text.empty()) {
        p.text_in(Face::small, r.x, y + p.px(3), r.w - badge_w - p.px(10), th.warn, s.text);
        y += p.px(24);
    }
    if (s.kernel.empty()) return;
    for (const auto& [name, line] : {std::pair{"kernel", &s.kernel}, {"model", &s.model}}) {
        const bool model = line == &s.model;
        const float w = r.w - (y == r.y && s.diverged ? badge_w + p.px(8) : 0);
        const Rect box{r.x, y, w, row - p.px(3)};
        p.rect(box, th.card, p.px(3));
        if (model) p.hatch({box.x, box.y, tag - p.px(4), box.h}, th.hatch, 6);
        const float name_w = p.text_w(Face::small, name) + p.px(6);
        if (model) p.rect({box.x + p.px(4), box.y + p.px(2), name_w, box.h - p.px(4)}, th.card);
        p.text_in(Face::small, box.x + p.px(7), box.mid_y() - p.text_h(Face::small) / 2, tag, th.text, name);
        const std::string end = model && !s.diverged ? "= kernel" : "";
        const float end_w = end.empty() ? 0 : p.text_w(Face::small, end) + p.px(10);
        const float used = p.text_in(Face::mono_small, box.x + tag + p.px(4), box.mid_y() - h / 2, box.w - tag - p.px(10) - end_w, model && s.diverged ? th.warn : th.text, *line);
        if (used + 1 < p.text_w(Face::mono_small, *line) && p.area(std::string("ring/pair/") + name, box).hovered) p.tip(*line);
        if (end_w > 0) p.text_in(Face::small, box.right() - end_w, box.mid_y() - p.text_h(Face::small) / 2, end_w - p.px(4), th.accent, end, Align::right);
        y += row;
    }
}

} // namespace pipescope

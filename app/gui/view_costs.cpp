// SPDX-License-Identifier: MIT
// Draws the tree of call paths.
#include "app/gui/view_costs.hpp"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pipescope {
namespace {

constexpr double least = 0.004; // a share; what is less is left out

std::string percent(double share) { return share >= 0.0005 ? fmt::format("{:.1f} %", share * 100) : ""; }

} // namespace

float draw_cost_lines(Paint& p, const CostTree& tree, std::size_t most, const Rect& at) {
    const Theme& th = p.theme;
    const float col = p.text_w(Face::mono_small, "100.0 %") + p.px(8), step = p.px(20), h = p.text_h(Face::small);
    const float x = at.x + 2 * col + p.px(6), w = at.right() - x;
    std::uint32_t deepest = 0;
    for (const CostLine& line : tree.lines) deepest = std::max(deepest, line.depth);
    const float indent = std::min(p.px(11), w * 0.45f / static_cast<float>(deepest + 1)), whole = w - indent * static_cast<float>(deepest);
    float y = at.y;
    p.text_in(Face::small, at.x, y, col - p.px(4), th.muted, "total", Align::right);
    p.text_in(Face::small, at.x + col, y, col - p.px(4), th.muted, "self", Align::right);
    p.text_in(Face::small, x, y, w, th.muted, "function, its stages");
    y += step;
    for (std::size_t i = 0; i < tree.lines.size() && i < most; ++i, y += step) {
        const CostLine& line = tree.lines[i];
        const float in = indent * static_cast<float>(line.depth);
        const Rect bar{x + in, y, std::max(whole * static_cast<float>(line.total), p.px(2)), step - p.px(3)}; // one scale for all
        p.rect(bar, mix(th.panel, line.stage ? th.lane_call : th.link, th.dark ? 0.32f : 0.26f), p.px(2));
        const float ty = y + (step - p.px(3) - h) / 2;
        p.text_in(Face::mono_small, at.x, ty, col - p.px(4), th.text, percent(line.total), Align::right);
        p.text_in(Face::mono_small, at.x + col, ty, col - p.px(4), th.muted, percent(line.self), Align::right);
        p.text_in(line.stage ? Face::small : Face::mono_small, x + in + p.px(5), ty, w - in - p.px(6), th.text, line.name);
    }
    if (tree.lines.size() > most)
        p.text_in(Face::small, x, y, w, th.muted, fmt::format("and {} more", tree.lines.size() - most)), y += step;
    return y - at.y;
}

void CostsView::draw(Scene& scene, Paint& p, const Rect& r) {
    costs_.update(scene.timeline);
    if (n_ != scene.n || size_ != scene.timeline.size()) {
        n_ = scene.n, size_ = scene.timeline.size();
        tree_ = costs_.at(n_, n_ ? scene.timeline[n_ - 1].t_ns : 0, scene.s, scene.names, least);
    }
    Paint::Scroll scroll(p, "costs", r);
    const Rect in = scroll.area();
    const Rect at{in.x + p.px(16), in.y, in.w - p.px(30), 0};
    float y = at.y + p.px(4);
    if (!tree_.total_ns)
        return scroll.end_at(y + p.text_wrapped(Face::body, at.x, y, at.w, p.theme.muted,
                                     scene.lanes.end(false) ? "Nobody has been in the kernel yet." : "This run takes no time: there is none to share out."));
    const bool calls_only = scene.doc.recorded() && scene.doc.meta().calls_only(); // who sleeps in one is not known
    const bool asleep = std::any_of(tree_.off.begin(), tree_.off.end(), [](const auto& o) { return o.second.space_ns + o.second.data_ns > 0; });
    p.text_in(Face::strong, at.x, y, at.w, p.theme.text,
        time_text(tree_.total_ns) + (calls_only ? asleep ? " in calls, less the sleeps that are inferred" : " in calls, asleep or not" : " on a CPU in the kernel, all tasks"));
    y += p.px(24);
    y += draw_cost_lines(p, tree_, 400, {at.x, y, at.w, 0}) + p.px(12);
    y += draw_off(scene, p, {at.x, y, at.w, 0});
    scroll.end_at(y + p.px(8));
}

// A bar a task: its own code, and what it waited for.
float CostsView::draw_off(const Scene& scene, Paint& p, const Rect& at) {
    const Theme& th = p.theme;
    float y = at.y;
    p.text_in(Face::strong, at.x, y, at.w, th.text, "Outside: own code, and waiting");
    y += p.px(26);
    std::uint64_t most = 1;
    const auto sum = [](const OffCpu& o) { return o.user_ns + o.lock_ns + o.space_ns + o.data_ns + o.ready_ns; };
    for (const auto& [t, o] : tree_.off) most = std::max(most, sum(o));
    for (const auto& [t, o] : tree_.off) {
        p.text_in(Face::body, at.x, y, at.w * 0.6f, th.text, task_label(scene.s, scene.names, t));
        p.text_in(Face::mono_small, at.x + at.w * 0.6f, y + p.px(2), at.w * 0.4f, th.muted, time_text(sum(o)), Align::right);
        y += p.px(20);
        const std::pair<std::uint64_t, LaneKind> parts[] = {{o.user_ns, LaneKind::user}, {o.lock_ns, LaneKind::lock_wait}, {o.space_ns, LaneKind::sleep_full},
            {o.data_ns, LaneKind::sleep_empty}, {o.ready_ns, LaneKind::woken}};
        float x = at.x;
        std::string words;
        for (const auto& [ns, kind] : parts) {
            if (!ns) continue;
            const float w = at.w * static_cast<float>(static_cast<double>(ns) / static_cast<double>(most));
            const Rect box{std::round(x), y, std::max(std::round(x + w) - std::round(x), 1.0f), p.px(10)};
            p.rect(box, th.lane(kind));
            if (kind == LaneKind::sleep_full) p.hatch(box, th.hatch, 4);
            x += w;
            words += (words.empty() ? "" : " · ") + fmt::format("{} {}", lane_kind_name(kind), time_text(ns));
        }
        y += p.px(14);
        y += p.text_wrapped(Face::small, at.x, y, at.w, th.muted, words.empty() ? "always in the kernel" : words, 3) + p.px(8);
    }
    return y - at.y;
}

} // namespace pipescope

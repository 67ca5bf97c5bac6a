// SPDX-License-Identifier: MIT
// The frame of WHEN: which part of the run it shows, and what the mouse does there.
#include "app/gui/view_when.hpp"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pipescope {
namespace {

constexpr double events_first = 160; // events that the first window shows about

} // namespace

void WhenView::draw(Scene& scene, Paint& p, const Rect& r) {
    p.rect(r, p.theme.panel);
    p.line(r.x, r.y, r.right(), r.y, p.theme.line);
    const float label = p.px(110), pad = p.px(18), strip_h = p.px(12), ticks_h = p.px(20), head_h = p.px(36);
    axis_.area = {r.x + label, r.y + head_h, r.w - label - pad, r.h - head_h - ticks_h - strip_h - p.px(12)};
    by_event_ = scene.sel.by_event || scene.lanes.end(false) == 0; // a run that takes no time is shown event by event
    follow(scene);
    draw_header(scene, p, r);

    // Lanes share the height: tasks, the mutex at half of one, the slots at two of them.
    const auto& tasks = scene.lanes.tasks(by_event_);
    const PipeId pipe = scene.pipe();
    const auto& mutexes = scene.lanes.mutexes(by_event_);
    std::vector<TaskId>& rows = rows_;
    rows.clear();
    for (TaskId t = 0; t < tasks.size(); ++t)
        if (tasks.size() == 1 || t != 0 || scene.s.tasks.empty() || scene.s.tasks[0].calls || t == scene.focus.task) rows.push_back(t);
    const Rect& area = axis_.area;
    const float least = p.px(15), rest = 1.9f; // the mutex and the slots, in lanes
    while (rows.size() > 1 && area.h / (static_cast<float>(rows.size()) + rest) < least) rows.pop_back();
    const float unit = std::min(area.h / (static_cast<float>(rows.size()) + rest), p.px(34));
    float y = area.y;
    const auto name = [&](const std::string& s, float h) {
        const Face face = unit < p.px(24) ? Face::small : Face::body;
        p.text_in(face, r.x + p.px(18), y + h / 2 - p.text_h(face) / 2, label - p.px(24), p.theme.text, s);
    };
    for (const TaskId t : rows) {
        name(task_label(scene.timeline.state(), scene.names, t), unit - p.px(4));
        draw_lane(scene, p, tasks[t], {area.x, y, area.w, unit - p.px(4)}, false);
        y += unit;
    }
    draw_wakes(scene, p, area.y, unit);
    if (pipe != no_id && pipe < mutexes.size()) {
        name("mutex", unit * 0.6f - p.px(2));
        if (mutexes[pipe].empty() && scene.doc.recorded())
            p.text_in(Face::small, area.x + p.px(6), y + (unit * 0.6f - p.px(2)) / 2 - p.text_h(Face::small) / 2, area.w, p.theme.muted,
                "who has it was not recorded");
        draw_lane(scene, p, mutexes[pipe], {area.x, y + p.px(2), area.w, unit * 0.6f - p.px(4)}, true);
        y += unit * 0.7f;
        const float h = std::max(area.bottom() - y - p.px(4), p.px(10));
        name("slots", std::min(h, unit));
        draw_slots(scene, p, {area.x, y + p.px(4), area.w, h - p.px(2)});
    }
    draw_coming(scene, p, area);
    draw_ticks(p, {area.x, area.bottom() + p.px(2), area.w, ticks_h});
    if (scene.against && !scene.against->same()) draw_differences(scene, p, area);
    draw_partings(scene, p, area);
    const float cx = axis_.x(cursor_);
    if (cx >= area.x - 1 && cx <= area.right() + 1) {
        p.line(cx, area.y - p.px(6), cx, area.bottom(), p.theme.now, p.px(2));
        p.dl->AddTriangleFilled({cx - p.px(6), area.y - p.px(9)}, {cx + p.px(6), area.y - p.px(9)}, {cx, area.y - p.px(1)}, p.theme.now);
    }
    take_input(scene, p, area);
    draw_overview(scene, p, {area.x, r.bottom() - strip_h - p.px(8), area.w, strip_h});
}

double WhenView::at_event(const Scene& scene, std::size_t n) const {
    n = std::min(n, scene.timeline.size());
    return by_event_ ? static_cast<double>(n) : static_cast<double>(n ? scene.timeline[n - 1].t_ns : 0);
}

void WhenView::follow(const Scene& scene) {
    made_ = static_cast<double>(std::max<std::uint64_t>(scene.lanes.end(by_event_), 1));
    const double end = scene.doc.in_step() && scene.doc.more() ? made_ * 1.12 : made_;
    const bool first = span_ == 0 || end < axis_.from;
    if (scene.doc.in_step() && span_ == whole_ && scene.timeline.size() <= 400) span_ = end; // what was in sight as a whole stays so
    whole_ = end;
    cursor_ = at_event(scene, scene.n);
    if (first) span_ = scene.timeline.size() > 400 ? std::max(end * events_first / static_cast<double>(scene.timeline.size()), 16.0) : end;
    span_ = std::clamp(span_, std::min(8.0, end), end);
    if (first || scene.n != seen_n_) { // the cursor stays in sight; the window moves by halves, not with every step
        if (first || cursor_ < axis_.from || cursor_ > axis_.from + span_ * 0.97) axis_.from = cursor_ - span_ * 0.4;
        seen_n_ = scene.n;
    }
    axis_.from = std::clamp(axis_.from, 0.0, std::max(end - span_, 0.0));
    axis_.to = axis_.from + span_;
}

void WhenView::draw_header(Scene& scene, Paint& p, const Rect& r) {
    const float y = r.y + p.px(10);
    float x = p.heading(r.x + p.px(18), y, "WHEN") + p.px(18);
    const auto from = static_cast<std::uint64_t>(axis_.from), whole = static_cast<std::uint64_t>(made_), to = std::min(static_cast<std::uint64_t>(axis_.to), whole);
    const std::string range = by_event_ ? fmt::format("events {} – {} of {}", digits_grouped(from), digits_grouped(to), digits_grouped(whole))
                                        : time_span_text(from, to, whole);
    x += p.text_in(Face::mono, x, y, r.w * 0.4f, p.theme.muted, range) + p.px(14);
    const char* other = scene.sel.by_event ? "by time" : "by event";
    const float bw = p.text_w(Face::small, other) + p.px(20);
    if (scene.lanes.end(false) && p.button("when/axis", {x, y - p.px(4), bw, p.px(24)}, other, {Face::small, false, true, false}))
        scene.sel.by_event = !scene.sel.by_event, span_ = 0;
    x += bw + p.px(20);
    if (scene.doc.recorded() && scene.doc.meta().calls_only()) x += p.text_in(Face::strong, x, y, p.px(120), p.theme.warn, "sleeps inferred") + p.px(20);
    const auto width = [&](int k) { return p.text_w(Face::small, lane_kind_name(static_cast<LaneKind>(k))) + p.px(38); };
    int shown = 0; // as many as there is room for, the commonest first
    float left = r.right() - p.px(18);
    while (shown + 1 < static_cast<int>(LaneKind::count) && left - width(shown + 1) >= x) left -= width(++shown);
    for (int k = 1; k <= shown; left += width(k++)) {
        const auto kind = static_cast<LaneKind>(k);
        const Rect box{left, y + p.px(2), p.px(12), p.px(12)};
        p.rect(box, p.theme.lane(kind), p.px(2));
        if (kind == LaneKind::sleep_full) p.hatch(box, p.theme.hatch, 4);
        p.text(Face::small, left + p.px(19), y, p.theme.muted, lane_kind_name(kind));
    }
}

void WhenView::take_input(Scene& scene, Paint& p, const Rect& area) {
    const Paint::Press press = p.area("when/lanes", area);
    const ImGuiIO& io = ImGui::GetIO();
    if (press.held) seek_to(scene, axis_.at(io.MousePos.x));
    if (press.hovered && io.MouseWheel != 0) { // zoom about the pointer
        const double pivot = axis_.at(io.MousePos.x), before = span_;
        span_ = std::clamp(span_ * std::pow(0.8, static_cast<double>(io.MouseWheel)), std::min(8.0, whole_), whole_);
        axis_.from = std::clamp(pivot - (pivot - axis_.from) * span_ / before, 0.0, std::max(whole_ - span_, 0.0));
    }
}

void WhenView::seek_to(Scene& scene, double at) const {
    const double v = std::clamp(at, 0.0, whole_);
    const std::size_t n = by_event_ ? static_cast<std::size_t>(v + 0.5) : scene.timeline.at_time(static_cast<std::uint64_t>(v));
    if (n != scene.n) scene.sel.seek = std::min(n, scene.timeline.size());
}

void WhenView::draw_overview(Scene& scene, Paint& p, const Rect& r) {
    p.rect(r, p.theme.card);
    const auto& tasks = scene.lanes.tasks(by_event_);
    const double per_px = whole_ / static_cast<double>(r.w);
    const std::size_t n = std::min<std::size_t>(rows_.size(), 4);
    for (std::size_t row = 0; row < n; ++row) { // a thin line for each of the first tasks, muted
        const float h = r.h / static_cast<float>(n), y = r.y + h * static_cast<float>(row);
        std::uint32_t run = no_id;
        float run_x = 0;
        for (float x = 0; x <= r.w; x += 3) {
            const std::uint32_t v =
                x + 3 > r.w ? no_id - 1
                            : lane_most(tasks[rows_[row]], static_cast<std::uint64_t>(x * per_px), static_cast<std::uint64_t>((x + 3) * per_px) + 1);
            if (v == run) continue;
            if (run < static_cast<std::uint32_t>(LaneKind::count) && run)
                p.rect({r.x + run_x, y, x - run_x, h - 1}, mix(p.theme.panel, p.theme.lane(static_cast<LaneKind>(run)), 0.6f));
            run = v, run_x = x;
        }
    }
    if (whole_ > made_) {
        const float x = r.x + std::round(static_cast<float>(made_ / whole_) * r.w);
        p.rect({x, r.y, r.right() - x, r.h}, p.theme.panel), p.hatch({x, r.y, r.right() - x, r.h}, p.theme.line, 5);
    }
    const float x0 = r.x + static_cast<float>(axis_.from / whole_) * r.w, x1 = r.x + static_cast<float>(axis_.to / whole_) * r.w;
    p.outline({x0, r.y - p.px(2), std::max(x1 - x0, p.px(6)), r.h + p.px(4)}, p.theme.now, p.px(2), p.px(3));
    const float cx = r.x + static_cast<float>(cursor_ / whole_) * r.w;
    p.rect({cx - 1, r.y - p.px(2), 2, r.h + p.px(4)}, p.theme.now);
    if (scene.against && scene.against->first < scene.against->events_here) {
        const float x = r.x + static_cast<float>(at_event(scene, scene.against->first + 1) / whole_) * r.w;
        p.dl->AddTriangleFilled({x - p.px(5), r.y - p.px(5)}, {x + p.px(5), r.y - p.px(5)}, {x, r.y + p.px(4)}, p.theme.warn);
    }
    for (const Parting& d : *scene.partings) {
        const float x = r.x + static_cast<float>(at_event(scene, d.n) / whole_) * r.w;
        p.dl->AddTriangleFilled({x - p.px(5), r.y - p.px(5)}, {x + p.px(5), r.y - p.px(5)}, {x, r.y + p.px(4)}, p.theme.warn);
    }
    const Paint::Press press = p.area("when/overview", {r.x, r.y - p.px(4), r.w, r.h + p.px(8)});
    if (!press.held) return;
    const double at = static_cast<double>((ImGui::GetIO().MousePos.x - r.x) / r.w) * whole_;
    axis_.from = std::clamp(at - span_ / 2, 0.0, std::max(whole_ - span_, 0.0));
    seek_to(scene, at);
}

} // namespace pipescope

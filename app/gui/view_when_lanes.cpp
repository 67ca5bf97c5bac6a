// SPDX-License-Identifier: MIT
// The drawn contents of WHEN: lanes, the mutex, the curve of slots and the ticks, down to columns of two pixels.
#include "app/gui/view_when.hpp"
#include <algorithm>
#include <cmath>
#include <utility>
#include <fmt/format.h>

namespace pipescope {
namespace {

constexpr float column = 2; // pixels; below this a span is not drawn by itself

} // namespace

Colour WhenView::lane_colour(const Paint& p, std::uint32_t value, bool mutex) const {
    const Theme& th = p.theme;
    if (!mutex) return th.lane(static_cast<LaneKind>(value));
    const Colour owners[] = {th.accent, th.kernel, th.socket, th.cache, th.user, th.zero};
    return mix(th.panel, owners[(value ? value - 1 : 5) % std::size(owners)], 0.75f);
}

void WhenView::draw_lane(const Scene& scene, Paint& p, const Lane& lane, const Rect& r, bool mutex) {
    const auto from = static_cast<std::uint64_t>(axis_.from), to = static_cast<std::uint64_t>(axis_.to) + 1;
    const bool inferred = scene.doc.recorded() && scene.doc.meta().calls_only(); // when it slept
    const std::uint32_t nothing = mutex ? no_id : static_cast<std::uint32_t>(LaneKind::none);
    const auto put = [&](float x0, float x1, std::uint32_t value) {
        if (value == nothing || value == no_id) return;
        x0 = std::max(x0, r.x), x1 = std::min(x1, r.right());
        const bool gap = x1 - x0 > 4;
        const Rect box{std::round(x0), r.y, std::max(std::round(x1) - std::round(x0) - (gap ? 1 : 0), 1.0f), r.h};
        p.rect(box, lane_colour(p, value, mutex));
        const bool full = !mutex && value == static_cast<std::uint32_t>(LaneKind::sleep_full);
        const bool guessed = inferred && !mutex && (full || value == static_cast<std::uint32_t>(LaneKind::sleep_empty));
        if (full || guessed) {
            if (box.w > 4) p.hatch(box, full ? p.theme.hatch : mix(lane_colour(p, value, false), p.theme.panel, 0.45f), guessed ? 4 : 6);
            else if (full) p.rect({box.x, box.y, 1, box.h}, p.theme.hatch);
        }
        if (mutex && box.w > p.px(60))
            p.text_in(Face::small, box.x + p.px(6), box.mid_y() - p.text_h(Face::small) / 2, r.h >= p.text_h(Face::small) ? box.w - p.px(10) : 0,
                p.theme.on_fill, task_label(scene.timeline.state(), scene.names, value));
    };
    if (static_cast<float>(lane_count(lane, from, to)) * column * 2 > r.w) { // too many to draw one by one
        std::uint32_t run = no_id;
        float run_x = r.x;
        for (float x = r.x; x < r.right(); x += column) {
            const std::uint32_t v = lane_most(lane, static_cast<std::uint64_t>(axis_.at(x)), static_cast<std::uint64_t>(axis_.at(x + column)) + 1);
            if (v == run) continue;
            put(run_x, x, run);
            run = v, run_x = x;
        }
        put(run_x, r.right(), run);
        return;
    }
    const std::uint32_t first = lane_at(lane, from);
    for (std::size_t i = first == no_id ? 0 : first; i < lane.size() && lane[i].from < to; ++i) {
        const double end = i + 1 < lane.size() ? static_cast<double>(lane[i + 1].from) : whole_;
        put(axis_.x(static_cast<double>(lane[i].from)), axis_.x(end), lane[i].value);
    }
}

// From the waker at the time it wakes to the woken at the time it goes on. Where they stand too close, some are left out.
void WhenView::draw_wakes(const Scene& scene, Paint& p, float top, float unit) {
    const auto& wakes = scene.lanes.wakes();
    const auto from = [&](const WakeUp& w) { return static_cast<double>(by_event_ ? w.from_n : w.from_ns); };
    auto it = std::lower_bound(wakes.begin(), wakes.end(), axis_.from, [&](const WakeUp& w, double v) { return from(w) < v; });
    const auto row = [&](TaskId t) { return static_cast<std::size_t>(std::find(rows_.begin(), rows_.end(), t) - rows_.begin()); };
    const std::ptrdiff_t many = std::lower_bound(it, wakes.end(), axis_.to, [&](const WakeUp& w, double v) { return from(w) < v; }) - it;
    const std::ptrdiff_t stride = std::max<std::ptrdiff_t>(1, many * static_cast<std::ptrdiff_t>(p.px(10)) / std::max<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(axis_.area.w)));
    const Colour ink = p.theme.dark ? p.theme.text : p.theme.now, edge = with_alpha(p.theme.panel, 0.8f);
    for (std::ptrdiff_t i = 0; i < many; i += stride) {
        const WakeUp& w = it[i];
        const std::size_t a = row(w.waker), b = row(w.woken);
        if (a >= rows_.size() || b >= rows_.size() || a == b) continue;
        const double to = static_cast<double>(w.to_n == 0 ? scene.lanes.end(by_event_) : by_event_ ? w.to_n : w.to_ns);
        const float lane = unit - p.px(4), ya = top + unit * static_cast<float>(a), yb = top + unit * static_cast<float>(b);
        const bool down = b > a;
        const float x0 = std::round(axis_.x(from(w))), x1 = std::min(std::round(axis_.x(to)), axis_.area.right());
        const float y0 = down ? ya + lane * 0.62f : ya + lane * 0.38f, tip = down ? yb + lane * 0.34f : yb + lane * 0.66f;
        const float size = std::clamp(lane * 0.22f, p.px(3), p.px(6)), y1 = down ? tip - size : tip + size, bend = (y1 - y0) * 0.55f;
        const float x_last = w.to_n == 0 ? std::min(x1, x0 + p.px(26)) : x1; // it has not gone on yet
        for (const bool under : {true, false}) {
            const float thick = under ? p.px(4) : std::max(p.px(1.6f), 1.5f);
            p.dl->AddBezierCubic({x0, y0}, {x0, y0 + bend}, {x_last, y1 - bend}, {x_last, y1}, under ? edge : ink, thick);
            p.dl->AddCircleFilled({x0, y0}, under ? p.px(4) : p.px(2.6f), under ? edge : ink, 10);
        }
        if (w.to_n) p.dl->AddTriangleFilled({x_last - size, y1}, {x_last + size, y1}, {x_last, tip}, ink);
    }
}

void WhenView::draw_slots(const Scene& scene, Paint& p, const Rect& r) {
    const auto& all = scene.lanes.slots(by_event_);
    const PipeId pipe = scene.pipe();
    if (pipe >= all.size()) return;
    const Lane& lane = all[pipe];
    const auto most = static_cast<float>(std::max(scene.lanes.ring_size(pipe), 1u));
    const Theme& th = p.theme;
    const bool inferred = pipe < scene.s.pipes.size() && scene.s.pipes[pipe].source == RingSource::inferred;
    const std::string top = std::to_string(scene.lanes.ring_size(pipe));
    for (float x = r.x; x < r.right(); x += p.px(8)) p.line(x, r.y, std::min(x + p.px(4), r.right()), r.y, th.line);
    p.text_in(Face::mono_small, r.x - p.px(46), r.y - p.text_h(Face::mono_small) / 2 + p.px(2), p.px(40), th.muted, top, Align::right);
    const auto level = [&](std::uint32_t v) { return std::round(r.bottom() - (r.h - 1) * std::min(static_cast<float>(v) / most, 1.0f)); };
    float run_x = r.x, last_y = -1;
    LaneRange run{0, 0};
    bool begun = false;
    const auto flush = [&](float x) {
        if (!begun || x <= run_x) return;
        const float y = level(run.most), low = level(run.least);
        p.rect({run_x, y, x - run_x, r.bottom() - y}, th.curve);
        if (inferred) p.hatch({run_x, y, x - run_x, r.bottom() - y}, mix(th.curve, th.panel, 0.6f), 7);
        p.rect({run_x, y, x - run_x, std::max(low - y, p.px(2))}, th.kernel);
        if (last_y >= 0) p.rect({run_x, std::min(last_y, y), p.px(1), std::fabs(last_y - y) + p.px(1)}, th.kernel);
        last_y = y;
    };
    for (float x = r.x; x < r.right(); x += column) {
        const LaneRange v = lane_range(lane, static_cast<std::uint64_t>(axis_.at(x)), static_cast<std::uint64_t>(axis_.at(x + column)) + 1);
        if (begun && v.least == run.least && v.most == run.most) continue;
        flush(x);
        run = v, run_x = x, begun = true;
    }
    flush(r.right());
}

// Behind the last call that was made on the kernel too: nothing has happened there.
void WhenView::draw_coming(const Scene& scene, Paint& p, const Rect& r) {
    if (whole_ <= made_) return;
    const float x = std::clamp(axis_.x(made_), r.x, r.right());
    const Rect box{std::round(x), r.y, r.right() - std::round(x), r.h};
    if (box.w < 1) return;
    const Theme& th = p.theme;
    p.rect(box, th.panel);
    p.hatch(box, th.line, 9);
    const char* words = scene.doc.waiting() ? "the kernel is in the call" : "not made yet";
    const float w = p.text_w(Face::small, words) + p.px(12), h = p.text_h(Face::small) + p.px(6);
    if (w > box.w) return;
    const Rect label{box.mid_x() - w / 2, box.mid_y() - h / 2, w, h};
    p.rect(label, th.panel, p.px(3)), p.outline(label, th.line, 1, p.px(3));
    p.text(Face::small, label.x + p.px(6), label.y + p.px(3), th.text, words);
}

// Where the run leaves that under the other kernel, and the calls that end differently.
void WhenView::draw_differences(Scene& scene, Paint& p, const Rect& r) {
    const Comparison& c = *scene.against;
    const Theme& th = p.theme;
    const auto flag = [&](std::size_t n, bool first) {
        const float x = std::round(axis_.x(at_event(scene, n)));
        if (x < r.x || x > r.right()) return;
        if (!first) {
            p.dl->AddTriangleFilled({x - p.px(5), r.bottom() + p.px(1)}, {x + p.px(5), r.bottom() + p.px(1)}, {x, r.bottom() - p.px(7)}, th.warn);
            return;
        }
        for (float y = r.y; y < r.bottom(); y += p.px(8)) p.rect({x - 1, y, p.px(2), std::min(p.px(5), r.bottom() - y)}, th.warn);
        const std::string words = "≠ " + c.there;
        const float w = p.text_w(Face::mono_small, words) + p.px(10), h = p.text_h(Face::mono_small) + p.px(4);
        const Rect box{std::min(x, r.right() - w), r.bottom() - h, w, h};
        p.rect(box, th.panel, p.px(3)), p.outline(box, th.warn, 1, p.px(3));
        p.text(Face::mono_small, box.x + p.px(5), box.y + p.px(2), th.warn, words);
        const auto press = p.area("when/difference", box);
        if (press.hovered) p.tip(fmt::format("the first event that differs under {}", c.there));
        if (press.clicked) scene.sel.seek = n;
    };
    for (const CallDifference& d : c.calls)
        if (d.at) flag(d.at, false);
    if (c.first < c.events_here) flag(c.first + 1, true);
}

// Where the model and the kernel part: a line for each, and the word at the first one that is in sight.
void WhenView::draw_partings(Scene& scene, Paint& p, const Rect& r) {
    const Theme& th = p.theme;
    bool told = false;
    float last = -1e9f;
    for (std::size_t i = 0; i < scene.partings->size(); ++i) {
        const Parting& d = (*scene.partings)[i];
        const float x = std::round(axis_.x(at_event(scene, d.n)));
        if (x < r.x || x > r.right() || x - last < p.px(3)) continue;
        last = x;
        for (float y = r.y; y < r.bottom(); y += p.px(8)) p.rect({x - 1, y, p.px(2), std::min(p.px(5), r.bottom() - y)}, th.warn);
        if (std::exchange(told, true)) continue;
        const char* words = "DIVERGED";
        const float w = p.text_w(Face::small, words) + p.px(12), h = p.text_h(Face::small) + p.px(4);
        const Rect box{std::min(x, r.right() - w), r.bottom() - h, w, h};
        p.rect(box, th.warn, p.px(3));
        p.text_in(Face::small, box.x, box.y + p.px(2), box.w, th.dark ? th.on_fill : th.on_accent, words, Align::centre);
        const auto press = p.area("when/diverged", box);
        if (press.hovered) p.tip(d.text);
        if (press.clicked) scene.sel.seek = d.n, scene.sel.pipe = d.pipe;
    }
}

void WhenView::draw_ticks(Paint& p, const Rect& r) {
    const auto span = static_cast<std::uint64_t>(axis_.to - axis_.from);
    const std::uint64_t step = tick_step(span, static_cast<int>(r.w / p.px(110)));
    const auto from = static_cast<std::uint64_t>(axis_.from);
    float free_from = r.x - p.px(30);
    for (std::uint64_t t = (from + step - 1) / step * step; static_cast<double>(t) <= axis_.to; t += step) {
        const float x = axis_.x(static_cast<double>(t));
        const std::string words = by_event_ ? digits_grouped(t) : tick_text(t, step, static_cast<std::uint64_t>(whole_));
        const float w = p.text_w(Face::mono_small, words);
        const float left = std::min(x - w / 2, r.right() - w + p.px(10));
        p.line(x, r.y - p.px(2), x, r.y + p.px(2), p.theme.line);
        if (left < free_from) continue;
        p.text(Face::mono_small, left, r.y + p.px(3), p.theme.muted, words);
        free_from = left + w + p.px(10);
    }
}

} // namespace pipescope

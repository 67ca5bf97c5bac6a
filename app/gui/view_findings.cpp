// SPDX-License-Identifier: MIT
// Draws the findings.
#include "app/gui/view_findings.hpp"
#include "app/ring_pairs.hpp"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pipescope {
namespace {

// A line that can be clicked; gives whether it was.
bool seeking_line(Paint& p, const std::string& path, const Rect& at, const std::string& text, Colour ink, float& height) {
    const float h = p.text_wrapped(Face::body, 0, 0, at.w - p.px(14), ink, text, 12, false);
    const Rect row{at.x - p.px(6), at.y - p.px(4), at.w + p.px(12), h + p.px(8)};
    const auto press = p.area(path, row);
    if (press.hovered) p.rect(row, mix(p.theme.panel, p.theme.text, 0.07f), p.px(4));
    p.rect({at.x, at.y + p.px(2), p.px(3), h - p.px(4)}, ink == p.theme.warn ? p.theme.warn : p.theme.link);
    p.text_wrapped(Face::body, at.x + p.px(12), at.y, at.w - p.px(14), ink, text, 12);
    height = h;
    return press.clicked;
}

} // namespace

void FindingsView::draw(Scene& scene, Paint& p, const Rect& r) {
    Paint::Scroll scroll(p, "findings", r);
    const Rect in = scroll.area();
    const Rect at{in.x + p.px(16), in.y, in.w - p.px(32), 0};
    float y = at.y + p.px(4);
    y += draw_actions(scene, p, {at.x, y, at.w, 0}) + p.px(12);
    const RunFindings& f = *scene.findings;
    y += draw_beside(scene, p, {at.x, y, at.w, 0});
    if (!f.done() && f.lines().empty() && f.bars().empty()) {
        y += p.text_wrapped(Face::body, at.x, y, at.w, p.theme.muted,
            fmt::format("Looking at the run: {} of {} events.", digits_grouped(f.looked_at()), digits_grouped(scene.timeline.size())));
        return scroll.end_at(y);
    }
    y += draw_lines(scene, p, {at.x, y, at.w, 0}) + p.px(6);
    y += draw_bars(scene, p, {at.x, y, at.w, 0});
    scroll.end_at(y + p.px(8));
}

float FindingsView::draw_actions(Scene& scene, Paint& p, const Rect& at) {
    const float h = p.px(28), gap = p.px(8), w = std::floor((at.w - gap) / 2);
    const char* step = scene.doc.in_step() ? "on this kernel again" : "run on this kernel too";
    if (p.button("findings/in_step", {at.x, at.y, w, h}, step, {Face::small, false, !scene.doc.recorded(), scene.doc.in_step() != nullptr}))
        scene.sel.command = Command::in_step;
    if (p.button("findings/record", {at.x + w + gap, at.y, w, h}, "record a command", {Face::small, false, true, false})) scene.sel.command = Command::record;
    return h;
}

// How the model did beside the kernel, in step or on a recording.
float FindingsView::draw_beside(Scene& scene, Paint& p, const Rect& at) {
    const Theme& th = p.theme;
    const bool step = scene.doc.in_step() != nullptr;
    if (!step && scene.findings->beside().empty()) return 0;
    float y = at.y;
    p.text_in(Face::strong, at.x, y, at.w, th.text, step ? "Call by call on this kernel" : "The model beside the kernel");
    y += p.px(24);
    if (step) y += p.text_wrapped(Face::small, at.x, y, at.w, th.muted, in_step_verdict(scene.doc.in_step()->comparison()), 6) + p.px(6);
    else
        for (const std::string& line : scene.findings->beside())
            if (line.rfind("DIVERGED", 0) != 0) y += p.text_wrapped(Face::small, at.x, y, at.w, th.muted, line, 6) + p.px(4);
    for (std::size_t i = 0; i < scene.partings->size() && i < 20; ++i) {
        const Parting& d = (*scene.partings)[i];
        float h = 0;
        y += p.px(4);
        if (seeking_line(p, fmt::format("findings/diverged/{}", i), {at.x, y, at.w, 0}, fmt::format("DIVERGED at event {}: {}", digits_grouped(d.n), d.text), th.warn, h))
            scene.sel.seek = d.n, scene.sel.pipe = d.pipe;
        y += h + p.px(8);
    }
    return y + p.px(8) - at.y;
}

float FindingsView::draw_lines(Scene& scene, Paint& p, const Rect& at) {
    const Theme& th = p.theme;
    float y = at.y;
    const auto& lines = scene.findings->lines();
    p.text_in(Face::strong, at.x, y, at.w, th.text, lines.empty() ? "Nothing stands out" : "What it shows");
    y += p.px(28);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const FindingLine& line = lines[i];
        float h = 0;
        const std::size_t to = next_of(line.events, scene.n);
        if (seeking_line(p, fmt::format("findings/line/{}", i), {at.x, y, at.w, 0}, line.text, th.text, h) && to) scene.sel.seek = to;
        y += h;
        if (to) {
            const auto here = std::find(line.events.begin(), line.events.end(), scene.n);
            const std::string where = here == line.events.end()
                ? fmt::format("to event {}", digits_grouped(to)) + (line.events.size() > 1 ? fmt::format(", {} places", line.events.size()) : "")
                : fmt::format("place {} of {}, event {}", here - line.events.begin() + 1, line.events.size(), digits_grouped(scene.n));
            p.text_in(Face::small, at.x + p.px(12), y + p.px(1), at.w - p.px(14), here == line.events.end() ? th.link : th.accent, where);
            y += p.px(18);
        }
        y += p.px(12);
    }
    return y - at.y;
}

float FindingsView::draw_bars(const Scene& scene, Paint& p, const Rect& at) {
    const Theme& th = p.theme;
    const auto& bars = scene.findings->bars();
    if (bars.empty()) return 0;
    const bool inferred = scene.doc.recorded() && scene.doc.meta().calls_only(); // sleeps by switches and CPU times
    float y = at.y;
    p.text_in(Face::strong, at.x, y, at.w, th.text, "Where each task's time went");
    y += p.px(26);
    for (const TimeBar& bar : bars) {
        const float name = p.text_in(Face::body, at.x, y, at.w * 0.5f, th.text, bar.name) + p.px(8);
        p.text_in(Face::small, at.x + name, y + p.px(1), at.w - name, th.muted, bar.figures, Align::right);
        y += p.px(20);
        const Rect whole{at.x, y, at.w, p.px(12)};
        p.rect(whole, th.card);
        float x = at.x;
        std::string words;
        for (const auto& [kind, ns] : bar.parts) {
            const double share = static_cast<double>(ns) / static_cast<double>(std::max<std::uint64_t>(bar.total, 1));
            const float w = at.w * static_cast<float>(share);
            const Rect box{std::round(x), y, std::max(std::round(x + w) - std::round(x), 1.0f), whole.h};
            p.rect(box, th.lane(kind));
            // Of a call it is not known whether it works or waits, or it is inferred how long it slept: neither is to look like what was seen.
            const bool guessed = kind == LaneKind::in_call ? !bar.waits_known : inferred && (kind == LaneKind::sleep_full || kind == LaneKind::sleep_empty);
            if (guessed || kind == LaneKind::sleep_full) p.hatch(box, kind == LaneKind::sleep_full ? th.hatch : mix(th.lane(kind), th.panel, 0.45f), guessed ? 4 : 5);
            x += w;
            const char* what = kind == LaneKind::in_call && !bar.waits_known ? "in calls, waits included" : kind == LaneKind::user ? "outside" : lane_kind_name(kind);
            words += (words.empty() ? "" : " · ") + fmt::format("{}{} {}", what, guessed && kind != LaneKind::in_call ? " (inferred)" : "", share >= 0.0005 ? fmt::format("{:.1f} %", share * 100) : "< 0.1 %");
        }
        y += p.px(15);
        if (words.empty()) words = "this run takes no time";
        y += p.text_wrapped(Face::small, at.x, y, at.w, th.muted, words, 3) + p.px(10);
    }
    return y - at.y;
}

} // namespace pipescope

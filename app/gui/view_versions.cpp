// SPDX-License-Identifier: MIT
// Draws the comparison of two kernel versions.
#include "app/gui/view_versions.hpp"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pipescope {
namespace {

// A line under each version's name, the name in front.
float two_lines(Paint& p, const Comparison& c, const std::string& here, const std::string& there, Face face, const Rect& at) {
    const float name = std::max(p.text_w(Face::mono_strong, c.here), p.text_w(Face::mono_strong, c.there)) + p.px(12);
    float y = at.y;
    for (const auto& [version, words] : {std::pair{&c.here, &here}, {&c.there, &there}}) {
        p.text_in(Face::mono_strong, at.x, y, name - p.px(4), version == &c.here ? p.theme.text : p.theme.warn, *version);
        y += std::max(p.text_wrapped(face, at.x + name, y, at.w - name, p.theme.text, *words, 6), p.px(20)) + p.px(3);
    }
    return y - at.y;
}

} // namespace

void VersionsView::draw(Scene& scene, Paint& p, const Rect& r) {
    Paint::Scroll scroll(p, "versions", r);
    const Rect in = scroll.area();
    const Rect at{in.x + p.px(16), in.y, in.w - p.px(32), 0};
    float y = at.y + p.px(4);
    if (scene.doc.recorded()) {
        y += p.text_wrapped(Face::body, at.x, y, at.w, p.theme.muted,
            fmt::format(
                "A recording ran on one kernel, {}. A scenario can be run under each version that the model knows.", scene.doc.meta().kernel));
        return scroll.end_at(y);
    }
    y += draw_choice(scene, p, {at.x, y, at.w, 0}) + p.px(12);
    if (!scene.against)
        return scroll.end_at(y + p.text_wrapped(Face::body, at.x, y, at.w, p.theme.muted,
                                     "Choose a version: the scenario runs under it too, and what differs is listed here."));
    const Comparison& c = *scene.against;
    if (c.same()) {
        y += p.text_wrapped(Face::body, at.x, y, at.w, p.theme.text,
            fmt::format("Nothing differs: all {} events are the same under {} and {}{}.", digits_grouped(c.events_here), c.here, c.there,
                c.whole ? "" : ", as far as they were compared"));
        return scroll.end_at(y);
    }
    y += draw_first(scene, p, c, {at.x, y, at.w, 0}) + p.px(12);
    y += draw_calls(scene, p, c, {at.x, y, at.w, 0}) + p.px(12);
    y += draw_ends(p, c, {at.x, y, at.w, 0});
    scroll.end_at(y + p.px(8));
}

float VersionsView::draw_choice(Scene& scene, Paint& p, const Rect& at) {
    const std::string here = scene.doc.meta().kernel;
    float x = at.x, y = at.y;
    p.text_in(Face::strong, x, y, at.w, p.theme.text, fmt::format("{} under {}; compare with", scene.branch ? "A branch" : "Runs", here));
    y += p.px(26);
    const float h = p.px(28), gap = p.px(4), seventh = std::floor((at.w - 6 * gap) / 7),
                w = seventh >= p.px(46) ? std::min(seventh, p.px(64)) : p.px(54);
    for (const std::string_view v : kernel_versions) {
        if (v == here) continue;
        if (x + w > at.right() + 1) x = at.x, y += h + gap;
        const std::string name(v);
        if (p.button(("versions/" + name).c_str(), {x, y, w, h}, name, {Face::mono, false, true, scene.against && scene.against->there == v}))
            scene.sel.against = name;
        x += w + gap;
    }
    return y + h - at.y;
}

float VersionsView::draw_first(Scene& scene, Paint& p, const Comparison& c, const Rect& at) {
    float y = at.y;
    const char* go = "go there";
    const float bw = p.text_w(Face::small, go) + p.px(20);
    p.text_in(Face::strong, at.x, y, at.w - bw - p.px(8), p.theme.text, fmt::format("First difference: event {}", digits_grouped(c.first + 1)));
    if (c.first < c.events_here && p.button("versions/first", {at.right() - bw, y - p.px(3), bw, p.px(25)}, go, {Face::small, false, true, false}))
        scene.sel.seek = c.first + 1;
    y += p.px(27);
    return y + two_lines(p, c, c.first_here, c.first_there, Face::small, {at.x, y, at.w, 0}) - at.y;
}

float VersionsView::draw_calls(Scene& scene, Paint& p, const Comparison& c, const Rect& at) {
    const Theme& th = p.theme;
    float y = at.y;
    p.text_in(Face::strong, at.x, y, at.w, th.text,
        c.calls_different ? fmt::format("Calls that end differently: {}", c.calls_different) : std::string("Every call returns the same."));
    y += p.px(26);
    for (std::size_t i = 0; i < c.calls.size() && i < 20; ++i) {
        const CallDifference& d = c.calls[i];
        const Rect row{at.x - p.px(6), y - p.px(2), at.w + p.px(12), p.px(40)};
        const auto press = p.area(fmt::format("versions/call/{}", i), row);
        if (press.hovered) p.rect(row, mix(th.panel, th.text, 0.06f));
        if (press.clicked && d.at) scene.sel.seek = d.at;
        const float tw = p.text_in(Face::small, at.x, y, at.w * 0.3f, th.muted, d.task) + p.px(8);
        p.text_in(Face::mono_small, at.x + tw, y, at.w - tw, th.text, d.call);
        y += p.px(18);
        const float half = at.w / 2;
        p.text_in(Face::mono_small, at.x, y, half - p.px(6), th.text, fmt::format("{}: {}", c.here, d.here));
        p.text_in(Face::mono_small, at.x + half, y, half, th.warn, fmt::format("{}: {}", c.there, d.there));
        y += p.px(24);
    }
    if (c.calls_different > 20) y += p.text_wrapped(Face::small, at.x, y, at.w, th.muted, fmt::format("and {} more", c.calls_different - 20));
    return y - at.y;
}

float VersionsView::draw_ends(Paint& p, const Comparison& c, const Rect& at) {
    const Theme& th = p.theme;
    float y = at.y;
    p.text_in(Face::strong, at.x, y, at.w, th.text, c.whole ? "At the end" : fmt::format("After {} events", digits_grouped(c.events_here)));
    y += p.px(26);
    const auto line = [&](const std::string& what) { y += p.text_wrapped(Face::small, at.x, y, at.w, th.muted, what, 2) + p.px(2); };
    for (const TaskDifference& t : c.tasks) {
        line(fmt::format("{}: times asleep, times woken", t.task));
        y += two_lines(p, c, fmt::format("{} · {}", t.sleeps_here, t.wakes_here), fmt::format("{} · {}", t.sleeps_there, t.wakes_there),
                 Face::mono_small, {at.x, y, at.w, 0}) +
             p.px(4);
    }
    for (const PipeDifference& d : c.pipes) {
        if (d.ring_here == d.ring_there) {
            line(d.pipe + ", the ring: the same in both");
            y += p.text_wrapped(Face::mono_small, at.x, y, at.w, th.text, d.ring_here, 6) + p.px(6);
        } else {
            line(d.pipe + ", the ring");
            y += two_lines(p, c, d.ring_here, d.ring_there, Face::mono_small, {at.x, y, at.w, 0}) + p.px(4);
        }
        if (d.spare_here == d.spare_there)
            line(fmt::format("{}: at most {} spare page{} in tmp_page, in both", d.pipe, d.spare_here, d.spare_here == 1 ? "" : "s"));
        else {
            line(fmt::format("{}: spare pages in tmp_page, at most", d.pipe));
            y += two_lines(p, c, std::to_string(d.spare_here), std::to_string(d.spare_there), Face::mono_small, {at.x, y, at.w, 0}) + p.px(4);
        }
    }
    if (c.events_here != c.events_there || c.ns_here != c.ns_there) {
        line("events, virtual time");
        y += two_lines(p, c, fmt::format("{} · {}", digits_grouped(c.events_here), time_text(c.ns_here)),
            fmt::format("{} · {}", digits_grouped(c.events_there), time_text(c.ns_there)), Face::mono_small, {at.x, y, at.w, 0});
    }
    return y - at.y;
}

} // namespace pipescope

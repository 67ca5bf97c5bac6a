// SPDX-License-Identifier: MIT
// Draws the toolbar; what does not fit gives way in the order subtitle, model, narration, title.
#include "app/gui/view_toolbar.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace pipescope {
namespace {

std::string model_text(const Document& d) {
    const TraceMeta& m = d.meta();
    if (!d.recorded()) return "Linux " + (m.kernel.empty() ? std::string("6.18") : m.kernel) + " · model";
    if (m.capture == "bpf") return m.kernel + " · read from the kernel (bpf)";
    if (m.capture == "model") return "Linux " + m.kernel + " · model";
    return m.kernel + " · ring inferred by the model";
}

std::string count_text(const Scene& s) {
    return fmt::format("event {} of {}{}", digits_grouped(s.n), digits_grouped(s.timeline.size()), s.doc.more() ? "+" : "");
}

std::string happening(const Scene& s) {
    const Focus& f = s.focus;
    if (s.n == 0) return "Before the first event.";
    const Event& e = s.timeline[s.n - 1];
    const std::string what = narrate(s.s, s.names, e);
    return f.task < s.s.tasks.size() && e.task != no_id ? task_label(s.s, s.names, e.task) + ": " + what : what;
}

} // namespace

void ToolbarView::draw(Scene& scene, Paint& p, const Rect& r) {
    p.rect(r, p.theme.panel);
    p.line(r.x, r.bottom(), r.right(), r.bottom(), p.theme.line);
    const float pad = p.px(18), gap = p.px(22);
    const float body_y = r.mid_y() - p.text_h(Face::body) / 2, mono_y = r.mid_y() - p.text_h(Face::mono) / 2;
    const std::string count = count_text(scene), time = time_text(scene.s.t_ns), model = model_text(scene.doc);
    const float fixed = p.px(5 * 42 + 3 * 62) + gap * 3 + p.text_w(Face::mono, count) + p.text_w(Face::mono, time) + p.px(14);
    const float free = r.w - 2 * pad - fixed;

    // Left: title and model, at most 40 % of what is free.
    const std::string title = scene.doc.title();
    const bool tells = free > p.px(420); // room for the narration too
    const float title_w = std::min(p.text_w(Face::title, title), std::max(free * (tells ? 0.42f : 0.9f), p.px(80)));
    float x = r.x + pad + p.text_in(Face::title, r.x + pad, r.mid_y() - p.text_h(Face::title) / 2, title_w, p.theme.text, title);
    const float model_w = p.text_w(Face::body, model);
    const bool model_fits = x + gap + model_w < r.x + pad + free * (tells ? 0.62f : 0.9f);
    if (model_fits) x += p.px(14) + p.text_in(Face::body, x + p.px(14), body_y, model_w, p.theme.muted, model);
    p.marks.add("toolbar/title", {r.x + pad, r.y, x - r.x - pad, r.h});

    x = std::max(x + gap, std::min(r.x + p.px(560), r.x + pad + free * 0.45f));
    x = draw_transport(scene, p, x, r) + gap;
    x = draw_steps(scene, p, x, r) + gap;
    x = p.text(Face::mono, x, mono_y, p.theme.text, count) + p.px(14);
    x = p.text(Face::mono, x, mono_y, p.theme.muted, time) + gap;
    const float room = r.right() - pad - x;
    if (tells && room > p.px(60)) {
        const std::string text = happening(scene);
        if (p.text_in(Face::body, x, body_y, room, p.theme.text, text) + 1 < p.text_w(Face::body, text) &&
            p.area("toolbar/narration", {x, r.y, room, r.h}).hovered)
            p.tip(text);
    }
}

float ToolbarView::draw_transport(Scene& scene, Paint& p, float x, const Rect& r) {
    const Transport& t = scene.transport;
    const auto ask = [&](Command c) { scene.sel.command = c; };
    const float w = p.px(38), h = p.px(30), y = std::round(r.mid_y() - h / 2);
    const auto put = [&](const char* path, Icon icon, bool filled, bool enabled) {
        const bool hit = p.button(path, {x, y, w, h}, icon_text(icon, p.fonts.icons), {Face::icon, filled, enabled, false});
        x += w + p.px(4);
        return hit;
    };
    const bool at_end = scene.n >= scene.timeline.size() && !scene.doc.more();
    if (put("transport/first", Icon::first, false, scene.n > 0)) ask(Command::first);
    if (put("transport/back", Icon::back, false, scene.n > 0)) ask(Command::back);
    if (put("transport/play", t.playing() ? Icon::pause : Icon::play, true, !at_end)) ask(Command::play);
    if (put("transport/forward", Icon::forward, false, !at_end)) ask(Command::forward);
    if (put("transport/last", Icon::last, false, !at_end)) ask(Command::last);
    return x - p.px(4);
}

float ToolbarView::draw_steps(Scene& scene, Paint& p, float x, const Rect& r) {
    static constexpr struct {
        Step step;
        Command command;
        const char* path;
        const char* name;
    } steps[] = {{Step::event, Command::by_event, "step/event", "event"}, {Step::stage, Command::by_stage, "step/stage", "stage"},
        {Step::call, Command::by_call, "step/call", "call"}};
    const float w = p.px(58), h = p.px(30), y = std::round(r.mid_y() - h / 2);
    for (const auto& s : steps) {
        if (p.button(s.path, {x, y, w, h}, s.name, {Face::body, false, true, scene.transport.step() == s.step})) scene.sel.command = s.command;
        x += w + p.px(2);
    }
    return x;
}

} // namespace pipescope

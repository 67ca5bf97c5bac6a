// SPDX-License-Identifier: MIT
// Draws the toolbar.
#include "app/gui/view_toolbar.hpp"
#include "core/version.hpp"
#include "sim/lockstep/lockstep.hpp"
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <fmt/format.h>

namespace pipescope {
namespace {

std::string model_text(const Document& d) {
    const TraceMeta& m = d.meta();
    if (d.in_step()) return "Linux " + m.kernel + " · in step with this kernel";
    if (!d.recorded()) return "Linux " + (m.kernel.empty() ? std::string("6.18") : m.kernel);
    const char* cut = m.cut ? " · cut off" : "";
    if (m.by_bpf()) return m.kernel + " · read from the kernel (" + m.capture + ")" + cut;
    if (m.simulated()) return "Linux " + m.kernel + " · model" + cut;
    return m.kernel + " · ring inferred by the model" + cut;
}

std::string count_text(const Scene& s, bool whole) {
    return fmt::format(
        "{}{} {} {}{}", whole ? "event " : "", digits_grouped(s.n), whole ? "of" : "/", digits_grouped(s.timeline.size()), s.doc.more() ? "+" : "");
}

std::string happening(const Scene& s) {
    const Focus& f = s.focus;
    if (s.n == 0) return "Before the first event.";
    const Event& e = s.timeline[s.n - 1];
    const std::string what = narrate(s.s, s.names, e, s.doc.version().anon_prefix);
    return f.task < s.s.tasks.size() && e.task != no_id ? task_label(s.s, s.names, e.task) + ": " + what : what;
}

constexpr float pad_px = 18, gap_px = 20;

} // namespace

// What does not fit gives way: first the narration, then the time, the title, and at last the width of the buttons.
ToolbarView::Plan ToolbarView::plan(const Scene& scene, Paint& p, float width) const {
    Plan w;
    const float gap = p.px(gap_px);
    float free = width - 2 * p.px(pad_px);
    const auto take = [&](float& part, float wish) {
        if (wish <= 0 || free < wish) return false;
        part = wish, free -= wish + gap;
        return true;
    };
    const bool small = free < p.px(760);
    w.button = p.px(small ? 34 : 38), w.step = p.px(small ? 50 : 58);
    free -= 5 * w.button + 4 * p.px(4) + gap + 3 * w.step + 2 * p.px(2) + gap;
    w.long_count = !small;
    take(w.count, p.text_w(Face::mono, count_text(scene, w.long_count)));
    take(w.kernel, p.text_w(Face::body, model_text(scene.doc)) + (scene.doc.recorded() ? 0 : p.px(34)));
    const float title = p.text_w(Face::title, scene.doc.title());
    const float least = std::min(title, p.px(150));
    if (free > least) w.title = least, free -= least + gap;
    take(w.time, p.text_w(Face::mono, time_text(scene.s.t_ns)) + p.px(8));
    if (!w.title) return w;
    const float more = std::clamp(free * (free > p.px(420) ? 0.55f : 1.0f), 0.0f, title - w.title);
    w.title += more, free -= more;
    if (free > p.px(110)) w.narration = free;
    return w;
}

void ToolbarView::draw(Scene& scene, Paint& p, const Rect& r) {
    p.rect(r, p.theme.panel);
    p.line(r.x, r.bottom(), r.right(), r.bottom(), p.theme.line);
    const Plan w = plan(scene, p, r.w);
    const float gap = p.px(gap_px), mono_y = r.mid_y() - p.text_h(Face::mono) / 2, body_y = r.mid_y() - p.text_h(Face::body) / 2;
    float x = r.x + p.px(pad_px);
    if (w.title) {
        const float used = p.text_in(Face::title, x, r.mid_y() - p.text_h(Face::title) / 2, w.title, p.theme.text, scene.doc.title());
        p.marks.add("toolbar/title", {x, r.y, used, r.h});
        x += w.title + gap;
    }
    if (w.kernel) x = draw_kernel(scene, p, x, w.kernel, r) + gap;
    x = draw_transport(scene, p, x, w.button, r) + gap;
    x = draw_steps(scene, p, x, w.step, r) + gap;
    if (w.count) x = p.text(Face::mono, x, mono_y, p.theme.text, count_text(scene, w.long_count)) + gap;
    if (w.time) x = p.text(Face::mono, x - p.px(6), mono_y, p.theme.muted, time_text(scene.s.t_ns)) + gap;
    if (w.narration) {
        const float room = r.right() - p.px(pad_px) - x;
        const std::string text = happening(scene);
        if (p.text_in(Face::body, x, body_y, room, p.theme.text, text) + 1 < p.text_w(Face::body, text) &&
            p.area("toolbar/narration", {x, r.y, room, r.h}).hovered)
            p.tip(text);
    }
}

// The kernel version: of a scenario a choice that runs it again, of a recording a fact.
float ToolbarView::draw_kernel(Scene& scene, Paint& p, float x, float w, const Rect& r) {
    const Theme& th = p.theme;
    if (scene.doc.recorded()) {
        p.text_in(Face::body, x, r.mid_y() - p.text_h(Face::body) / 2, w, th.muted, model_text(scene.doc));
        return x + w;
    }
    const float h = p.px(30);
    const Rect box{x, std::round(r.mid_y() - h / 2), w, h};
    const bool hit = p.button("toolbar/kernel", box, "", {Face::body, false, true, false});
    p.text_in(Face::body, x + p.px(10), r.mid_y() - p.text_h(Face::body) / 2, w - p.px(30), th.text, model_text(scene.doc));
    const float cx = box.right() - p.px(14), cy = r.mid_y();
    p.dl->AddTriangleFilled({cx - p.px(5), cy - p.px(2)}, {cx + p.px(5), cy - p.px(2)}, {cx, cy + p.px(4)}, th.muted);
    if (hit) ImGui::OpenPopup("kernels");
    ImGui::SetNextWindowPos({box.x, box.bottom() + p.px(4)});
    draw_versions(scene, p);
    return x + w;
}

void ToolbarView::draw_versions(Scene& scene, Paint& p) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {p.px(6), p.px(6)});
    if (ImGui::BeginPopup("kernels")) {
        ImDrawList* outer = std::exchange(p.dl, ImGui::GetWindowDrawList());
        const ImVec2 at = ImGui::GetCursorScreenPos();
        float y = at.y;
        for (auto it = std::rbegin(kernel_versions); it != std::rend(kernel_versions); ++it, y += p.px(32)) { // the newest first
            const std::string name(*it);
            const bool now = scene.doc.meta().kernel == name;
            if (p.button(("kernel/" + name).c_str(), {at.x, y, p.px(120), p.px(29)}, "Linux " + name, {Face::body, false, true, now})) {
                if (!now) scene.sel.kernel = name, scene.sel.tab = Tab::versions, scene.sel.middle = Middle::why;
                ImGui::CloseCurrentPopup();
            }
        }
        p.dl = outer;
        ImGui::EndPopup();
    }
    ImGui::PopStyleVar();
}

float ToolbarView::draw_transport(Scene& scene, Paint& p, float x, float w, const Rect& r) {
    const Transport& t = scene.transport;
    const auto ask = [&](Command c) { scene.sel.command = c; };
    const float h = p.px(30), y = std::round(r.mid_y() - h / 2);
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

float ToolbarView::draw_steps(Scene& scene, Paint& p, float x, float w, const Rect& r) {
    static constexpr struct {
        Step step;
        Command command;
        const char* path;
        const char* name;
    } steps[] = {{Step::event, Command::by_event, "step/event", "event"}, {Step::stage, Command::by_stage, "step/stage", "stage"},
        {Step::call, Command::by_call, "step/call", "call"}};
    const float h = p.px(30), y = std::round(r.mid_y() - h / 2);
    for (const auto& s : steps) {
        if (p.button(s.path, {x, y, w, h}, s.name, {Face::body, false, true, scene.transport.step() == s.step})) scene.sel.command = s.command;
        x += w + p.px(2);
    }
    return x - p.px(2);
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Draws the cards of the tasks.
#include "app/gui/view_who.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace pipescope {
namespace {

Colour state_colour(const Task& t, const Theme& th) {
    switch (t.run) {
    case RunState::lock_spin:
    case RunState::lock_sleep: return th.warn;
    case RunState::sleep:
    case RunState::exited: return th.muted;
    default: return t.sys == Sys::none ? th.dark ? th.user : mix(th.user, th.text, 0.35f) : th.accent;
    }
}

bool idle_main(const State& s, TaskId id) { // a main chunk that only set the stage
    const Task& t = s.tasks[id];
    return id == 0 && s.tasks.size() > 1 && t.sys == Sys::none && (t.calls == 0 || t.run == RunState::exited || t.run == RunState::parked);
}

std::string path_text(const Scene& scene, const Task& t) {
    std::string out;
    const bool fifo = pipe_is_fifo(scene.s, t.pipe), anon = scene.doc.version().anon_prefix;
    for (std::uint8_t i = 0; i < t.depth; ++i) {
        if (fifo && anon && (t.path[i] == Fn::pipe_write || t.path[i] == Fn::pipe_read)) // one calls the other
            out += (i ? " › " : "") + std::string(fn_label(t.path[i], true, true)) + " › " + fn_label(t.path[i], false, true);
        else out += (i ? " › " : "") + std::string(fn_label(t.path[i], fifo, anon));
    }
    return out;
}

} // namespace

void WhoView::draw(Scene& scene, Paint& p, const Rect& r) {
    p.rect(r, p.theme.panel);
    p.line(r.right(), r.y, r.right(), r.bottom(), p.theme.line);
    p.heading(r.x + p.px(18), r.y + p.px(14), "WHO");
    const float top = p.px(38) + branch_.draw(scene, p, {r.x, r.y, r.w - 1, r.h});
    const Rect list{r.x, r.y + top, r.w - 1, r.h - top};
    ImGui::SetCursorScreenPos({list.x, list.y});
    child_begin("who", {list.w, list.h}, ImGuiWindowFlags_NoBackground);
    ImDrawList* outer = p.dl;
    p.dl = ImGui::GetWindowDrawList();
    const float pad = p.px(12);
    float y = ImGui::GetCursorScreenPos().y;
    tight_ = list.h < p.px(380);
    const float width = ImGui::GetContentRegionAvail().x - 2 * pad;
    const TaskId open = scene.sel.task < scene.s.tasks.size() ? scene.sel.task : scene.focus.task;
    const auto put = [&](TaskId id, bool full) {
        const float h = draw_card(scene, p, id, full, {list.x + pad, y, width, 0});
        if (id == scene.focus.task && shown_ != scene.n) { // a step may move on to a card that is out of sight
            shown_ = scene.n;
            if (y < list.y || y + h > list.bottom()) ImGui::SetScrollFromPosY(y - list.y, 0.1f);
        }
        y += h + p.px(10);
    };
    for (TaskId id = 0; id < scene.s.tasks.size(); ++id)
        if (id == open || !idle_main(scene.s, id)) put(id, id == open || id == scene.focus.task);
    ImGui::SetCursorScreenPos({list.x, y});
    ImGui::Dummy({1, 1});
    ImGui::EndChild();
    p.dl = outer;
}

float WhoView::draw_card(Scene& scene, Paint& p, TaskId id, bool full, const Rect& at) {
    const Task& t = scene.s.tasks[id];
    const Theme& th = p.theme;
    const bool acts = id == scene.focus.task;
    const Colour state = state_colour(t, th);
    const float in = p.px(16), left = at.x + in, w = at.w - 2 * p.px(14);
    p.dl->ChannelsSplit(2); // the card's height is known only when its text is drawn
    p.dl->ChannelsSetCurrent(1);
    float y = at.y + p.px(11);
    const float state_w = p.text_w(Face::strong, run_text(t));
    const float name_w = p.text_in(Face::title, left, y, w - state_w - p.px(10), th.text, task_label(scene.s, scene.names, id));
    p.text(Face::strong, left + w - state_w, y + p.px(1), state, run_text(t));
    const std::string ids = t.pid ? fmt::format("pid {} · cpu {}", t.pid, t.cpu) : fmt::format("cpu {}", t.cpu);
    const float ids_x = left + name_w + p.px(12);
    if (ids_x + p.text_w(Face::mono_small, ids) < left + w - state_w - p.px(8)) p.text(Face::mono_small, ids_x, y + p.px(3), th.muted, ids);
    else if (full && !tight_) p.text_in(Face::mono_small, left, y += p.px(22), w, th.muted, ids);
    y += p.px(27);
    y += draw_program(scene, p, t, full, {left, y, w, 0});
    if (t.sys != Sys::none) y += draw_call(scene, p, t, {left, y, w, 0});
    if (full && t.sys != Sys::none && t.at.stage != Stage::none) {
        y += draw_stages(p, t, stages_done(scene.timeline, scene.n, id), {left, y, w, 0}) + p.px(4);
        y += p.text_wrapped(Face::body, left, y, w, th.text, narrate_stage(scene.s, scene.names, t.at)) + p.px(2);
    } else if (t.sys != Sys::none && t.at.stage != Stage::none) {
        y += p.text_wrapped(Face::body, left, y, w, th.muted, narrate_stage(scene.s, scene.names, t.at), 2);
    }
    if (t.sys == Sys::none && t.last_sys != Sys::none) {
        const std::string what = call_text(scene.s, scene.names, t.call) + " returned";
        const std::string result = result_text(t.result);
        const float rw = p.text_w(Face::mono_strong, result);
        const float tw = p.text_in(Face::small, left, y + p.px(1), std::max(w - rw - p.px(8), p.px(20)), th.muted, what);
        p.text(Face::mono_strong, left + tw + p.px(8), y, t.result < 0 ? th.warn : th.text, result);
        y += p.px(22);
    }
    y += p.px(9);
    p.dl->ChannelsSetCurrent(0);
    const Rect card{at.x, at.y, at.w, y - at.y};
    p.rect(card, th.card, p.px(5));
    p.outline(card, acts ? th.accent : th.line, acts ? p.px(2) : 1, p.px(5));
    p.rect({card.x, card.y, p.px(5), card.h}, acts ? th.accent : state, p.px(2));
    p.dl->ChannelsMerge();
    if (p.area(fmt::format("who/{}", task_label(scene.s, scene.names, id)), card).clicked) scene.sel.task = scene.sel.task == id ? no_id : id;
    return card.h;
}

float WhoView::draw_program(Scene& scene, Paint& p, const Task& t, bool full, const Rect& at) {
    const auto& lines = scene.doc.source_lines();
    if (t.line == 0 || t.line > lines.size()) return 0;
    const float step = p.px(19);
    float y = at.y;
    const std::uint32_t around = full && !tight_ ? 1 : 0;
    const std::uint32_t first = t.line > around ? t.line - around : 1,
                        last = std::min<std::uint32_t>(t.line + around, static_cast<std::uint32_t>(lines.size()));
    std::size_t indent = 99; // what the shown lines have in common is left out
    for (std::uint32_t n = first; n <= last; ++n)
        if (const std::size_t i = lines[n - 1].find_first_not_of(' '); i != std::string_view::npos) indent = std::min(indent, i);
    for (std::uint32_t n = first; n <= last; ++n, y += step) {
        const bool here = n == t.line;
        std::string_view line = lines[n - 1];
        line.remove_prefix(std::min(indent, line.size()));
        if (here && full) p.rect({at.x - p.px(6), y - p.px(2), at.w + p.px(12), step}, p.theme.accent_soft, 0);
        p.text_in(Face::mono, at.x, y, at.w, here ? p.theme.text : p.theme.muted, line);
    }
    return y - at.y + p.px(5);
}

float WhoView::draw_call(Scene& scene, Paint& p, const Task& t, const Rect& at) {
    p.text_in(Face::mono, at.x, at.y, at.w, p.theme.text, call_text(scene.s, scene.names, t.call));
    if (t.depth == 0 || tight_) return p.px(25);
    const float h = p.text_wrapped(Face::mono_small, at.x, at.y + p.px(20), at.w, p.theme.muted, path_text(scene, t), 2);
    return p.px(25) + h;
}

float WhoView::draw_stages(Paint& p, const Task& t, const StageSet& reached, const Rect& at) {
    const Theme& th = p.theme;
    const float h = p.px(24), gap = p.px(6);
    float x = at.x, y = at.y;
    for (const Stage st : stages_of(stage_info(t.at.stage).fn)) {
        const StageInfo& info = stage_info(st);
        if (!*info.label) continue;
        if (tight_ && static_cast<int>(st) + 1 < static_cast<int>(t.at.stage)) continue; // one row: the one before, this one, what comes
        const bool now = st == t.at.stage, done = st < t.at.stage && reached[static_cast<std::size_t>(st)];
        const Face face = now ? Face::strong : Face::small;
        const float w = p.text_w(face, info.label) + p.px(20);
        if (x + w > at.right() && x > at.x) {
            if (tight_) break;
            x = at.x, y += h + p.px(5);
        }
        const Rect chip{x, y, std::min(w, at.w), h};
        p.pill(chip, now ? th.accent : th.well, now ? th.accent : th.line);
        p.text_in(face, chip.x + p.px(10), chip.mid_y() - p.text_h(face) / 2, chip.w - p.px(12),
            now    ? th.on_accent
            : done ? th.text
                   : th.faint,
            info.label);
        x += w + gap;
    }
    return y + h - at.y + p.px(6);
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Draws the locks and the counters.
#include "app/gui/view_locks.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace pipescope {
namespace {

constexpr std::size_t most_listed = 8;

} // namespace

void LocksView::draw(Scene& scene, Paint& p, const Rect& r) {
    const PipeId id = scene.pipe();
    float y = r.y + p.px(6);
    const Rect at{r.x + p.px(16), y, r.w - p.px(32), 0};
    if (id == no_id) {
        p.text_in(Face::body, at.x, y, at.w, p.theme.muted, "no pipe yet");
        return;
    }
    const Pipe& pipe = scene.s.pipes[id];
    y += draw_mutex(scene, p, pipe, {at.x, y, at.w, 0}) + p.px(10);
    y += draw_queue(scene, p, "rd_wait", pipe.wait[0], {at.x, y, at.w, 0}) + p.px(10);
    y += draw_queue(scene, p, "wr_wait", pipe.wait[1], {at.x, y, at.w, 0}) + p.px(16);
    draw_counters(scene, p, {at.x, y, at.w, r.bottom() - y});
}

float LocksView::draw_mutex(const Scene& scene, Paint& p, const Pipe& pipe, const Rect& at) {
    const Theme& th = p.theme;
    float y = at.y;
    p.text_in(Face::strong, at.x, y, at.w, th.text, "mutex of " + pipe_label(scene.s, scene.names, scene.pipe()));
    y += p.px(26);
    const bool held = pipe.mutex.owner < scene.s.tasks.size();
    const std::string owner = scene.mutex_owner(pipe);
    const Rect pill{at.x, y, std::min(p.text_w(Face::strong, owner) + p.px(28), at.w * 0.6f), p.px(26)};
    p.pill(pill, held ? th.accent : th.card, held ? th.accent : th.line);
    p.text_in(Face::strong, pill.x + p.px(12), pill.mid_y() - p.text_h(Face::strong) / 2, pill.w - p.px(20), held ? th.on_accent : th.muted, owner);
    y += p.px(34);
    if (pipe.mutex.waiters.empty()) {
        p.text_in(Face::body, at.x, y, at.w, th.muted,
            scene.doc.recorded() && pipe.source != RingSource::model ? "nobody is known to wait for it" : "nobody waits for it");
        y += p.px(22);
    }
    for (std::size_t i = 0; i < pipe.mutex.waiters.size() && i < most_listed; ++i, y += p.px(22)) {
        const TaskId t = pipe.mutex.waiters[i];
        const bool spins = t < scene.s.tasks.size() && scene.s.tasks[t].run == RunState::lock_spin;
        p.text_in(Face::mono, at.x, y, p.px(24), th.muted, std::to_string(i + 1));
        const float w = p.text_in(Face::body, at.x + p.px(26), y, at.w * 0.5f, th.text, task_label(scene.s, scene.names, t));
        p.text_in(Face::body, at.x + p.px(36) + w, y, at.w - w - p.px(36), th.warn, spins ? "spins" : "asleep");
    }
    if (pipe.mutex.waiters.size() > most_listed)
        p.text_in(Face::body, at.x, y, at.w, th.muted, fmt::format("and {} more", pipe.mutex.waiters.size() - most_listed)), y += p.px(22);
    return y - at.y;
}

float LocksView::draw_queue(const Scene& scene, Paint& p, const char* name, const std::vector<WaitEntry>& q, const Rect& at) {
    const Theme& th = p.theme;
    float y = at.y;
    p.text_in(Face::mono_strong, at.x, y, at.w * 0.4f, th.text, name);
    if (q.empty()) p.text_in(Face::body, at.x + p.px(90), y, at.w - p.px(90), th.muted, "empty");
    for (std::size_t i = 0; i < q.size() && i < most_listed; ++i) {
        y += p.px(22);
        p.text_in(Face::mono, at.x, y, p.px(24), th.muted, std::to_string(i + 1));
        const float w = p.text_in(Face::body, at.x + p.px(26), y, at.w * 0.5f, th.text, task_label(scene.s, scene.names, q[i].task));
        p.text_in(Face::body, at.x + p.px(36) + w, y, at.w - w - p.px(36), th.muted, q[i].exclusive ? "exclusive" : "not exclusive");
    }
    if (q.size() > most_listed) y += p.px(22), p.text_in(Face::body, at.x, y, at.w, th.muted, fmt::format("and {} more", q.size() - most_listed));
    return y + p.px(22) - at.y;
}

void LocksView::draw_counters(const Scene& scene, Paint& p, const Rect& at) {
    const Theme& th = p.theme;
    static constexpr const char* heads[] = {"calls", "bytes", "sleeps", "wakes"};
    const float name_w = at.w * 0.3f, col = (at.w - name_w) / 4;
    float y = at.y;
    p.text_in(Face::strong, at.x, y, name_w, th.text, "tasks");
    for (int i = 0; i < 4; ++i)
        p.text_in(Face::small, at.x + name_w + col * static_cast<float>(i), y, col - p.px(6), th.muted, heads[i], Align::right);
    y += p.px(24);
    for (TaskId t = 0; t < scene.s.tasks.size() && y + p.px(20) < at.bottom(); ++t, y += p.px(22)) {
        const Task& task = scene.s.tasks[t];
        const bool acts = t == scene.focus.task;
        p.text_in(acts ? Face::strong : Face::body, at.x, y, name_w - p.px(6), acts ? th.accent : th.text, task_label(scene.s, scene.names, t));
        const std::uint64_t figures[] = {task.calls, task.bytes, task.sleeps, task.wakes};
        for (int i = 0; i < 4; ++i)
            p.text_in(Face::mono_small, at.x + name_w + col * static_cast<float>(i), y + p.px(1), col - p.px(6), th.text, digits_grouped(figures[i]),
                Align::right);
    }
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Draws the locks, the wake-ups and the counters.
#include "app/gui/view_locks.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace pipescope {
namespace {

constexpr std::size_t most_listed = 8, most_wakes = 6, most_tasks = 64;

} // namespace

void LocksView::draw(Scene& scene, Paint& p, const Rect& r) {
    const PipeId id = scene.pipe();
    Paint::Scroll scroll(p, "locks", r);
    const Rect in = scroll.area();
    const Rect at{in.x + p.px(16), in.y, in.w - p.px(30), 0};
    float y = in.y + p.px(6);
    if (id == no_id) return p.text_in(Face::body, at.x, y, at.w, p.theme.muted, "no pipe yet"), scroll.end_at(y);
    const Pipe& pipe = scene.s.pipes[id];
    y += draw_mutex(scene, p, pipe, {at.x, y, at.w, 0}) + p.px(10);
    y += draw_queue(scene, p, "rd_wait", pipe.wait[0], {at.x, y, at.w, 0}) + p.px(10);
    y += draw_queue(scene, p, "wr_wait", pipe.wait[1], {at.x, y, at.w, 0}) + p.px(14);
    y += draw_wakes(scene, p, {at.x, y, at.w, 0}) + p.px(14);
    y += draw_counters(scene, p, {at.x, y, at.w, 0});
    scroll.end_at(y + p.px(6));
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
        const RunState run = t < scene.s.tasks.size() ? scene.s.tasks[t].run : RunState::lock_sleep;
        const char* how = run == RunState::lock_spin ? "spins" : run == RunState::runnable ? "told that it is free" : run == RunState::lock_sleep ? "asleep" : "tries again";
        p.text_in(Face::mono, at.x, y, p.px(24), th.muted, std::to_string(i + 1));
        const float w = p.text_in(Face::body, at.x + p.px(26), y, at.w * 0.5f, th.text, task_label(scene.s, scene.names, t));
        p.text_in(Face::body, at.x + p.px(36) + w, y, at.w - w - p.px(36), th.warn, how);
    }
    if (pipe.mutex.handoff < scene.s.tasks.size())
        y += p.text_wrapped(Face::small, at.x, y, at.w, th.muted,
            fmt::format("{} was woken and came too late once: the next unlock gives it the mutex.", task_label(scene.s, scene.names, pipe.mutex.handoff)));
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
        const char* how = q[i].exclusive ? "exclusive" : q[i].epoll != no_id ? "epoll" : "not exclusive";
        const Rect mark{at.x + p.px(36) + w, y - 1, p.text_w(Face::small, how) + p.px(16), p.px(19)};
        p.pill(mark, q[i].exclusive ? th.accent_soft : th.panel, th.line);
        p.text_in(Face::small, mark.x + p.px(8), mark.mid_y() - p.text_h(Face::small) / 2, at.right() - mark.x - p.px(8), th.text, how);
    }
    if (q.size() > 1) {
        y += p.px(22);
        y += p.text_wrapped(Face::small, at.x, y, at.w, th.muted, "A wake-up goes down the list and ends behind the first exclusive one.") - p.px(20);
    }
    if (q.size() > most_listed) y += p.px(22), p.text_in(Face::body, at.x, y, at.w, th.muted, fmt::format("and {} more", q.size() - most_listed));
    return y + p.px(22) - at.y;
}

// The last wake-ups up to here, the newest first; a click goes there.
float LocksView::draw_wakes(Scene& scene, Paint& p, const Rect& at) {
    const Theme& th = p.theme;
    const auto& wakes = scene.lanes.wakes();
    auto it = std::upper_bound(wakes.begin(), wakes.end(), scene.n, [](std::size_t n, const WakeUp& w) { return n < w.from_n; });
    float y = at.y;
    p.text_in(Face::strong, at.x, y, at.w, th.text, "who woke whom");
    y += p.px(24);
    if (it == wakes.begin()) return p.text_in(Face::body, at.x, y, at.w, th.muted, "nobody has been woken yet"), y + p.px(22) - at.y;
    for (std::size_t i = 0; i < most_wakes && it != wakes.begin(); ++i, y += p.px(22)) {
        const WakeUp& w = *--it;
        const Rect row{at.x - p.px(6), y - p.px(2), at.w + p.px(12), p.px(22)};
        const auto press = p.area(fmt::format("locks/wake/{}", i), row);
        if (press.hovered) p.rect(row, mix(th.panel, th.text, 0.06f));
        if (press.clicked) scene.sel.seek = w.from_n;
        const std::string when = scene.lanes.end(false) ? time_text(w.from_ns) : "event " + digits_grouped(w.from_n);
        const std::string where = w.lock ? "mutex" : w.pipe == no_id ? "socket" : w.queue == WaitQueue::rd ? "rd_wait" : "wr_wait";
        const float when_w = p.text_w(Face::mono_small, when), where_w = p.text_w(Face::mono_small, "rd_wait") + p.px(12);
        float x = at.x;
        const float end = at.right() - when_w - where_w - p.px(8);
        x += p.text_in(Face::body, x, y, end - x, th.text, task_label(scene.s, scene.names, w.waker)) + p.px(8);
        const float ay = y + p.px(9);
        if (x + p.px(22) < end) {
            p.line(x, ay, x + p.px(16), ay, th.muted, p.px(1.5f));
            p.dl->AddTriangleFilled({x + p.px(14), ay - p.px(4)}, {x + p.px(14), ay + p.px(4)}, {x + p.px(21), ay}, th.muted);
            x += p.px(28);
            const std::string of = w.pipe != no_id && w.pipe != scene.pipe() ? ", " + pipe_label(scene.s, scene.names, w.pipe) : "";
            p.text_in(Face::body, x, y, end - x, th.text, task_label(scene.s, scene.names, w.woken) + of);
        }
        p.text_in(Face::mono_small, end + p.px(8), y + p.px(2), where_w, th.muted, where);
        p.text_in(Face::mono_small, at.right() - when_w, y + p.px(2), when_w + 1, th.muted, when);
    }
    return y - at.y;
}

float LocksView::draw_counters(const Scene& scene, Paint& p, const Rect& at) {
    const Theme& th = p.theme;
    static constexpr const char* heads[] = {"calls", "bytes", "sleeps", "wakes"};
    const float name_w = at.w * 0.3f, col = (at.w - name_w) / 4;
    float y = at.y;
    p.text_in(Face::strong, at.x, y, name_w, th.text, "tasks");
    for (int i = 0; i < 4; ++i)
        p.text_in(Face::small, at.x + name_w + col * static_cast<float>(i), y, col - p.px(6), th.muted, heads[i], Align::right);
    y += p.px(24);
    for (TaskId t = 0; t < scene.s.tasks.size() && t < most_tasks; ++t, y += p.px(22)) {
        const Task& task = scene.s.tasks[t];
        const bool acts = t == scene.focus.task;
        p.text_in(acts ? Face::strong : Face::body, at.x, y, name_w - p.px(6), acts ? th.accent : th.text, task_label(scene.s, scene.names, t));
        const std::uint64_t figures[] = {task.calls, task.bytes, task.sleeps, task.wakes};
        for (int i = 0; i < 4; ++i)
            p.text_in(Face::mono_small, at.x + name_w + col * static_cast<float>(i), y + p.px(1), col - p.px(6), th.text, digits_grouped(figures[i]),
                Align::right);
    }
    return y - at.y;
}

} // namespace pipescope

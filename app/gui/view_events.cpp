// SPDX-License-Identifier: MIT
// Draws the log of events.
#include "app/gui/view_events.hpp"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pipescope {

void EventsView::prepare(Document& doc, std::size_t position) {
    if (!rows_) return;
    const std::size_t size = doc.timeline().size();
    if (position != seen_position_) { // keep the current row in sight, a third from the top
        const double row = position ? static_cast<double>(position - 1) : 0;
        if (row < top_ + 1 || row > top_ + static_cast<double>(rows_) - 3) top_ = row - static_cast<double>(rows_) / 3;
        seen_position_ = position;
    }
    top_ = std::clamp(top_, 0.0, std::max(0.0, static_cast<double>(size) - static_cast<double>(rows_)));
    if (words_.size() > 8192) words_.clear();
    const auto first = static_cast<std::size_t>(top_);
    for (std::size_t i = first; i < std::min(first + rows_ + 1, size); ++i)
        if (!words_.contains(i)) words_[i] = narrate(doc.timeline().seek(i), doc.strings(), doc.timeline()[i], doc.version().anon_prefix);
}

void EventsView::draw(Scene& scene, Paint& p, const Rect& r) {
    const float step = p.px(22);
    rows_ = static_cast<std::size_t>(std::max(1.0f, r.h / step));
    const auto first = static_cast<std::size_t>(top_);
    task_w_ = 0;
    for (TaskId t = 0; t < scene.s.tasks.size() && t < 16; ++t)
        task_w_ = std::max(task_w_, p.text_w(Face::small, task_label(scene.s, scene.names, t)));
    task_w_ = std::min(task_w_, p.px(66));
    const Rect list{r.x, r.y, r.w - p.px(12), r.h};
    const Paint::Press press = p.area("events/list", list);
    const ImVec2 m = ImGui::GetIO().MousePos;
    if (press.hovered || r.contains(m.x, m.y)) top_ -= 3 * static_cast<double>(ImGui::GetIO().MouseWheel);
    for (std::size_t k = 0; k < rows_ && first + k < scene.timeline.size(); ++k) {
        const Rect row{list.x, list.y + step * static_cast<float>(k), list.w, step};
        if (press.hovered && row.contains(m.x, m.y)) {
            p.rect(row, mix(p.theme.panel, p.theme.text, 0.06f));
            if (p.text_w(Face::body, words_[first + k]) > row.w * 0.6f) p.tip(words_[first + k]);
            if (press.clicked) scene.sel.seek = first + k + 1;
        }
        draw_row(scene, p, first + k, row);
    }
    draw_bar(scene, p, {r.right() - p.px(9), r.y, p.px(6), r.h});
}

void EventsView::draw_row(Scene& scene, Paint& p, std::size_t i, const Rect& row) {
    const Theme& th = p.theme;
    const Event& e = scene.timeline[i];
    const bool here = i + 1 == scene.n, major = e.kind == EventKind::stage || e.kind == EventKind::sys_enter || e.kind == EventKind::sys_exit;
    if (here) p.rect(row, th.accent_soft), p.rect({row.x, row.y, p.px(3), row.h}, th.accent);
    const Colour ink = i >= scene.n ? th.faint : here || major ? th.text : th.muted;
    const float y = row.y + (row.h - p.text_h(Face::small)) / 2;
    const float number_w = p.text_w(Face::mono_small, digits_grouped(scene.timeline.size())) + p.px(4);
    float x = row.x + p.px(8);
    p.text_in(Face::mono_small, x, y, number_w, i >= scene.n ? th.faint : th.muted, digits_grouped(i + 1), Align::right);
    x += number_w + p.px(10);
    const float task_w = task_w_;
    if (e.task < scene.s.tasks.size())
        p.text_in(Face::small, x, y, task_w, i >= scene.n ? th.faint : th.muted, task_label(scene.s, scene.names, e.task));
    x += task_w + p.px(8);
    if (const auto it = words_.find(i); it != words_.end()) p.text_in(Face::small, x, y, row.right() - x - p.px(4), ink, it->second);
}

void EventsView::draw_bar(Scene& scene, Paint& p, const Rect& r) {
    const double size = static_cast<double>(scene.timeline.size());
    if (size <= static_cast<double>(rows_)) return;
    const Paint::Press press = p.area("events/bar", {r.x - p.px(3), r.y, r.w + p.px(6), r.h});
    const float thumb = std::max(p.px(24), r.h * static_cast<float>(static_cast<double>(rows_) / size));
    const double most = size - static_cast<double>(rows_);
    if (press.held) top_ = std::clamp(static_cast<double>((ImGui::GetIO().MousePos.y - r.y - thumb / 2) / (r.h - thumb)), 0.0, 1.0) * most;
    p.rect({r.x, r.y, r.w, r.h}, p.theme.well, r.w / 2);
    p.rect({r.x, r.y + (r.h - thumb) * static_cast<float>(top_ / most), r.w, thumb}, press.hovered || press.held ? p.theme.faint : p.theme.line,
        r.w / 2);
}

} // namespace pipescope

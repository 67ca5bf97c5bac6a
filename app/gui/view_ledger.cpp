// SPDX-License-Identifier: MIT
// Draws the figures in groups, each with its own line.
#include "app/gui/view_ledger.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace pipescope {
namespace {

bool is_time(Count c) { return c == Count::lock_ns || c == Count::sleep_ns; }
bool is_part(Count c) {
    return c == Count::tables || c == Count::slow_walks || c == Count::lock_spins || c == Count::lock_ns || c == Count::sleep_ns ||
           c == Count::copied_else;
}
// A recording tells what was called and who slept, not what a page went through.
bool of_model_only(Count c) { return (c >= Count::copied_in && c <= Count::faults) || c == Count::locks; }
// Without privileges only the calls themselves are known.
bool of_kernel_only(Count c) { return c >= Count::lock_waits && c <= Count::switches; }

std::string figure_text(Count c, std::int64_t v) {
    const auto n = static_cast<std::uint64_t>(std::max<std::int64_t>(v, 0));
    return is_time(c) ? time_text(n) : digits_grouped(n);
}

} // namespace

void LedgerView::draw(Scene& scene, Paint& p, const Rect& r) {
    tallies_.update(scene.timeline);
    const PipeId id = scene.pipe();
    const PipeId pipe = whole_ ? no_id : id;
    const std::size_t prev = scene.timeline.prev(scene.n, scene.transport.step());
    const auto time_at = [&](std::size_t n) { return n ? scene.timeline[n - 1].t_ns : 0; };
    here_ = tallies_.at(scene.n, time_at(scene.n), pipe), before_ = tallies_.at(prev, time_at(prev), pipe);

    Paint::Scroll scroll(p, "ledger", r);
    const Rect in = scroll.area();
    const Rect at{in.x + p.px(16), in.y, in.w - p.px(30), 0};
    float y = at.y + p.px(4);
    const auto next = [&] { return Rect{at.x, y, at.w, 0}; };
    y += draw_choice(scene, p, next());
    y += draw_group(scene, p, "Bytes", {Count::bytes_in, Count::bytes_out, Count::copied_in, Count::copied_out, Count::copied_else}, next());
    y += draw_group(scene, p, "Pages",
        {Count::pages_allocated, Count::tables, Count::pages_freed, Count::refs_taken, Count::refs_dropped, Count::walks, Count::slow_walks, Count::faults},
        next());
    y += draw_group(scene, p, "Locks", {Count::locks, Count::lock_waits, Count::lock_spins, Count::lock_ns}, next());
    y += draw_group(scene, p, "Sleep", {Count::sleeps_space, Count::sleeps_data, Count::sleep_ns, Count::wakes, Count::switches}, next());
    y += draw_group(scene, p, "Calls", {Count::calls, Count::eagains}, next());
    scroll.end_at(y + p.px(6));
}

float LedgerView::draw_choice(Scene& scene, Paint& p, const Rect& at) {
    const Theme& th = p.theme;
    float x = at.x;
    if (scene.s.pipes.size() > 1) {
        const std::string one = pipe_label(scene.s, scene.names, scene.pipe());
        const float h = p.px(26);
        for (const bool whole : {true, false}) {
            const std::string words = whole ? "everything" : one;
            const float w = p.text_w(Face::small, words) + p.px(20);
            if (p.button(whole ? "ledger/all" : "ledger/pipe", {x, at.y, w, h}, words, {Face::small, false, true, whole == whole_})) whole_ = whole;
            x += w + p.px(4);
        }
        x += p.px(10);
    } else whole_ = true;
    const char* last = scene.transport.step() == Step::event ? "last event" : scene.transport.step() == Step::stage ? "last stage" : "last call";
    const float add_w = p.px(84);
    p.text_in(Face::small, at.right() - add_w, at.y + p.px(5), add_w, th.muted, last, Align::right);
    p.text_in(Face::small, x, at.y + p.px(5), at.right() - add_w - x - p.px(10), th.muted, "up to here", Align::right);
    return p.px(30);
}

float LedgerView::draw_row(Paint& p, const std::string& name, const std::string& figure, const std::string& added, bool sub, const Rect& at) {
    const Theme& th = p.theme;
    const float add_w = p.px(84), fig_w = std::max(p.px(96), p.text_w(Face::mono, figure));
    const float in = sub ? p.px(14) : 0;
    p.text_in(Face::body, at.x + in, at.y, at.w - add_w - fig_w - in - p.px(16), sub ? th.muted : th.text, name);
    p.text_in(Face::mono, at.right() - add_w - p.px(10) - fig_w, at.y, fig_w, figure == "0" || figure == "–" ? th.muted : th.text, figure, Align::right);
    p.text_in(Face::mono_small, at.right() - add_w, at.y + p.px(2), add_w, th.accent, added, Align::right);
    return p.px(21);
}

float LedgerView::draw_group(const Scene& scene, Paint& p, const char* name, std::initializer_list<Count> list, const Rect& at) {
    const Theme& th = p.theme;
    float y = at.y + p.px(6);
    p.text_in(Face::strong, at.x, y, at.w * 0.5f, th.text, name);
    p.line(at.x + p.text_w(Face::strong, name) + p.px(12), y + p.px(9), at.right(), y + p.px(9), th.line);
    y += p.px(23);
    for (const Count c : list) {
        const Rect row{at.x, y, at.w, 0};
        const bool unknown = scene.doc.recorded() &&
                             ((of_model_only(c) && !tallies_.copies_known()) || (of_kernel_only(c) && scene.doc.meta().calls_only()));
        if (unknown) {
            if (!is_part(c)) y += draw_row(p, count_name(c), "–", "", false, row);
            continue;
        }
        const std::int64_t v = here_[c], added = v - before_[c];
        if (is_part(c) && v == 0) continue; // a part of nothing
        y += draw_row(p, count_name(c), figure_text(c, v), added > 0 ? "+" + figure_text(c, added) : "", is_part(c), row);
        const bool in = c == Count::copied_in;
        if ((in || c == Count::copied_out) && here_[in ? Count::bytes_in : Count::bytes_out])
            y += draw_row(p, "each byte, times", fmt::format("{:.2f}", in ? here_.copies_in() : here_.copies_out()), "", true, {at.x, y, at.w, 0});
    }
    return y - at.y;
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Draws the ladder.
#include "app/gui/view_ladder.hpp"
#include "app/gui/view_costs.hpp"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pipescope {
namespace {

constexpr std::uint64_t first_bytes = 64u << 20, more_bytes = 1u << 30;

} // namespace

void LadderView::draw(Scene& scene, Paint& p, const Rect& r) {
    const Theme& th = p.theme;
    if (profiles_.empty()) profiles_ = ladder_profiles();
    const auto run = [&](std::uint64_t bytes) {
        const auto profile = ladder_profile(scene.sel.profile, scene.sel.profile_fault);
        run_ = ladder_run(profile ? *profile : profile_builtin(), bytes);
        if (!profile) scene.sel.profile.clear(); // it has gone meanwhile
        path_ = scene.sel.profile;
        const auto listed = [&](auto is) { return std::any_of(profiles_.begin(), profiles_.end(), is); };
        if (listed([&](const ProfileFile& f) { return f.path == path_; })) return;
        const bool twice = listed([&](const ProfileFile& f) { return f.name == run_->profile; });
        profiles_.push_back({twice ? path_ : run_->profile, path_});
    };
    if (!run_ || path_ != scene.sel.profile) run(run_ ? run_->bytes : first_bytes);
    Paint::Scroll scroll(p, "ladder", r);
    const Rect in = scroll.area();
    const Rect at{in.x + p.px(16), in.y, in.w - p.px(30), 0};
    float y = at.y + p.px(4);
    y += draw_profiles(scene, p, {at.x, y, at.w, 0}) + p.px(12);
    p.text_in(Face::strong, at.x, y, at.w, th.text, "Throughput, GiB/s");
    y += p.px(21);
    const bool long_run = run_->bytes >= more_bytes;
    const std::string again = long_run ? "run 64 MiB" : "run 1 GiB";
    const float bw = p.text_w(Face::small, again) + p.px(20);
    p.text_in(Face::small, at.x, y, at.w - bw - p.px(8), th.muted,
        fmt::format("{}, {} on each rung", run_->profile, long_run ? "1 GiB" : "64 MiB"));
    if (p.button("ladder/run", {at.right() - bw, y - p.px(6), bw, p.px(25)}, again, {Face::small, false, true, false}))
        run(long_run ? first_bytes : more_bytes);
    y += p.px(26);
    y += draw_bars(p, {at.x, y, at.w, 0}) + p.px(10);
    if (chosen_ < run_->bars.size()) {
        const LadderBar& b = run_->bars[chosen_];
        p.text_in(Face::strong, at.x, y, at.w, th.text, b.name + ": where the time goes");
        y += p.px(24);
        y += draw_cost_lines(p, b.costs, 200, {at.x, y, at.w, 0}) + p.px(12);
        y += draw_figures(p, b, {at.x, y, at.w, 0});
    }
    scroll.end_at(y + p.px(8));
}

// What stages are taken to cost: a button for each profile, and a field for the path of another one.
float LadderView::draw_profiles(Scene& scene, Paint& p, const Rect& at) {
    const Theme& th = p.theme;
    Selection& sel = scene.sel;
    float x = at.x, y = at.y;
    p.text_in(Face::strong, at.x, y, at.w, th.text, "Cost profile");
    y += p.px(23);
    for (const ProfileFile& f : profiles_) {
        const float w = std::min(p.text_w(Face::mono_small, f.name) + p.px(22), at.w);
        if (x + w > at.right() && x > at.x) x = at.x, y += p.px(31);
        if (p.button(("ladder/profile " + f.name).c_str(), {x, y, w, p.px(26)}, f.name, {Face::mono_small, false, true, f.path == sel.profile}))
            sel.profile = f.path, sel.profile_fault.clear();
        x += w + p.px(6);
    }
    y += p.px(32);
    if (p.input("ladder/path", {at.x, y, at.w, p.px(28)}, sel.profile_typed, "another one: its path")) {
        sel.profile_fault.clear();
        if (!sel.profile_typed.empty() && ladder_profile(sel.profile_typed, sel.profile_fault)) sel.profile = sel.profile_typed;
    }
    y += p.px(34);
    if (!sel.profile_fault.empty()) y += p.text_wrapped(Face::small, at.x, y, at.w, th.warn, sel.profile_fault, 3) + p.px(2);
    return y - at.y;
}

float LadderView::draw_bars(Paint& p, const Rect& at) {
    const Theme& th = p.theme;
    float y = at.y;
    const float figure = p.text_w(Face::mono_small, "62.5  +12.5 %") + p.px(8), room = at.w - figure;
    const double most = std::max(run_->most(), 1.0);
    float x = at.x; // the legend
    for (const bool simulated : {false, true}) {
        const Rect box{x, y + p.px(3), p.px(12), p.px(9)};
        p.rect(box, simulated ? th.link : th.zero, p.px(2));
        x = p.text(Face::small, x + p.px(18), y, th.muted, simulated ? "simulated" : "published") + p.px(18);
    }
    y += p.px(24);
    for (std::size_t i = 0; i < run_->bars.size(); ++i) {
        const LadderBar& b = run_->bars[i];
        const Rect row{at.x - p.px(8), y - p.px(2), at.w + p.px(16), p.px(49)};
        const auto press = p.area(fmt::format("ladder/{}", b.name), row);
        if (press.clicked) chosen_ = i;
        if (i == chosen_) p.rect(row, th.accent_soft, p.px(4)), p.rect({row.x, row.y, p.px(3), row.h}, th.accent);
        else if (press.hovered) p.rect(row, mix(th.panel, th.text, 0.06f), p.px(4));
        p.text_in(i == chosen_ ? Face::strong : Face::body, at.x, y, at.w, th.text, b.name);
        y += p.px(20);
        const auto bar = [&](double v, Colour c, const std::string& error) {
            p.rect({at.x, y, std::max(std::round(room * static_cast<float>(v / most)), 1.0f), p.px(9)}, c, p.px(2));
            const float ty = y + p.px(4) - p.text_h(Face::mono_small) / 2, value = p.text_w(Face::mono_small, "62.5") + p.px(10);
            p.text_in(Face::mono_small, at.right() - figure, ty, value, th.text, fmt::format("{:.1f}", v), Align::right);
            p.text_in(Face::mono_small, at.right() - figure + value, ty, figure - value, th.muted, error, Align::right);
            y += p.px(12);
        };
        bar(b.published, th.zero, "");
        bar(b.simulated, th.link, fmt::format("{:+.1f} %", (b.simulated / b.published - 1) * 100));
        y += p.px(7);
    }
    return y - at.y;
}

float LadderView::draw_figures(Paint& p, const LadderBar& b, const Rect& at) const {
    const Theme& th = p.theme;
    float y = at.y;
    p.text_in(Face::strong, at.x, y, at.w, th.text, "For each GiB");
    y += p.px(24);
    for (const LadderFigure& f : ladder_figures(b.result)) {
        const bool ratio = f.per_gib < 10 && f.per_gib != 0;
        p.text_in(Face::body, at.x, y, at.w * 0.6f, th.text, f.name);
        p.text_in(Face::mono, at.x + at.w * 0.55f, y, at.w * 0.45f, f.per_gib == 0 ? th.muted : th.text,
            ratio ? fmt::format("{:.2f}", f.per_gib) : digits_grouped(static_cast<std::uint64_t>(f.per_gib + 0.5)), Align::right);
        y += p.px(21);
    }
    return y - at.y;
}

} // namespace pipescope

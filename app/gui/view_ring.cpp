// SPDX-License-Identifier: MIT
// The heading of the ring, its legend, and the frame of the annulus.
#include "app/gui/view_ring.hpp"
#include "app/gui/subject.hpp"
#include "app/gui/view_pair.hpp"
#include "core/describe.hpp"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pipescope {

PipeId Scene::pipe() const {
    if (sel.pipe < s.pipes.size()) return sel.pipe;
    if (focus.pipe < s.pipes.size()) return focus.pipe;
    for (PipeId i = 0; i < s.pipes.size(); ++i)
        if (!s.pipes[i].freed) return i;
    return s.pipes.empty() ? no_id : 0;
}

std::string Scene::mutex_owner(const Pipe& p) const {
    if (p.mutex.owner < s.tasks.size()) return task_label(s, names, p.mutex.owner);
    return doc.recorded() && p.source != RingSource::model ? "not known" : "free";
}

std::string slot_tip(const Scene& scene, const Pipe& pipe, std::uint32_t slot) {
    const PipeBuffer& b = pipe.bufs[slot];
    std::string out = fmt::format("slot {}\n", slot);
    if (!slot_live(pipe, slot)) return out + "free";
    const std::string flags = buf_flags_string(b.flags);
    out += fmt::format("page {}, {}\n{} bytes at offset {}", scene.page(b.page),
        scene.s.pages.contains(b.page) ? page_owner_name(scene.s.pages[b.page].owner) : "unknown", digits_grouped(b.len), digits_grouped(b.offset));
    if (!flags.empty()) out += "\nflags " + flags;
    if (scene.s.pages.contains(b.page) && scene.s.pages[b.page].pfn) out += fmt::format("\nframe {:#x}", scene.s.pages[b.page].pfn);
    return out;
}

void RingView::draw(Scene& scene, Paint& p, const Rect& r) {
    p.rect(r, p.theme.stage);
    const PipeId id = scene.pipe();
    const float top = draw_header(scene, p, r, id);
    const PairShown pair = pair_shown(scene, id);
    if (id == no_id) return draw_pair(p, pair, {r.x + p.px(18), r.y + top, r.w - p.px(36), pair_h(p, pair)});
    const Pipe& pipe = scene.s.pipes[id];
    differs_ = pair.diverged ? pair.slot : no_id;
    const float below = pair_h(p, pair);
    const Rect body{r.x + p.px(18), r.y + top, r.w - p.px(36), r.h - top - p.px(6) - below};
    draw_pair(p, pair, {body.x, body.bottom() + p.px(2), body.w, below});
    const bool round = fits_round(pipe, p, body);
    const Rect legend = draw_legend(round, p, body);
    if (round) draw_annulus(scene, p, body, id, legend);
    else rows_.draw(scene, p, {body.x, body.y, body.w, legend.y - body.y - p.px(8)}, id, differs_);
}

float RingView::draw_header(Scene& scene, Paint& p, const Rect& r, PipeId id) {
    const Theme& th = p.theme;
    const float y = r.y + p.px(14), right = r.right() - p.px(18);
    float x = r.x + p.px(18);
    if (!scene.narrow) x = p.heading(x, y, "THE RING") + p.px(18); // a narrow window has it as a tab
    if (id == no_id) {
        p.text_in(Face::mono, x, y, right - x, th.muted, "no pipe yet");
        return p.px(38);
    }
    const Pipe& pipe = scene.s.pipes[id];
    std::string words = fmt::format(
        "{} · {} slots · {} used · {} bytes", pipe_label(scene.s, scene.names, id), pipe.ring_size, pipe.occupancy(), digits_grouped(pipe.bytes()));
    if (pipe.freed) words += " · freed";
    x += p.text_in(Face::mono, x, y, right - x, th.muted, words) + p.px(16);
    const char* source = pipe.torn                             ? "torn: it changed while it was read"
                         : pipe.source == RingSource::inferred ? "inferred"
                         : pipe.source == RingSource::kernel   ? "read from the kernel"
                                                               : "";
    p.text_in(Face::strong, x, y, right - x, pipe.torn || pipe.source == RingSource::inferred ? th.warn : th.accent, source);
    if (scene.s.pipes.size() < 2) return p.px(44);
    std::vector<std::string> names;
    for (PipeId i = 0; i < scene.s.pipes.size() && i < 12; ++i) names.push_back(pipe_label(scene.s, scene.names, i));
    const int chosen = p.tabs("pipes", r.x + p.px(10), y + p.px(22), r.w - p.px(20), names, static_cast<int>(id));
    if (chosen != static_cast<int>(id)) scene.sel.pipe = static_cast<PipeId>(chosen);
    return p.px(74);
}

bool RingView::fits_round(const Pipe& pipe, const Paint& p, const Rect& r) {
    // A slot of the annulus has to be broad enough for a line of text that lies in it.
    const float radius = (std::min(r.h / 2, r.w / 2) - p.px(60)) * 0.78f;
    return pipe.ring_size <= 8 || (pipe.ring_size <= ring_slots_max && radius * 6.28f / static_cast<float>(pipe.ring_size) >= p.px(22));
}

Rect RingView::draw_legend(bool round, Paint& p, const Rect& r) {
    const Theme& th = p.theme;
    static constexpr const char* names[] = {"kernel page", "user page", "page cache", "socket", "zero page", "dead space"};
    static constexpr PageOwner owners[] = {PageOwner::kernel, PageOwner::user, PageOwner::page_cache, PageOwner::socket, PageOwner::zero};
    const float box = p.px(14), step = p.px(22);
    const bool upright = round && r.w > r.h + p.px(440);
    float x = r.x, y = r.y + p.px(4);
    if (!upright) y = r.bottom() - p.px(18);
    const Rect whole = upright ? Rect{x, y, p.px(118), step * 6} : Rect{r.x, y - p.px(2), r.w, p.px(20)};
    for (int i = 0; i < 6; ++i) {
        const float w = box + p.px(8) + p.text_w(Face::small, names[i]);
        if (!upright && x + w > r.right()) break;
        const Rect b{x, y + p.px(2), box, box};
        if (i < 5) p.swatch(owners[i], b);
        else p.rect(b, th.card, p.px(2)), p.hatch(b, th.hatch, 4);
        p.text(Face::small, x + box + p.px(8), y, th.muted, names[i]);
        if (upright) y += step;
        else x += w + p.px(16);
    }
    return whole;
}

void RingView::draw_annulus(Scene& scene, Paint& p, const Rect& r, PipeId id, const Rect& legend) {
    const Pipe& pipe = scene.s.pipes[id];
    const bool upright = legend.h > p.px(30);
    const float h = upright ? r.h : legend.y - r.y;
    cx_ = r.mid_x(), cy_ = r.y + h / 2 + p.px(2);
    outer_ = std::max(std::min(h / 2 - p.px(42), r.w / 2 - p.px(130)), p.px(60));
    inner_ = outer_ * (pipe.ring_size > 8 ? 0.55f : 0.58f);
    gap_ = pipe.ring_size > 1 ? p.px(8) / outer_ * (pipe.ring_size > 16 ? 0.5f : 1.0f) : 0;
    for (std::uint32_t slot = 0; slot < pipe.ring_size; ++slot) draw_slot(scene, p, pipe, slot);
    for (std::uint32_t slot = 0; slot < pipe.ring_size; ++slot) draw_slot_text(scene, p, pipe, slot);
    draw_pointers(p, pipe, {r.x, r.y, r.w, h}, upright ? legend : Rect{});
    draw_middle(scene, p, pipe);
    const auto press = p.area("ring/area", {cx_ - outer_, cy_ - outer_, 2 * outer_, 2 * outer_});
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const std::uint32_t under = ring_slot_at(mouse.x - cx_, mouse.y - cy_, inner_, outer_, pipe.ring_size);
    if (press.hovered && under != no_id) p.tip(slot_tip(scene, pipe, under));
    if (press.clicked && under != no_id && slot_live(pipe, under)) select_page(scene, pipe.bufs[under].page);
}

} // namespace pipescope

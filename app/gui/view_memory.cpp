// SPDX-License-Identifier: MIT
// Draws the strips of memory.
#include "app/gui/view_memory.hpp"
#include "core/mm/walk.hpp"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pipescope {
namespace {

// The frame behind page `index` of a buffer.
Walk walk_page(const State& s, const Buffer& b, std::uint64_t index) {
    return walk(s, b.mm, (b.addr & ~std::uint64_t{page_size - 1}) + index * page_size);
}

// Recordings hold no page tables.
bool tables_known(const State& s, const Buffer& b) { return b.mm < s.mms.size() && s.mms[b.mm].pgd != no_page; }

std::string tip_text(const Scene& scene, PageId page) {
    if (page == no_page || page >= scene.s.pages.size()) return "nothing is mapped here yet";
    const Page& q = scene.s.pages[page];
    const Page& head = q.compound_head < scene.s.pages.size() ? scene.s.pages[q.compound_head] : q;
    std::string out = fmt::format("page {}, {}\nrefcount {}, mapcount {}", scene.page(page), page_owner_name(q.owner), head.refcount, head.mapcount);
    if (q.order) out += fmt::format("\npart of a folio of {} pages", 1u << q.order);
    if (q.pfn) out += fmt::format("\nframe {:#x}", q.pfn);
    return out;
}

} // namespace

void MemoryView::draw(Scene& scene, Paint& p, const Rect& r) {
    if (r.h < p.px(60)) return;
    p.rect(r, p.theme.stage);
    p.line(r.x, r.y, r.right(), r.y, p.theme.line);
    p.heading(r.x + p.px(18), r.y + p.px(12), "MEMORY");
    user_tile_ = ring_tile_ = free_ = {};
    const std::vector<Strip> list = strips(scene);
    const float top = r.y + p.px(38), room = r.bottom() - p.px(8) - top;
    const auto fit = static_cast<std::size_t>(std::max(1.0f, room / p.px(32)));
    const std::size_t n = std::min(list.size(), fit);
    const float step = n ? std::min(room / static_cast<float>(n), p.px(52)) : 0;
    for (std::size_t i = 0; i < n; ++i) draw_strip(scene, p, list[i], {r.x + p.px(18), top + step * static_cast<float>(i), r.w - p.px(36), step});
    if (list.size() > n)
        p.text_in(Face::small, r.x + p.px(120), r.y + p.px(13), r.w - p.px(290), p.theme.muted,
            fmt::format("{} more {}", list.size() - n, list.size() - n == 1 ? "buffer" : "buffers"));
    if (list.empty()) p.text_in(Face::body, r.x + p.px(18), top, r.w - p.px(36), p.theme.muted, "no buffers and no kernel pages in use");
    draw_band(scene, p, r);
}

std::vector<MemoryView::Strip> MemoryView::strips(const Scene& scene) const {
    const State& s = scene.s;
    std::vector<Strip> users;
    const MmId mm = scene.focus.task < s.tasks.size() ? s.tasks[scene.focus.task].mm : no_id;
    for (std::uint32_t i = 0; i < s.buffers.size(); ++i) {
        const Buffer& b = s.buffers[i];
        if (b.scratch || !b.len) continue;
        Strip strip{scene.names[b.name], ((b.addr & (page_size - 1)) + b.len + page_size - 1) / page_size, i, no_id, {}, ~std::uint64_t{0}};
        const std::uint64_t start = b.addr & ~std::uint64_t{page_size - 1};
        if (scene.focus.user_addr >= b.addr && scene.focus.user_addr - b.addr < b.len && mm == b.mm)
            strip.wanted = (scene.focus.user_addr - start) / page_size;
        users.push_back(std::move(strip));
    }
    Strip kernel{"kernel pages", 0, no_id, no_id, {}, ~std::uint64_t{0}};
    std::vector<Strip> seen; // recordings name user memory by frame
    for (PageId page = 2; page < s.pages.size(); ++page) {
        const Page& q = s.pages[page];
        if (q.owner == PageOwner::kernel) {
            if (page == scene.focus.page) kernel.wanted = kernel.list.size();
            kernel.list.push_back(page);
        } else if (q.owner == PageOwner::user && q.user_task < s.tasks.size()) {
            auto it = std::find_if(seen.begin(), seen.end(), [&](const Strip& x) { return x.user_of == q.user_task; });
            if (it == seen.end())
                it = seen.insert(
                    seen.end(), Strip{task_label(s, scene.names, q.user_task) + "'s pages", 0, no_id, q.user_task, {}, ~std::uint64_t{0}});
            it->list.push_back(page);
        }
    }
    std::vector<Strip> out = std::move(users);
    // What the moment is about comes first: the buffer a copy touches, then the kernel's pages, then the rest.
    std::stable_sort(
        out.begin(), out.end(), [](const Strip& a, const Strip& b) { return (a.wanted != ~std::uint64_t{0}) > (b.wanted != ~std::uint64_t{0}); });
    for (Strip& strip : seen) {
        std::sort(strip.list.begin(), strip.list.end(), [&](PageId a, PageId b) { return s.pages[a].user_index < s.pages[b].user_index; });
        out.push_back(std::move(strip));
    }
    if (!kernel.list.empty() || !out.empty())
        out.insert(out.begin() + std::min<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(out.size())), std::move(kernel));
    for (Strip& strip : out)
        if (strip.buffer == no_id) strip.pages = strip.list.size();
    return out;
}

void MemoryView::draw_strip(Scene& scene, Paint& p, const Strip& strip, const Rect& r) {
    const float label = std::min(p.px(120), r.w * 0.22f), gap = p.px(2);
    // Tiles shrink to a third before a strip is shown in parts; then the figure behind it needs more room.
    float side = std::min(p.px(24), r.h - p.px(9)), room = r.w - label - p.px(44);
    if (static_cast<float>(strip.pages) * (side + gap) > room) side = std::max(room / static_cast<float>(strip.pages) - gap, p.px(7));
    if (static_cast<float>(strip.pages) * (side + gap) > room + 1) room -= p.px(92);
    const auto shown = std::min<std::uint64_t>(strip.pages, static_cast<std::uint64_t>(std::max(1.0f, (room + 1) / (side + gap))));
    const std::uint64_t first = strip_first(strip.pages, shown, strip.wanted);
    p.text_in(Face::body, r.x, r.mid_y() - p.text_h(Face::body) / 2, label - p.px(8), p.theme.text, strip.name);
    if (strip.buffer != no_id && !tables_known(scene.s, scene.s.buffers[strip.buffer])) {
        p.text_in(Face::small, r.x + label, r.mid_y() - p.text_h(Face::small) / 2, r.w - label, p.theme.muted,
            fmt::format("{} pages; which frames they are was not recorded", digits_grouped(strip.pages)));
        return;
    }
    const float h = std::min(p.px(24), r.h - p.px(9));
    for (std::uint64_t i = 0; i < shown; ++i) {
        Tile tile{no_page, first + i};
        if (strip.buffer == no_id) tile.page = strip.list[first + i];
        else if (const Walk w = walk_page(scene.s, scene.s.buffers[strip.buffer], first + i); w.present) tile.page = w.page;
        draw_tile(scene, p, strip, tile,
            {std::round(r.x + label + static_cast<float>(i) * (side + gap)), std::round(r.mid_y() - h / 2), std::round(side), h});
    }
    const std::string behind =
        shown < strip.pages ? fmt::format("{}–{} of {}", first, first + shown - 1, digits_grouped(strip.pages)) : digits_grouped(strip.pages);
    const float x = r.x + label + static_cast<float>(shown) * (side + gap) + p.px(6);
    if (strip.pages) {
        const float w = p.text_in(Face::mono_small, x, r.mid_y() - p.text_h(Face::mono_small) / 2, r.right() - x, p.theme.muted, behind);
        if (ring_tile_.w > 0 && free_.w == 0) free_ = {x + w + p.px(14), r.y, r.right() - x - w - p.px(14), r.h};
    } else p.text_in(Face::small, x, r.mid_y() - p.text_h(Face::small) / 2, r.right() - x, p.theme.muted, "none in use");
}

void MemoryView::draw_tile(Scene& scene, Paint& p, const Strip& strip, const Tile& tile, const Rect& r) {
    const State& s = scene.s;
    const Theme& th = p.theme;
    const bool mapped = tile.page != no_page && tile.page < s.pages.size();
    const Page* q = mapped ? &s.pages[tile.page] : nullptr;
    const bool of_ring = mapped && tile.page == scene.focus.page && tile.page != zero_page; // a user page can be in the ring itself
    const bool of_user = strip.buffer != no_id && strip.wanted == tile.index;
    const bool in_use = of_ring || of_user;
    p.rect(r, mapped ? th.owner(tile.page == zero_page ? PageOwner::zero : q->owner) : th.card);
    if (!mapped) p.outline(r, th.line);
    // A huge page is one folio: its tiles join at the top, and only the head has both edges.
    if (mapped && q->order)
        p.rect(
            {r.x, r.y, r.w + (tile.page + 1 != q->compound_head + (1u << q->order) ? p.px(2) : 0), p.px(3)}, mix(th.owner(q->owner), th.text, 0.45f));
    const std::int32_t refs = mapped && q->compound_head < s.pages.size() ? s.pages[q->compound_head].refcount : 0;
    if (mapped && refs > 1 && tile.page != zero_page && (!q->order || q->compound_head == tile.page)) {
        const std::string count = std::to_string(refs);
        if (p.text_w(Face::mono_small, count) <= r.w)
            p.text_in(Face::mono_small, r.x, r.mid_y() - p.text_h(Face::mono_small) / 2, r.w, th.on_fill, count, Align::centre);
        else p.rect({r.x, r.bottom() - p.px(4), r.w, p.px(4)}, th.on_fill);
    }
    if (in_use || (mapped && tile.page == scene.sel.page)) p.outline({r.x - 1, r.y - 1, r.w + 2, r.h + 2}, in_use ? th.accent : th.link, p.px(2));
    if (of_user) user_tile_ = r;
    else if (of_ring) ring_tile_ = r;
    const ImVec2 m = ImGui::GetIO().MousePos;
    if (!r.contains(m.x, m.y) || !ImGui::IsWindowHovered()) return;
    p.tip(fmt::format("{}, tile {}\n{}", strip.name, tile.index, tip_text(scene, tile.page)));
    if (ImGui::IsMouseClicked(0) && mapped) scene.sel.page = tile.page;
}

void MemoryView::draw_band(const Scene& scene, Paint& p, const Rect& r) {
    if (!scene.focus.copies || user_tile_.w == 0 || ring_tile_.w == 0) return;
    const bool user_above = user_tile_.y < ring_tile_.y;
    const Rect& up = user_above ? user_tile_ : ring_tile_;
    const Rect& down = user_above ? ring_tile_ : user_tile_;
    const float y0 = up.bottom() + 1, y1 = down.y - 1, bend = (y1 - y0) * 0.8f;
    p.dl->AddBezierCubic(
        {up.mid_x(), y0}, {up.mid_x(), y0 + bend}, {down.mid_x(), y1 - bend}, {down.mid_x(), y1}, with_alpha(p.theme.accent, 0.75f), p.px(5));
    const std::string words = fmt::format("{} of {} B", digits_grouped(scene.focus.bytes), digits_grouped(page_size));
    const float w = p.text_w(Face::mono_small, words), h = p.text_h(Face::mono_small);
    if (y1 - y0 < h + p.px(3)) { // no room between the strips: behind the one of the ring's pages
        if (free_.w >= w) p.text_in(Face::mono_small, free_.x, free_.mid_y() - h / 2, free_.w, p.theme.text, words);
        else p.text_in(Face::mono_small, r.right() - p.px(18) - w, r.y + p.px(14), w, p.theme.text, words); // or in the heading
        return;
    }
    // On the middle of a long band, beside a short one.
    const bool on_it = std::fabs(up.mid_x() - down.mid_x()) > 2.2f * w;
    const float x = on_it ? (up.mid_x() + down.mid_x() - w) / 2 : std::max(up.right(), down.right()) + p.px(10);
    p.rect({x - p.px(4), (y0 + y1) / 2 - h / 2 - 1, w + p.px(8), h + 2}, p.theme.stage);
    p.text(Face::mono_small, x, (y0 + y1) / 2 - h / 2, p.theme.text, words);
}

} // namespace pipescope

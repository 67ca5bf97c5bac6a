// SPDX-License-Identifier: MIT
// Draws a walk through the page tables: the address, its bits, and a strip for each table.
#include "app/gui/view_walk.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace pipescope {
namespace {

std::string address_text(std::uint64_t a) { return fmt::format("{:#018x}", a); }

} // namespace

void take_address(Scene& scene, const std::string& text) {
    Selection& sel = scene.sel;
    const MmId mm = subject_of(scene).mm;
    sel.page = no_page, sel.place.reset();
    sel.address = text;
    const auto addr = address_parse(text, sel.address_fault);
    if (addr) sel.place = Place{mm < scene.s.mms.size() ? mm : 0, *addr};
}

void WalkView::draw(Scene& scene, Paint& p, const Rect& r) {
    Paint::Scroll scroll(p, "walk", r);
    const Rect in = scroll.area();
    const Rect at{in.x + p.px(16), in.y, in.w - p.px(32), 0};
    float y = at.y + p.px(4);
    if (scene.doc.recorded() && std::none_of(scene.s.mms.begin(), scene.s.mms.end(), [](const Mm& m) { return m.pgd != no_page; })) {
        y += p.text_wrapped(Face::body, at.x, y, at.w, p.theme.muted, "A recording holds no page tables: they are known in a simulation only.");
        return scroll.end_at(y);
    }
    const Subject x = subject_of(scene);
    y += draw_head(scene, p, x, {at.x, y, at.w, 0});
    if (x.mm == no_id || x.mm >= scene.s.mms.size()) {
        y += p.text_wrapped(Face::body, at.x, y, at.w, p.theme.muted, x.no_walk.empty() ? "No memory to walk to yet." : x.no_walk);
        return scroll.end_at(y);
    }
    const WalkPicture w = walk_picture(scene.s, x.mm, x.addr);
    const GupRun run = gup_run(scene.s, x.mm, x.addr);
    if (!w.split.canonical) {
        const float h = p.text_wrapped(Face::small, at.x, y, at.w - p.px(14), p.theme.warn, canonical_fault(w.split), 4, false);
        p.rect({at.x, y, p.px(4), h}, p.theme.warn);
        y += p.text_wrapped(Face::small, at.x + p.px(12), y, at.w - p.px(14), p.theme.warn, canonical_fault(w.split), 4) + p.px(8);
    }
    y += draw_address(p, w, {at.x, y, at.w, 0}) + p.px(6);
    const float rest = p.px(250); // what stands below the tables
    y += draw_tables(scene, p, w, run, {at.x, y, at.w, in.y + r.h - y - rest}) + p.px(4);
    y += draw_entry(p, w, {at.x, y, at.w, 0}) + p.px(10);
    y += draw_run(scene, p, run, {at.x, y, at.w, 0}) + p.px(10);
    y += draw_page(scene, p, w, {at.x, y, at.w, 0}) + p.px(10);
    y += draw_tlb(scene, p, x, {at.x, y, at.w, 0});
    scroll.end_at(y);
}

// The title, and a field that shows the address and takes another one.
float WalkView::draw_head(Scene& scene, Paint& p, const Subject& x, const Rect& at) {
    const float h = p.px(28), field = std::min(p.text_w(Face::mono, address_text(0)) + p.px(22), at.w * 0.72f), follow = p.px(28);
    const float title_w = at.w - field - p.px(10) - (x.chosen ? follow + p.px(4) : 0);
    p.text_in(Face::strong, at.x, at.y + (h - p.text_h(Face::strong)) / 2, title_w, p.theme.text, x.title);
    const float fx = at.right() - field;
    std::string text = scene.sel.address;
    if (p.input("walk/address", {fx, at.y, field, h}, text, x.mm == no_id ? "0x…" : address_text(x.addr))) take_address(scene, text);
    if (x.chosen || !scene.sel.address.empty()) {
        const Rect close{fx - follow - p.px(4), at.y, follow, h};
        if (p.button("walk/follow", close, icon_text(Icon::close, p.fonts.icons), {Face::icon, false, true, false})) select_nothing(scene.sel);
    }
    float used = h + p.px(8);
    if (!scene.sel.address_fault.empty())
        used += p.text_wrapped(Face::small, at.x, at.y + used - p.px(2), at.w, p.theme.warn, scene.sel.address_fault, 2) + p.px(4);
    return used;
}

float WalkView::draw_address(Paint& p, const WalkPicture& w, const Rect& at) {
    const Theme& th = p.theme;
    const std::vector<AddressPart> parts = address_parts(w.split, w.leaf >= 0 ? w.leaf : w.split.levels - 1);
    const float gap = p.px(2), unit = (at.w - gap * static_cast<float>(parts.size() - 1)) / 64;
    float x = at.x;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const AddressPart& part = parts[i];
        const Rect box{x, at.y, unit * static_cast<float>(part.bits), p.px(28)};
        const bool index = i > 0 && i + 1 < parts.size(), leaf = index && static_cast<int>(i) - 1 == w.leaf;
        const bool read = index && w.strips[i - 1].read;
        p.rect(box, th.card, p.px(2));
        p.outline(box,
            leaf                           ? th.user
            : read                         ? th.link
            : i == 0 && !w.split.canonical ? th.warn
                                           : th.line,
            leaf || read || !w.split.canonical ? p.px(1.4f) : 1, p.px(2));
        const std::string value = index ? std::to_string(part.value) : fmt::format("{:#x}", part.value);
        p.text_in(Face::mono_small, box.x + 1, box.mid_y() - p.text_h(Face::mono_small) / 2, box.w - 2,
            i == 0 && !w.split.canonical ? th.warn : th.text, value, Align::centre);
        p.text_in(Face::small, box.x, box.bottom() + p.px(2), box.w, th.muted, part.name, Align::centre);
        p.text_in(Face::mono_small, box.x, box.bottom() + p.px(18), box.w, th.muted, std::to_string(part.bits), Align::centre);
        x += box.w + gap;
    }
    return p.px(62);
}

// The 512 entries of one table: those in use, the chosen one, and those that a batch takes.
void WalkView::draw_entries(const Scene& scene, Paint& p, const WalkPicture& w, const TableStrip& strip, const GupRun& run, const Rect& bar) {
    const Theme& th = p.theme;
    const auto x_of = [&](std::uint32_t i) { return bar.x + bar.w * static_cast<float>(i) / 512; };
    if (!strip.read) p.hatch(bar, th.hatch, 7);
    const PageTable* table = strip.read ? table_of(scene.s, strip.table) : nullptr;
    for (std::uint32_t i = 0; table && i < 512;) {
        std::uint32_t j = i;
        while (j < 512 && ((*table)[j] & PTE_P)) ++j;
        if (j > i) p.rect({x_of(i), bar.y, std::max(x_of(j) - x_of(i), 1.0f), bar.h}, mix(th.card, th.link, 0.4f));
        i = std::max(j, i + 1);
    }
    const float x = bar.x + bar.w * (static_cast<float>(strip.index) + 0.5f) / 512;
    if (strip.leaf && run.entries) { // a bracket under the entries of the batch that lie in this table
        const auto last = std::min<std::uint32_t>(strip.index + run.entries, 512);
        const float x0 = x_of(strip.index) - 1, x1 = std::max(x_of(last), x_of(strip.index) + p.px(3)) + 1, y = bar.bottom() + p.px(5);
        p.rect({x0, y, x1 - x0, p.px(2)}, th.accent);
        p.rect({x0, y - p.px(3), p.px(2), p.px(4)}, th.accent), p.rect({x1 - p.px(2), y - p.px(3), p.px(2), p.px(4)}, th.accent);
    }
    const Colour c = strip.leaf && w.present ? th.user : strip.read && (strip.entry & PTE_P) ? th.link : th.warn;
    p.rect({x - p.px(2), bar.y - p.px(2), p.px(4), bar.h + p.px(4)}, c);
}

float WalkView::draw_tables(const Scene& scene, Paint& p, const WalkPicture& w, const GupRun& run, const Rect& at) {
    const Theme& th = p.theme;
    const auto n = static_cast<float>(w.strips.size());
    const float step = std::clamp(at.h / n, p.px(46), p.px(66)), bar_h = std::min(p.px(20), step - p.px(26));
    float y = at.y, from_x = at.x, from_y = at.y;
    for (std::size_t level = 0; level < w.strips.size(); ++level, y += step) {
        const TableStrip& s = w.strips[level];
        const Rect bar{at.x + p.px(34), y + p.px(19), at.w - p.px(34), bar_h};
        std::string entry = s.read ? entry_text(s.entry) : "";
        if (s.read && s.entry) entry = fmt::format("{} {}", s.leaf ? "" : fmt::format("→ {}  ", entry_page(s.entry)), entry);
        const float ew = p.text_w(Face::mono_small, entry);
        p.text_in(Face::small, bar.x, y, bar.w - ew - p.px(8), s.read ? th.text : th.muted,
            fmt::format("{} [{}]{}", level_words(w.split.levels, static_cast<int>(level)), s.index, s.read ? "" : ": no such table"));
        p.text_in(Face::mono_small, bar.x, y, bar.w, s.entry & PTE_P ? th.muted : th.warn, entry, Align::right);
        p.rect(bar, th.card);
        draw_entries(scene, p, w, s, run, bar);
        if (level == 0) p.text_in(Face::mono_small, at.x, bar.mid_y() - p.text_h(Face::mono_small) / 2, p.px(32), th.text, "CR3");
        else if (s.read) { // down from the chosen entry, along the gap between two tables, and into the next one: clear of the text
            const float gap_y = from_y + std::max((y - from_y) * 0.5f, p.px(2)), left = bar.x - p.px(14);
            const ImVec2 way[] = {{from_x, from_y}, {from_x, gap_y}, {left, gap_y}, {left, bar.mid_y()}, {bar.x - p.px(2), bar.mid_y()}};
            p.dl->AddPolyline(way, 5, th.muted, 0, 1.5f);
        }
        from_x = bar.x + bar.w * (static_cast<float>(s.index) + 0.5f) / 512, from_y = bar.bottom() + p.px(3);
    }
    return y - at.y;
}

} // namespace pipescope

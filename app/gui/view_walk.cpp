// SPDX-License-Identifier: MIT
// Draws a walk through the page tables.
#include "app/gui/view_walk.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace pipescope {
namespace {

struct Subject {
    std::string title;
    MmId mm = no_id;
    std::uint64_t addr = 0;
};

// What to walk: the clicked page where a buffer maps it, else the memory of the current stage, else the first buffer.
Subject subject_of(const Scene& scene) {
    const State& s = scene.s;
    std::uint32_t buffer = 0, index = 0;
    const auto of_page = [&](PageId page) -> Subject {
        if (!scene.pages.user(page, buffer, index)) return {};
        const Buffer& b = s.buffers[buffer];
        return {fmt::format("{}, page {}", scene.names[b.name], index), b.mm,
            (b.addr & ~std::uint64_t{page_size - 1}) + std::uint64_t{index} * page_size};
    };
    if (scene.sel.page != no_page)
        if (Subject x = of_page(scene.sel.page); x.mm != no_id) return x;
    if (scene.focus.user_addr && scene.focus.task < s.tasks.size())
        return {user_place(s, scene.names, scene.focus.task, scene.focus.user_addr), s.tasks[scene.focus.task].mm, scene.focus.user_addr};
    if (Subject x = of_page(scene.focus.page); x.mm != no_id) return x;
    for (const Buffer& b : s.buffers)
        if (!b.scratch) return {scene.names[b.name] + ", page 0", b.mm, b.addr};
    return {};
}

std::string grouped_address(std::uint64_t a) { return fmt::format("0x{:04x} {:04x} {:04x}", a >> 32 & 0xffff, a >> 16 & 0xffff, a & 0xffff); }

std::string entry_bits(pte_t e) {
    std::string out;
    const auto add = [&](std::uint64_t bit, const char* name) {
        if (e & bit) out += (out.empty() ? "" : " ") + std::string(name);
    };
    add(PTE_P, "P"), add(PTE_RW, "RW"), add(PTE_US, "US"), add(PTE_A, "A"), add(PTE_D, "D"), add(PTE_PSE, "PSE"), add(PTE_NX, "NX");
    return out.empty() ? "not present" : out;
}

} // namespace

void WalkView::draw(Scene& scene, Paint& p, const Rect& r) {
    const Subject x = subject_of(scene);
    const Rect at{r.x + p.px(16), r.y + p.px(6), r.w - p.px(32), 0};
    if (x.mm == no_id || x.mm >= scene.s.mms.size()) {
        p.text_wrapped(Face::body, at.x, at.y, at.w, p.theme.muted,
            scene.doc.recorded() ? "A recording holds no page tables: they are known in a simulation only." : "No memory to walk to yet.");
        return;
    }
    const Walk w = walk(scene.s, x.mm, x.addr);
    const std::string address = grouped_address(x.addr);
    const float aw = p.text_w(Face::mono, address);
    p.text_in(Face::strong, at.x, at.y, at.w - aw - p.px(10), p.theme.text, x.title);
    p.text_in(Face::mono, at.x, at.y, at.w, p.theme.text, address, Align::right);
    float y = at.y + p.px(28);
    y += draw_address(p, x.addr, w, {at.x, y, at.w, 0}) + p.px(8);
    const float page_h = p.px(94);
    y += draw_tables(scene, p, w, {at.x, y, at.w, r.bottom() - y - page_h - p.px(12)});
    if (y + page_h < r.bottom()) draw_page(scene, p, w, {at.x, y, at.w, page_h});
}

float WalkView::draw_address(Paint& p, std::uint64_t addr, const Walk& w, const Rect& at) {
    const Theme& th = p.theme;
    struct Part {
        const char* name;
        int bits;
        std::uint64_t value;
    };
    std::vector<Part> parts = {{"sign", 16, addr >> 48}, {"pgd", 9, table_index(addr, Level::pgd)}, {"pud", 9, table_index(addr, Level::pud)},
        {"pmd", 9, table_index(addr, Level::pmd)}, {"pte", 9, table_index(addr, Level::pte)}, {"offset", 12, addr & (page_size - 1)}};
    if (w.levels == 5) {
        parts[0] = {"sign", 7, addr >> 57};
        parts[1].name = "p4d";
        parts.insert(parts.begin() + 1, {"pgd", 9, table_index(addr, Level::pgd5)});
    }
    const int n = static_cast<int>(parts.size());
    const float gap = p.px(2), unit = (at.w - gap * static_cast<float>(n - 1)) / 64;
    float x = at.x;
    for (int i = 0; i < n; ++i) {
        const Part& part = parts[static_cast<std::size_t>(i)];
        const Rect box{x, at.y, unit * static_cast<float>(part.bits), p.px(28)};
        const bool leaf = w.present && i == w.depth, within = w.present && i > w.depth && i + 1 < n; // of a huge leaf
        p.rect(box, th.card, p.px(2));
        p.outline(box, leaf ? th.user : i >= 1 && i <= w.depth ? th.link : th.line, 1, p.px(2));
        p.text_in(Face::mono_small, box.x, box.mid_y() - p.text_h(Face::mono_small) / 2, box.w, th.text, std::to_string(part.value), Align::centre);
        p.text_in(Face::small, box.x, box.bottom() + p.px(3), box.w, th.muted, within ? "" : part.name, Align::centre);
        p.text_in(Face::mono_small, box.x, box.bottom() + p.px(20), box.w, th.faint, std::to_string(part.bits), Align::centre);
        x += box.w + gap;
    }
    return p.px(66);
}

float WalkView::draw_tables(Scene& scene, Paint& p, const Walk& w, const Rect& at) {
    static constexpr const char* names[] = {
        "page global directory", "page 4th-level directory", "page upper directory", "page middle directory", "page table"};
    const Theme& th = p.theme;
    const float step = std::clamp(at.h / static_cast<float>(w.levels), p.px(44), p.px(74)), bar_h = std::min(p.px(24), step - p.px(24));
    float y = at.y, from_x = at.x, from_y = at.y;
    for (int level = 0; level < w.depth && y + step <= at.y + std::max(at.h, step * 2); ++level, y += step) {
        const WalkStep& s = w.steps[static_cast<std::size_t>(level)];
        const Rect bar{at.x + p.px(28), y + p.px(20), at.w - p.px(28), bar_h};
        const std::string entry = entry_bits(s.entry);
        const float ew = p.text_w(Face::mono_small, entry);
        p.text_in(
            Face::small, bar.x, y, bar.w - ew - p.px(8), th.muted, fmt::format("{}[{}]", names[level && w.levels == 4 ? level + 1 : level], s.index));
        p.text_in(Face::mono_small, bar.x, y, bar.w, s.entry & PTE_P ? th.muted : th.warn, entry, Align::right);
        p.rect(bar, th.card);
        // Entries in use, at most two pixels a piece: 512 of them side by side.
        const PageTable* table = scene.s.pages.contains(s.table) && scene.s.pages[s.table].table < scene.s.tables.size()
                                     ? &scene.s.tables[scene.s.pages[s.table].table]
                                     : nullptr;
        for (std::uint32_t i = 0; table && i < 512;) {
            std::uint32_t j = i;
            while (j < 512 && ((*table)[j] & PTE_P)) ++j;
            if (j > i)
                p.rect({bar.x + bar.w * static_cast<float>(i) / 512, bar.y, std::max(bar.w * static_cast<float>(j - i) / 512, 1.0f), bar.h},
                    mix(th.card, th.link, 0.4f));
            i = std::max(j, i + 1);
        }
        const float x = bar.x + bar.w * (static_cast<float>(s.index) + 0.5f) / 512;
        p.rect({x - p.px(3), bar.y - p.px(2), p.px(6), bar.h + p.px(4)}, w.present && level == w.depth - 1 ? th.user : th.link);
        if (level == 0) p.text_in(Face::mono_small, at.x, bar.mid_y() - p.text_h(Face::mono_small) / 2, p.px(28), th.text, "CR3");
        else { // down from the chosen entry, along the gap between two tables, and into the next one: clear of the text
            const float gap_y = from_y + std::max((y - from_y) * 0.5f, p.px(2)), left = bar.x - p.px(14);
            const ImVec2 way[] = {{from_x, from_y}, {from_x, gap_y}, {left, gap_y}, {left, bar.mid_y()}, {bar.x - p.px(2), bar.mid_y()}};
            p.dl->AddPolyline(way, 5, th.faint, 0, 1.5f);
        }
        from_x = x, from_y = bar.bottom() + p.px(2);
    }
    return y - at.y + p.px(2);
}

void WalkView::draw_page(const Scene& scene, Paint& p, const Walk& w, const Rect& at) {
    const Theme& th = p.theme;
    p.rect(at, th.card, p.px(5));
    const float x = at.x + p.px(14), width = at.w - p.px(28);
    float y = at.y + p.px(10);
    if (!w.present) {
        p.text_wrapped(Face::body, x, y, width, th.warn,
            w.canonical ? "Nothing is mapped here: the first touch faults a page in."
                        : "Not a canonical address: the bits above the tables' differ.");
        return;
    }
    const Page& q = scene.s.pages[scene.s.pages.contains(w.page) ? w.page : no_page];
    const Page& head = scene.s.pages.contains(q.compound_head) ? scene.s.pages[q.compound_head] : q;
    const std::string bits = entry_bits(w.steps[static_cast<std::size_t>(w.depth - 1)].entry);
    p.text_in(Face::mono_strong, x, y, width * 0.5f, th.text, fmt::format("pfn {:#x}", w.page));
    p.text_in(Face::mono_small, x + width * 0.5f, y + p.px(1), width * 0.5f, th.muted, bits, Align::right);
    const auto row = [&](const char* name, const std::string& value) {
        y += p.px(25);
        p.text_in(Face::small, x, y, p.px(90), th.muted, name);
        p.text_in(Face::mono_small, x + p.px(90), y, width - p.px(90), th.text, value);
    };
    row("struct page", fmt::format("refcount {}  mapcount {}", head.refcount, head.mapcount));
    row("folio", q.order ? fmt::format("order {}, {}", q.order,
                               q.compound_head == w.page ? "its head" : fmt::format("tail {} of {:#x}", w.page - q.compound_head, q.compound_head))
                         : "order 0, head of itself");
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// The page walk as data, what a batch of get_user_pages_fast takes, struct page in words, and the strips of memory.
#include "app/memory_strips.hpp"
#include "app/page_facts.hpp"
#include "app/tlb_list.hpp"
#include "app/walk_picture.hpp"
#include "core/version.hpp"
#include "tests/demo_trace.hpp"
#include "sim/timeline.hpp"
#include <doctest/doctest.h>

using namespace pipescope;

namespace {

constexpr std::uint64_t src = 0x7f3a6c200000, huge_at = 0x7f3a6d000000;
constexpr PageId huge_head = 1024;

struct World {
    DemoTrace demo{8};
    Timeline timeline;
    PageNames pages;
    World() {
        demo.write(10000, 8);
        // A huge page, mapped by one entry of the pmd table that "src" made.
        demo.put(EventKind::page_alloc, no_id, no_id, huge_head, pmd_order, static_cast<std::uint32_t>(PageOwner::user));
        demo.put(EventKind::page_map, no_id, no_id, huge_head, 1);
        demo.put(EventKind::pte_set, no_id, no_id, 12, huge_at >> 21 & 511, 0, 0,
            (std::uint64_t{huge_head} << page_shift) | PTE_P | PTE_RW | PTE_US | PTE_A | PTE_D | PTE_PSE | PTE_NX);
        demo.put(EventKind::buffer_new, no_id, no_id, demo.trace.strings.intern("big"), 0, 0, huge_at, huge_size);
        for (const Event& e : demo.trace.events) timeline.append(e);
        REQUIRE(timeline.refused() == 0);
        pages.rebuild(s());
    }
    const State& s() { return timeline.state(); }
    PageFacts facts(PageId page, bool recorded = false, const char* release = "6.18") {
        return page_facts(s(), demo.trace.strings, pages, page, recorded, release);
    }
    static const PageFact& find(const std::vector<PageFact>& list, const std::string& field) {
        for (const PageFact& f : list)
            if (f.field == field) return f;
        FAIL("no field ", field);
        return list[0];
    }
};

} // namespace

TEST_CASE("walk: a small page takes four strips, a huge one three") {
    World w;
    const WalkPicture small = walk_picture(w.s(), 0, src + 27 * page_size + 5);
    REQUIRE(small.strips.size() == 4);
    CHECK(small.leaf == 3);
    CHECK(small.page == 127);
    CHECK(small.strips[0].index == 254);
    CHECK(small.strips[3].leaf);
    CHECK(entry_text(small.strips[3].entry) == "P RW US A D");
    CHECK(entry_page(small.strips[3].entry) == 127);
    const WalkPicture huge = walk_picture(w.s(), 0, huge_at + 5 * page_size);
    REQUIRE(huge.strips.size() == 3);
    CHECK(huge.leaf == 2);
    CHECK(huge.page == huge_head + 5);
    CHECK(huge.order == pmd_order);
    CHECK(entry_text(huge.strips[2].entry) == "P RW US A D PSE NX");
}

TEST_CASE("walk: an address that is not canonical is walked by its bits, and strips without a table are shown") {
    World w;
    const WalkPicture p = walk_picture(w.s(), 0, 0x0000f2705af953c0);
    CHECK(!p.split.canonical);
    REQUIRE(p.strips.size() == 4);
    CHECK(p.leaf == -1);
    CHECK(p.strips[0].read);
    CHECK(!p.strips[1].read);
    CHECK(p.strips[3].index == 405);
    // The top bits are no index: with one of them changed the walk ends at the same page.
    const WalkPicture twin = walk_picture(w.s(), 0, src | std::uint64_t{1} << 50);
    CHECK(!twin.split.canonical);
    CHECK(twin.page == 100);
}

TEST_CASE("gup: a batch takes sixteen entries, or one huge leaf") {
    World w;
    const GupRun small = gup_run(w.s(), 0, src + 3 * page_size + 100);
    CHECK(small.pages.size() == 16);
    CHECK(small.pages[0] == 103);
    CHECK(small.entries == 16);
    CHECK(!small.slow);
    const GupRun end = gup_run(w.s(), 0, src + 60 * page_size); // four pages to the end of the buffer
    CHECK(end.pages.size() == 4);
    CHECK(end.slow);
    const GupRun huge = gup_run(w.s(), 0, huge_at);
    CHECK(huge.pages.size() == 16);
    CHECK(huge.pages[15] == huge_head + 15);
    CHECK(huge.entries == 1);
    CHECK(gup_run(w.s(), 0, huge_at + 510 * page_size).pages.size() == 2);
    CHECK(gup_run(w.s(), 0, 0x1000).pages.empty());
    CHECK(gup_run(w.s(), 0, task_size_max - page_size).words.find("EFAULT") != std::string::npos);
    CHECK(gup_run(w.s(), 0, ~std::uint64_t{0}).pages.empty());
}

TEST_CASE("gup: the zero page's entry is special, and stops the walk") {
    World w;
    Event e;
    e.kind = EventKind::pte_set, e.a = 13, e.b = (src >> 12 & 511) + 2, e.y = (std::uint64_t{zero_page} << page_shift) | PTE_P | PTE_US | PTE_SPECIAL;
    w.timeline.append(e);
    REQUIRE(w.timeline.refused() == 0);
    const GupRun run = gup_run(w.s(), 0, src);
    CHECK(run.pages.size() == 2);
    CHECK(run.words.find("special") != std::string::npos);
}

TEST_CASE("struct page: counts as the kernel stores them") {
    World w;
    const PageFacts p = w.facts(127);
    CHECK(!p.compound);
    CHECK(World::find(p.page, "_refcount").value == "1");
    CHECK(World::find(p.page, "_mapcount").value == "-1"); // the demo maps without counting
    CHECK(World::find(p.page, "mapping").value == "anon_vma | 1");
    CHECK(World::find(p.page, "index").note.find("page 27 of src") != std::string::npos);
    const PageFacts k = w.facts(40);
    CHECK(World::find(k.page, "mapping").value == "NULL");
    CHECK(World::find(w.facts(12).page, "page_type").value == "table");
}

TEST_CASE("struct page: a tail has no counts of its own") {
    World w;
    const PageFacts head = w.facts(huge_head), first = w.facts(huge_head + 1), tail = w.facts(huge_head + 300);
    CHECK(!head.tail);
    CHECK(head.pages == 512);
    CHECK(World::find(head.page, "flags").note.find("head") != std::string::npos);
    CHECK(World::find(head.page, "_refcount").value == "1");
    CHECK(tail.tail);
    CHECK(tail.number == 300);
    CHECK(World::find(tail.page, "compound_head").value == "1024 | 1");
    CHECK(World::find(tail.page, "_refcount").value == "0");
    CHECK(World::find(first.page, "flags").value == "0x09"); // the order, in page 1 alone
    CHECK(World::find(tail.page, "flags").value == "0x0");
    CHECK(World::find(tail.folio, "references").value == "1");
    CHECK(World::find(tail.folio, "mappings").value == "1");
}

TEST_CASE("struct page: flags by name where the kernel's table is known") {
    CHECK(page_flags_text(PG_uptodate | PG_lru | PG_head | PG_swapbacked, true) == "uptodate lru head swapbacked");
    CHECK(page_flags_text(0, true) == "none");
    CHECK(page_flags_text(1u << 6, false) == "bit 6");
    CHECK(page_flags_as_modelled("6.18.33-generic"));
    CHECK(page_flags_as_modelled("6.12"));
    CHECK(!page_flags_as_modelled("6.5.0-14"));
    CHECK(!page_flags_as_modelled(""));
    World w;
    const std::string old = World::find(w.facts(huge_head, true, "5.15.0").page, "flags").note;
    CHECK(old == "bit 6"); // there it is another flag's place
}

TEST_CASE("memory: strips hold every page of the ring, each once") {
    World w;
    const std::vector<MemoryStrip> list = memory_strips(w.s(), w.demo.trace.strings, w.pages, Focus{}, 0, no_page);
    REQUIRE(list.size() == 4);
    CHECK(list[1].name == "kernel pages");
    CHECK(list[1].pages == 3);
    for (const MemoryStrip& s : list)
        if (s.name == "src") CHECK(strip_page(w.s(), s, 27) == 127);
    // A page of a socket in the ring has no other place.
    Event e;
    e.kind = EventKind::page_alloc, e.a = 900, e.c = static_cast<std::uint32_t>(PageOwner::socket);
    w.timeline.append(e);
    e = Event{};
    e.kind = EventKind::buf_set, e.pipe = 0, e.a = 1, e.b = 900, e.x = 100, e.y = static_cast<std::uint64_t>(BufOps::nosteal);
    w.timeline.append(e);
    REQUIRE(w.timeline.refused() == 0);
    const std::vector<MemoryStrip> more = memory_strips(w.s(), w.demo.trace.strings, w.pages, Focus{}, 0, no_page);
    REQUIRE(more.size() == 5);
    CHECK(more[2].name == "socket pages");
    CHECK(more[2].list == std::vector<PageId>{900});
}

TEST_CASE("tlb: what the CPUs remember of an address space, the page asked for first") {
    World w;
    const auto fill = [&](std::uint32_t cpu, std::uint64_t addr, PageId page) {
        Event e;
        e.kind = EventKind::tlb_fill, e.a = cpu, e.b = 0, e.x = addr, e.y = (std::uint64_t{page} << page_shift) | PTE_P | PTE_US;
        w.timeline.append(e);
    };
    CHECK(!tlb_list(w.s(), 0, src).any);
    fill(0, src, 100);
    fill(1, src + 3 * page_size, 103);
    REQUIRE(w.timeline.refused() == 0);
    const TlbList list = tlb_list(w.s(), 0, src + 3 * page_size + 5);
    REQUIRE(list.lines.size() == 2);
    CHECK(list.lines[0].here);
    CHECK(list.lines[0].cpu == 1);
    CHECK(!list.lines[1].here);
    CHECK(list.misses == 2);
    CHECK(tlb_line_text(list.lines[0]) == "cpu 1  0x7f3a6c203000 → 103  4K  P US");
    CHECK(tlb_list(w.s(), 1, src).lines.empty());
}

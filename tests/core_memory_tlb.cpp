// SPDX-License-Identifier: MIT
// The TLB of each CPU, and the accessed and dirty bits that its walks set.
#include "core/mm/tlb.hpp"
#include "core_rig.hpp"
#include <doctest/doctest.h>
#include <random>
#include <sys/mman.h>

using namespace rig;

namespace {
const Tlb& tlb(const Rig& r, std::size_t cpu = 0) {
    REQUIRE(cpu < r.s().tlbs.size());
    return r.s().tlbs[cpu];
}
std::string entry(const Rig& r, TaskId t, std::uint64_t a) { return entry_string(walk(r.s(), r.s().tasks[t].mm, a).leaf().entry); }
} // namespace

TEST_CASE("a copy misses once for each page and hits from then on") {
    Rig r;
    const auto p = r.pipe();
    const auto m = r.mem(4 * page_size);
    CHECK(r.write(p, m, 4 * page_size) == 4 * page_size);
    CHECK(tlb(r).misses == 4);
    CHECK(tlb(r).hits == 0);
    CHECK(r.write(p, m, 4 * page_size) == 4 * page_size);
    CHECK(tlb(r).misses == 4);
    CHECK(tlb(r).hits == 4);
    const TaskId other = r.task(); // on a CPU of its own
    CHECK(r.done(other, Rig::io(Sys::write, p.w, m, page_size)) == page_size);
    CHECK(tlb(r, 1).misses == 1);
    CHECK(tlb_stale(r.s()) == "");
}

TEST_CASE("get_user_pages walks in software: no translation, no accessed bit") {
    Rig r;
    const auto p = r.pipe();
    const auto m = r.mem(2 * page_size);
    CHECK(r.k.madvise(0, m, 2 * page_size, MADV_COLD) == 0);
    CHECK(entry(r, 0, m) == "P RW US D NX");
    CHECK(r.vmsplice(p, m, 2 * page_size) == 2 * page_size);
    CHECK(r.s().tlbs.empty());
    CHECK(entry(r, 0, m) == "P RW US D NX");
    CHECK((r.s().pages[walk(r.s(), 0, m).page].flags & PG_referenced) != 0); // that is how it says so
    CHECK(r.write(p, m, 1) == 1);
    CHECK(entry(r, 0, m) == "P RW US A D NX");
    CHECK(entry(r, 0, m + page_size) == "P RW US D NX");
}

TEST_CASE("a translation made for loads is walked for again by the first store, which sets the dirty bit") {
    Rig r;
    r.k.anon_zero_page = false;
    const auto m = r.mem(page_size, false);
    CHECK(r.k.user_page(0, m, false) != no_page);
    r.k.emit(EventKind::pte_set, 0, no_id, walk(r.s(), 0, m).leaf().table, walk(r.s(), 0, m).leaf().index, 0, 0,
        walk(r.s(), 0, m).leaf().entry & ~pte_t{PTE_D}); // clean, as after write-back
    r.k.emit(EventKind::tlb_flush, 0, no_id, 0);
    CHECK(r.k.user_page(0, m, false) != no_page);
    CHECK(entry(r, 0, m) == "P RW US A NX");
    const auto misses = tlb(r).misses;
    CHECK(r.k.user_page(0, m, true) != no_page);
    CHECK(entry(r, 0, m) == "P RW US A D NX");
    CHECK(tlb(r).misses == misses + 1);
    CHECK(r.k.user_page(0, m, true) != no_page);
    CHECK(tlb(r).misses == misses + 1);
}

TEST_CASE("what unmaps or protects flushes: single pages by INVLPG, many at once as a whole") {
    Rig r;
    const auto m = r.mem(100 * page_size);
    const auto load = [&](std::uint64_t page) { return r.k.user_page(0, m + page * page_size, false); };
    for (std::uint64_t i = 0; i < 100; ++i) CHECK(load(i) != no_page);
    CHECK(r.k.mprotect(0, m, page_size, VMA_READ) == 0);
    CHECK(tlb(r).invlpgs == 1);
    CHECK(tlb(r).flushes == 0);
    CHECK(r.k.user_page(0, m, true) == no_page);
    CHECK(r.k.mprotect(0, m, page_size, VMA_READ | VMA_WRITE) == 0); // more rights need no flush
    CHECK(tlb(r).invlpgs == 1);
    CHECK(r.k.munmap(0, m + page_size, 33 * page_size) == 0);
    CHECK(tlb(r).invlpgs == 34);
    CHECK(load(1) == no_page);
    CHECK(r.k.munmap(0, m + 40 * page_size, 34 * page_size) == 0);
    CHECK(tlb(r).flushes == 1);
    CHECK(load(0) != no_page);
    CHECK(r.k.madvise(0, m + 90 * page_size, page_size, MADV_DONTNEED) == 0);
    CHECK(load(90) == zero_page);
    CHECK(tlb_stale(r.s()) == "");
}

TEST_CASE("a huge leaf takes one entry, and its split flushes it") {
    Rig r;
    const auto m = r.mem(huge_size, true, "M", VMA_READ | VMA_WRITE | VMA_HUGEPAGE);
    const auto g = r.k.mmap(0, giant_size, VMA_READ | VMA_WRITE | VMA_HUGETLB_1G, giant_size);
    for (const std::uint64_t off : {0ull, 5000ull, 2000000ull}) CHECK(r.k.user_page(0, m + off, true) != no_page);
    CHECK(tlb(r).misses == 1);
    CHECK(tlb(r).hits == 2);
    CHECK(r.k.user_page(0, g, true) + 1000 == r.k.user_page(0, g + 1000 * page_size, true));
    CHECK(tlb(r).misses == 2);
    CHECK(tlb(r).hits == 3);
    CHECK(r.k.munmap(0, m, page_size) == 0);
    CHECK(tlb_stale(r.s()) == "");
    CHECK(r.k.user_page(0, m, true) == no_page);
    CHECK(r.k.user_page(0, m + 5000, true) != no_page);
}

TEST_CASE("no TLB holds what the tables no longer say, whatever is done") {
    std::mt19937 rnd(20220701);
    for (int round = 0; round < 40; ++round) {
        Rig r(round % 2 ? "6.18" : "5.17");
        if (round % 4 == 3) r.k.set_paging_levels(5);
        std::vector<TaskId> tasks{0, r.task()};
        constexpr std::uint32_t pages = 1100;
        const bool huge = round % 3 == 0;
        const auto m = r.mem(pages * page_size, round % 5 != 0, "M", VMA_READ | VMA_WRITE | (huge ? std::uint32_t{VMA_HUGEPAGE} : 0));
        const auto h = r.k.mmap(0, 2 * huge_size, VMA_READ | VMA_WRITE | VMA_HUGETLB_2M, huge_size);
        for (int i = 0; i < 120; ++i) {
            const TaskId t = tasks[rnd() % tasks.size()];
            const std::uint64_t first = rnd() % pages, n = 1 + rnd() % (rnd() % 3 ? 4 : 600);
            const std::uint64_t a = rnd() % 8 ? m + first * page_size : h + rnd() % 1024 * page_size;
            const std::uint64_t len = n * page_size;
            CAPTURE(round);
            CAPTURE(i);
            switch (rnd() % 12) {
            case 0: r.k.mprotect(t, a, len, rnd() % 2 ? VMA_READ | VMA_WRITE : rnd() % 2 ? std::uint32_t{VMA_READ} : 0); break;
            case 1: r.k.madvise(t, a, len, rnd() % 2 ? MADV_DONTNEED : MADV_COLD); break;
            case 2:
                if (rnd() % 8 == 0) r.k.munmap(t, a, len);
                break;
            case 3:
                if (tasks.size() < 4) tasks.push_back(r.k.fork(t, 0, 9, static_cast<std::uint32_t>(tasks.size())));
                break;
            case 4: r.k.touch(t, a, len); break;
            case 5:
                if (r.k.pin_user_pages(t, a, page_size, rnd() % 2) == 1 && rnd() % 2) r.k.unpin_user_pages(t, a, page_size);
                break;
            default: {
                const bool write = rnd() % 2;
                const PageId page = r.k.user_page(t, a, write);
                const Walk w = walk(r.s(), r.s().tasks[t].mm, a);
                if (page == no_page) break;
                CHECK(page == w.page);
                CHECK((w.leaf().entry & PTE_A) != 0);
                CHECK((!write || (w.leaf().entry & (PTE_RW | PTE_D)) == (PTE_RW | PTE_D)));
            }
            }
            REQUIRE(tlb_stale(r.s()) == "");
        }
        for (const TaskId t : tasks) r.k.munmap(t, m, pages * page_size), r.k.munmap(t, h, 2 * huge_size);
        REQUIRE(tlb_stale(r.s()) == "");
    }
}

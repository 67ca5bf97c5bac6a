// SPDX-License-Identifier: MIT
// Page tables of five levels, leaves of 1 GiB, and what the two cost.
#include "core_rig.hpp"
#include <doctest/doctest.h>

using namespace rig;

namespace {
struct Rig5 : Rig {
    Rig5() { k.set_paging_levels(5); }
};
} // namespace

TEST_CASE("with five levels the p4d is a table of its own") {
    Rig5 r;
    const auto m = r.mem(8192);
    const Walk w = walk(r.s(), 0, m + 4096);
    CHECK(w.levels == 5);
    CHECK(w.depth == 5);
    CHECK(walk_string(w) == "pgd[0] p4d[252] pud[232] pmd[0] pte[1] -> 4K");
    CHECK(w.at(Level::pgd5).index == 0);
    CHECK(w.at(Level::pte).entry == w.leaf().entry);
    CHECK(walk_string(walk(r.s(), 0, m + 8192)) == "pgd[0] p4d[252] pud[232] pmd[0] pte[2] -> none");
    const auto h = r.mem(huge_size, true, "h", VMA_READ | VMA_WRITE | VMA_HUGEPAGE);
    CHECK(walk_string(walk(r.s(), 0, h)) == "pgd[0] p4d[252] pud[232] pmd[1] -> 2M");
}

TEST_CASE("memory above 47 bits is there for those who ask, and calls reach it") {
    Rig5 r;
    const std::uint64_t high = r.k.mmap(0, 4096, VMA_READ | VMA_WRITE, page_size, true);
    CHECK(high > task_size_max);
    CHECK(high < r.k.task_size());
    CHECK(r.k.touch(0, high, 4096) == 0);
    CHECK(walk(r.s(), 0, high).at(Level::pgd5).index > 0);
    const auto p = r.pipe();
    CHECK(r.write(p, high, 10) == 10);
    CHECK(r.vmsplice(p, high, 4096) == 4096);
    CHECK(r.vmsplice(p, task_size_max5 + page_size, 10) == -EFAULT);
    CHECK(r.k.munmap(0, high, 4096) == 0);
    CHECK_FALSE(walk(r.s(), 0, high).present);
    CHECK(r.audit() == "");
    Rig four; // the hint is not heeded there
    CHECK(four.k.mmap(0, 4096, VMA_READ | VMA_WRITE, page_size, true) < task_size_max);
    CHECK(four.k.munmap(0, high, 4096) == -EINVAL);
}

TEST_CASE("an address is canonical when the bits above the tables' are alike") {
    Rig four;
    Rig5 five;
    struct {
        std::uint64_t addr;
        bool in4, in5;
    } rows[] = {{0x00007fffffffffff, true, true}, {0x0000800000000000, false, true}, {0x00ffffffffffffff, false, true},
        {0x0100000000000000, false, false}, {0xfeffffffffffffff, false, false}, {0xff00000000000000, false, true}, {0xffff7fffffffffff, false, true},
        {0xffff800000000000, true, true}};
    for (const auto& row : rows) {
        CAPTURE(row.addr);
        CHECK(walk(four.s(), 0, row.addr).canonical == row.in4);
        CHECK(walk(five.s(), 0, row.addr).canonical == row.in5);
    }
}

TEST_CASE("fork and exit walk five levels too") {
    Rig5 r;
    const auto m = r.mem(4 * page_size);
    const TaskId child = r.k.fork(0, r.names.intern("child"), 9, 1);
    CHECK(r.s().mms[r.s().tasks[child].mm].levels == 5);
    CHECK(walk(r.s(), r.s().tasks[child].mm, m + page_size).page == walk(r.s(), 0, m + page_size).page);
    CHECK(r.s().pages[walk(r.s(), 0, m).page].refcount == 2);
    CHECK(r.k.munmap(child, m, 4 * page_size) == 0);
    CHECK(r.audit() == "");
}

TEST_CASE("a page of 1 GiB ends the walk at the pud and costs next to nothing") {
    Rig r;
    const std::size_t before = r.s().pages.size();
    const auto m = r.k.mmap(0, giant_size, VMA_READ | VMA_WRITE | VMA_HUGETLB_1G, giant_size);
    r.k.buffer_new(r.names.intern("g"), 0, m, giant_size, false);
    CHECK(r.k.touch(0, m, giant_size) == 0);
    const Walk w = walk(r.s(), 0, m + 123456789);
    CHECK(walk_string(w) == "pgd[252] pud[232] -> 1G");
    CHECK(w.order == pud_order);
    CHECK(r.s().pages[w.page].compound_head == walk(r.s(), 0, m).page);
    CHECK(r.s().pages.size() - before < 8); // its tables

    const auto p = r.pipe(32);
    const auto d = r.mem(page_size);
    const std::uint64_t far = m + 200000 * std::uint64_t{page_size};
    const PageId page = r.k.user_page(0, far, true);
    r.k.emit(EventKind::store, 0, no_id, page, 0, 1, 'G');
    CHECK(r.vmsplice(p, far, 20 * page_size) == 20 * page_size);
    CHECK(r.ring(p).find("0:g[200000]@0+4096 | 1:g[200001]@0+4096") != std::string::npos);
    CHECK(r.k.page_count(page) == 21);
    CHECK(r.read(p, d, 1) == 1);
    CHECK((*r.s().bytes.at(walk(r.s(), 0, d).page))[0] == 'G');
    CHECK(r.k.munmap(0, m, giant_size) == 0);
    CHECK(r.k.page_count(page) == 20); // the pipe has it
    CHECK(r.ring(p).find("0:k1@1+4095") != std::string::npos);
    CHECK(r.splice(p.r, r.null(), 1 << 20) == 20 * page_size - 1);
    CHECK(r.s().pages[page].owner == PageOwner::free);
    CHECK(r.s().bytes.find(page) == r.s().bytes.end());

    // The frame is used again, and a second one lies behind it.
    const auto a = r.k.mmap(0, 2 * giant_size, VMA_READ | VMA_WRITE | VMA_HUGETLB_1G, giant_size);
    CHECK(r.k.touch(0, a, 2 * giant_size) == 0);
    CHECK(r.s().pages.giants().size() == 2);
    CHECK(walk(r.s(), 0, a).page == giant_base);
    CHECK(walk(r.s(), 0, a + giant_size).page == giant_base + (1u << pud_order));
}

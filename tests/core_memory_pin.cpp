// SPDX-License-Identifier: MIT
// FOLL_PIN beside FOLL_GET: how pins are counted, what they make exclusive, and what fork does with them.
#include "core_rig.hpp"
#include <doctest/doctest.h>

using namespace rig;

namespace {
PageId at(const Rig& r, TaskId t, std::uint64_t a) { return walk(r.s(), r.s().tasks[t].mm, a).page; }
} // namespace

TEST_CASE("a pin is 1024 references of a small page, and a count of its own for a large one") {
    Rig r;
    const auto m = r.mem(2 * page_size), h = r.mem(huge_size, true, "h", VMA_READ | VMA_WRITE | VMA_HUGEPAGE);
    CHECK(r.k.pin_user_pages(0, m, 2 * page_size, true) == 2);
    CHECK(r.k.page_count(at(r, 0, m)) == 1025);
    CHECK(r.s().pages[at(r, 0, m)].pincount == 0);
    CHECK(r.k.pin_user_pages(0, h + 5 * page_size + 100, 3 * page_size, true) == 4);
    CHECK(r.k.page_count(at(r, 0, h)) == 5);
    CHECK(r.s().pages[at(r, 0, h)].pincount == 4);
    CHECK(r.k.unpin_user_pages(0, m, page_size) == -EINVAL);
    CHECK(r.k.unpin_user_pages(0, m, 2 * page_size) == 2);
    CHECK(r.k.unpin_user_pages(0, h + 5 * page_size + 100, 3 * page_size) == 4);
    CHECK(r.s().pages[at(r, 0, h)].pincount == 0);
    CHECK(r.audit() == "");
}

TEST_CASE("a pinned page outlives its mapping; all of a range is pinned or nothing") {
    Rig r;
    const auto m = r.mem(2 * page_size);
    const PageId page = at(r, 0, m);
    CHECK(r.k.pin_user_pages(0, m, 3 * page_size, true) == -EFAULT);
    CHECK(r.k.page_count(page) == 1);
    CHECK(r.k.pin_user_pages(0, m, page_size, true) == 1);
    CHECK(r.k.munmap(0, m, page_size) == 0);
    CHECK(r.k.page_count(page) == 1024);
    CHECK(r.k.unpin_user_pages(0, m, page_size) == 1);
    CHECK(r.s().pages[page].owner == PageOwner::free);
    CHECK(r.k.pin_user_pages(0, m, page_size, false) == -EFAULT);
}

TEST_CASE("fork copies a pinned page for the child at once, so that a store stays where the device looks") {
    for (const bool huge : {false, true}) {
        CAPTURE(huge);
        Rig r;
        const std::uint64_t size = huge ? huge_size : page_size;
        const auto m = r.mem(size, true, "M", VMA_READ | VMA_WRITE | (huge ? std::uint32_t{VMA_HUGEPAGE} : 0)), n = r.mem(page_size, true, "N");
        store(r, 0, m, 'a');
        const PageId page = at(r, 0, m), plain = at(r, 0, n);
        CHECK(r.k.pin_user_pages(0, m, page_size, true) == 1);
        const TaskId child = r.k.fork(0, r.names.intern("child"), 9, 1);
        CHECK(at(r, 0, m) == page);
        CHECK((walk(r.s(), 0, m).leaf().entry & PTE_RW) != 0);
        CHECK(at(r, child, m) != page);
        CHECK((*r.s().bytes.at(at(r, child, m)))[0] == 'a');
        CHECK(at(r, child, n) == plain); // not pinned: shared
        store(r, 0, m, 'b');
        CHECK(at(r, 0, m) == page);
        CHECK((*r.s().bytes.at(page))[0] == 'b');
        CHECK((*r.s().bytes.at(at(r, child, m)))[0] == 'a');
        CHECK(r.k.unpin_user_pages(0, m, page_size) == 1);
        CHECK(r.audit() == "");
    }
}

TEST_CASE("many plain references are no pin") {
    Rig r;
    const auto m = r.mem(page_size);
    r.k.get_page(0, at(r, 0, m), 2000);
    const TaskId child = r.k.fork(0, r.names.intern("child"), 9, 1);
    CHECK(at(r, child, m) == at(r, 0, m));
}

TEST_CASE("a pin for reading makes a shared page the process's own, since 5.19") {
    for (const char* version : {"5.17", "6.18"}) {
        CAPTURE(version);
        Rig r(version);
        const auto m = r.mem(page_size);
        const TaskId child = r.k.fork(0, r.names.intern("child"), 9, 1);
        const PageId shared = at(r, 0, m);
        CHECK(r.k.pin_user_pages(0, m, page_size, false) == 1);
        const bool own = at(r, 0, m) != shared;
        CHECK(own == r.k.version.anon_exclusive);
        CHECK(at(r, child, m) == shared);
        if (own) CHECK(entry_string(walk(r.s(), 0, m).leaf().entry) == "P US A NX"); // nobody stored anything
        store(r, 0, m, 'x');
        CHECK((at(r, 0, m) == shared) == false);
    }
}

TEST_CASE("the zero page is not pinned") {
    Rig r;
    const auto m = r.mem(page_size, false);
    CHECK(r.k.pin_user_pages(0, m, page_size, false) == 1);
    CHECK(at(r, 0, m) == zero_page);
    CHECK(r.k.page_count(zero_page) == 1);
    CHECK(r.k.unpin_user_pages(0, m, page_size) == 0);
}

// SPDX-License-Identifier: MIT
// Memory of hugetlbfs: real pages for reads, never split, and stores that ask the map count alone.
#include "core_rig.hpp"
#include <doctest/doctest.h>
#include <sys/mman.h>

using namespace rig;

namespace {
std::uint64_t hugetlb(Rig& r, std::uint64_t len, const char* name = "h", bool giant = false) {
    const std::uint64_t a = r.k.mmap(0, len, VMA_READ | VMA_WRITE | (giant ? VMA_HUGETLB_1G : VMA_HUGETLB_2M), giant ? giant_size : huge_size);
    r.k.buffer_new(r.names.intern(name), 0, a, len, false);
    return a;
}
std::string entry(const Rig& r, TaskId t, std::uint64_t a) { return entry_string(walk(r.s(), r.s().tasks[t].mm, a).leaf().entry); }
} // namespace

TEST_CASE("hugetlb: a read finds a real page, not a zero page") {
    Rig r;
    const auto p = r.pipe(32);
    const auto h = hugetlb(r, 2 * huge_size);
    CHECK(r.vmsplice(p, h + 5 * page_size, 20 * page_size) == 20 * page_size);
    const Walk w = walk(r.s(), 0, h);
    CHECK(w.order == pmd_order);
    CHECK(r.s().pages[w.page].owner == PageOwner::user);
    CHECK((r.s().pages[w.page].flags & PG_hugetlb) != 0);
    CHECK(r.k.page_count(w.page) == 21);
    CHECK(entry(r, 0, h) == "P US A PSE NX");
    CHECK_FALSE(walk(r.s(), 0, h + huge_size).present);
    store(r, 0, h, 'x'); // mapped once: in place
    CHECK(entry(r, 0, h) == "P RW US A D PSE NX");
    CHECK(walk(r.s(), 0, h).page == w.page);
    CHECK(r.audit() == "");
}

TEST_CASE("hugetlb: what the parent stores after fork shows in a child's pipe, on every kernel") {
    for (const char* version : {"5.10", "5.17", "6.1", "6.18"}) {
        CAPTURE(version);
        Rig r(version);
        const auto p = r.pipe();
        const auto h = hugetlb(r, huge_size), d = r.mem(page_size, true, "D");
        store(r, 0, h, 'S');
        const TaskId child = r.k.fork(0, r.names.intern("child"), 9, 1);
        CHECK(r.s().pages[walk(r.s(), 0, h).page].mapcount == 2);
        CHECK(r.done(child, Rig::io(Sys::vmsplice, p.w, h, 1)) == 1);
        CHECK(r.k.munmap(child, h, huge_size) == 0);
        store(r, 0, h, 'N');
        CHECK(r.read(p, d, 1) == 1);
        CHECK(byte(r, 0, d) == 'N');
        CHECK(r.audit() == "");
    }
}

TEST_CASE("hugetlb: a page that two map is copied whole") {
    Rig r;
    for (const bool giant : {false, true}) {
        const auto h = hugetlb(r, giant ? giant_size : huge_size, "h", giant);
        store(r, 0, h, 'a');
        store(r, 0, h + 300 * page_size, 'b');
        const PageId before = walk(r.s(), 0, h).page;
        const TaskId child = r.k.fork(0, r.names.intern("child"), 9, 1);
        store(r, 0, h, 'c');
        CHECK(walk(r.s(), 0, h).page != before);
        CHECK(walk(r.s(), r.s().tasks[child].mm, h).page == before);
        CHECK(byte(r, child, h) == 'a');
        CHECK(byte(r, 0, h) == 'c');
        CHECK(byte(r, 0, h + 300 * page_size) == 'b');
        CHECK(r.s().pages[before].refcount == 1);
        store(r, child, h, 'd'); // alone with it now
        CHECK(walk(r.s(), r.s().tasks[child].mm, h).page == before);
        CHECK(r.audit() == "");
    }
}

TEST_CASE("hugetlb: no call cuts a page in two") {
    Rig r, old("5.17");
    const auto h = hugetlb(r, 2 * huge_size);
    CHECK(r.k.touch(0, h, 2 * huge_size) == 0);
    CHECK(r.k.munmap(0, h, page_size) == -EINVAL);
    CHECK(r.k.munmap(0, h + page_size, huge_size - page_size) == -EINVAL);
    CHECK(r.k.mprotect(0, h, page_size, VMA_READ) == -EINVAL);
    CHECK(r.k.mprotect(0, h + page_size, 2 * huge_size - page_size, VMA_READ) == -EINVAL);
    CHECK(r.k.madvise(0, h + page_size, huge_size, MADV_DONTNEED) == -EINVAL);
    CHECK(r.k.madvise(0, h, huge_size, MADV_COLD) == -EINVAL);
    CHECK(walk(r.s(), 0, h).present);
    CHECK(r.k.madvise(0, h, huge_size + page_size, MADV_DONTNEED) == 0); // the second one is only partly meant
    CHECK_FALSE(walk(r.s(), 0, h).present);
    CHECK(walk(r.s(), 0, h + huge_size).present);
    CHECK(r.k.mprotect(0, h + huge_size, huge_size, 0) == 0);
    CHECK(r.k.user_page(0, h + huge_size, false) == no_page);
    CHECK(r.k.mprotect(0, h + huge_size, huge_size, VMA_READ | VMA_WRITE) == 0);
    store(r, 0, h + huge_size, 'x');
    CHECK(r.k.munmap(0, h + huge_size, huge_size) == 0);
    CHECK(r.audit() == "");
    const auto o = hugetlb(old, huge_size);
    CHECK(old.k.touch(0, o, huge_size) == 0);
    CHECK(old.k.madvise(0, o, huge_size, MADV_DONTNEED) == -EINVAL);
}

// SPDX-License-Identifier: MIT
// Page tables, get_user_pages_fast and vmsplice: which pages land in which slots with how many references.
#include "core_rig.hpp"
#include <doctest/doctest.h>

using namespace rig;

TEST_CASE("an address splits into table indices") {
    CHECK(table_index(0x0000f2705af953c0, Level::pgd) == 484);
    CHECK(table_index(0x0000f2705af953c0, Level::pud) == 449);
    CHECK(table_index(0x0000f2705af953c0, Level::pmd) == 215);
    CHECK(table_index(0x0000f2705af953c0, Level::pte) == 405);
    Rig r;
    CHECK_FALSE(walk(r.s(), 0, 0x0000f2705af953c0).canonical);
    const auto m = r.mem(8192);
    const Walk w = walk(r.s(), 0, m + 4096);
    CHECK(w.present);
    CHECK(w.depth == 4);
    CHECK(w.canonical);
    CHECK(walk_string(w).substr(walk_string(w).find("->")) == "-> 4K");
    CHECK(walk_string(walk(r.s(), 0, m + 8192)).find("none") != std::string::npos);
}

TEST_CASE("vmsplice puts the caller's pages into slots") {
    Rig r;
    const auto p = r.pipe();
    const auto m = r.mem(1 << 18);
    SUBCASE("aligned") {
        CHECK(r.vmsplice(p, m, 12288) == 12288);
        CHECK(r.ring(p) == "head=3 tail=0 | 0:M[0]@0+4096 | 1:M[1]@0+4096 | 2:M[2]@0+4096");
        CHECK(r.k.page_count(walk(r.s(), 0, m).page) == 2);
    }
    SUBCASE("unaligned costs a slot more") {
        CHECK(r.vmsplice(p, m + 100, 8192) == 8192);
        CHECK(r.ring(p) == "head=3 tail=0 | 0:M[0]@100+3996 | 1:M[1]@0+4096 | 2:M[2]@0+100");
    }
    SUBCASE("a gift is only marked, wherever it begins") {
        CHECK(r.vmsplice(p, m + 1, 10, PS_SPLICE_F_GIFT) == 10);
        CHECK(r.ring(p) == "head=1 tail=0 | 0:M[0]@1+10 G");
    }
    SUBCASE("nothing merges with it") {
        CHECK(r.vmsplice(p, m, 10) == 10);
        CHECK(r.write(p, m, 5) == 5);
        CHECK(r.vmsplice(p, m, 10) == 10);
        CHECK(r.ring(p) == "head=3 tail=0 | 0:M[0]@0+10 | 1:k1@0+5 M | 2:M[0]@0+10");
        CHECK(r.k.page_count(walk(r.s(), 0, m).page) == 3);
    }
    SUBCASE("it stops at a full ring and never sleeps in the middle") {
        CHECK(r.vmsplice(p, m, 81920) == 65536);
        CHECK(r.vmsplice(p, m, 4096) == -EAGAIN);
        CHECK(r.read(p, m, 100) == 100);
        CHECK(r.vmsplice(p, m, 4096) == -EAGAIN);
        CHECK(r.read(p, m, 3996) == 3996);
        CHECK(r.vmsplice(p, m, 12288) == 4096);
    }
    SUBCASE("a hole ends it") {
        CHECK(r.vmsplice(p, m + (1 << 18) - 8192, 16384) == 8192);
        CHECK(r.vmsplice(p, m + (1 << 18), 10) == -EFAULT);
        CHECK(r.vmsplice(p, m + (1 << 18) - 10, 20) == 10);
    }
    SUBCASE("segments are not joined") {
        Call c;
        c.nr = Sys::vmsplice, c.fd = p.w, c.iov = {{m, 10}, {m + 10, 10}, {m + 20, 10}};
        CHECK(r.done(0, c) == 30);
        CHECK(r.ring(p) == "head=3 tail=0 | 0:M[0]@0+10 | 1:M[0]@10+10 | 2:M[0]@20+10");
        c.iov.assign(1024, {m, 1});
        CHECK(r.done(0, c) == 13);
        c.iov.assign(1025, {m, 1});
        CHECK(r.done(0, c) == -EINVAL);
    }
    CHECK(r.audit() == "");
    CHECK(r.splice(p.r, r.null(), 1 << 20) > 0);
    CHECK(r.k.page_count(walk(r.s(), 0, m).page) == 1);
    CHECK(r.audit() == "");
}

TEST_CASE("untouched memory is the zero page, by a genuine read fault") {
    Rig r;
    const auto p = r.pipe();
    const auto m = r.mem(1 << 14, false);
    CHECK(r.vmsplice(p, m, 8192) == 8192);
    CHECK(r.ring(p) == "head=2 tail=0 | 0:z@0+4096 | 1:z@0+4096");
    CHECK(r.k.page_count(zero_page) == 3);
    CHECK(walk(r.s(), 0, m).present);
    CHECK_FALSE(walk(r.s(), 0, m + 8192).present);
    CHECK(r.k.fault(0, m, true) == 0); // a store detaches the buffer from what is queued
    CHECK(walk(r.s(), 0, m).page != zero_page);
    CHECK(r.ring(p) == "head=2 tail=0 | 0:z@0+4096 | 1:z@0+4096");
    CHECK(r.audit() == "");
}

TEST_CASE("a huge page is one folio") {
    Rig r;
    const auto p = r.pipe(32);
    const auto m = r.mem(huge_size, true, "b", VMA_READ | VMA_WRITE | VMA_HUGEPAGE);
    const Walk w = walk(r.s(), 0, m + 5 * page_size);
    CHECK(w.order == pmd_order);
    CHECK(w.depth == 3);
    CHECK(r.vmsplice(p, m + 5 * page_size + 100, 20 * page_size) == 20 * page_size);
    CHECK(r.s().pipes[p.id].occupancy() == 21);
    CHECK(r.ring(p).find("0:b[5]@100+3996 | 1:b[6]@0+4096") != std::string::npos);
    CHECK(r.k.page_count(w.page) == 22);
    CHECK(r.s().pages[w.page].compound_head + 5 == w.page);
    CHECK(r.s().pages[w.page].refcount == 0); // a tail's own count
    CHECK(r.audit() == "");
}

TEST_CASE("the huge zero page serves a whole area at once") {
    Rig r;
    const auto p = r.pipe(32);
    const auto m = r.mem(huge_size, false, "b", VMA_READ | VMA_WRITE | VMA_HUGEPAGE);
    CHECK(r.vmsplice(p, m, 20 * page_size) == 20 * page_size);
    CHECK(r.k.page_count(walk(r.s(), 0, m).page) == 21);
    CHECK(walk(r.s(), 0, m + 511 * page_size).present);
    CHECK(r.s().pages[walk(r.s(), 0, m + 511 * page_size).page].owner == PageOwner::zero);
    CHECK(r.audit() == "");
}

TEST_CASE("bytes go where the kernel puts them") {
    Rig r;
    const auto p = r.pipe();
    const auto m = r.mem(1 << 14);
    const auto d = r.mem(1 << 14, true, "D");
    const PageId page = walk(r.s(), 0, m).page;
    r.k.emit(EventKind::store, 0, no_id, page, 10, 4, 0x64636261); // "abcd"
    CHECK(r.write(p, m + 8, 10) == 10);
    CHECK(r.vmsplice(p, m, 20) == 20);
    r.k.emit(EventKind::store, 0, no_id, page, 10, 1, 'Z'); // seen through the slot that shares the page, not through the copy
    CHECK(r.read(p, d + 4090, 30) == 30);
    const auto byte = [&](std::uint64_t a) {
        const PageId q = walk(r.s(), 0, a).page;
        const auto it = r.s().bytes.find(q);
        return it == r.s().bytes.end() ? 0 : int{(*it->second)[a & (page_size - 1)]};
    };
    CHECK(byte(d + 4090 + 2) == 'a');
    CHECK(byte(d + 4090 + 5) == 'd');
    CHECK(byte(d + 4090 + 10 + 10) == 'Z');
    CHECK(byte(d + 4090 + 10 + 11) == 'b');
}

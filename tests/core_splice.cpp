// SPDX-License-Identifier: MIT
// splice between pipes, tee and splice to nowhere, as read off a running 6.18 kernel.
#include "core_rig.hpp"
#include <doctest/doctest.h>

using namespace rig;

TEST_CASE("splice to /dev/null drops bytes and keeps what is left of a slot") {
    Rig r;
    const auto a = r.pipe();
    const auto m = r.mem(1 << 16);
    const int n = r.null();
    CHECK(r.write(a, m, 10000) == 10000);
    CHECK(r.splice(a.r, n, 5000) == 5000);
    CHECK(r.ring(a) == "head=3 tail=1 | 1:k1@904+3192 M | 2:k2@0+1808 M");
    CHECK(r.spare(a) == "1");
    CHECK(r.splice(a.r, n, 1048576) == 5000);
    CHECK(r.splice(a.r, n, 1) == -EAGAIN);
    CHECK(r.ring(a) == "head=3 tail=3");
    CHECK(r.audit() == "");
}

TEST_CASE("splice between pipes moves whole slots and splits the last") {
    Rig r;
    const auto a = r.pipe(), b = r.pipe();
    const auto m = r.mem(1 << 17);
    SUBCASE("the moved slot can be merged into, the split one cannot") {
        CHECK(r.write(a, m, 5000) == 5000);
        CHECK(r.splice(a.r, b.w, 4500) == 4500);
        CHECK(r.ring(a) == "head=2 tail=1 | 1:k1@404+500 M");
        CHECK(r.ring(b) == "head=2 tail=0 | 0:k1@0+4096 M | 1:k2@0+404");
        CHECK(r.write(b, m, 1) == 1);
        CHECK(r.write(a, m, 1) == 1);
        CHECK(r.ring(a) == "head=2 tail=1 | 1:k1@404+501 M");
        CHECK(r.ring(b) == "head=3 tail=0 | 0:k1@0+4096 M | 1:k2@0+404 | 2:k3@0+1 M");
    }
    SUBCASE("a moved slot goes on being written to") {
        CHECK(r.write(a, m, 100) == 100);
        CHECK(r.splice(a.r, b.w, 100) == 100);
        CHECK(r.write(b, m, 10) == 10);
        CHECK(r.splice(a.r, b.w, 1) == -EAGAIN);
        CHECK(r.ring(b) == "head=1 tail=0 | 0:k1@0+110 M");
    }
    SUBCASE("until the output is full") {
        CHECK(r.write(b, m, 14 * 4096) == 14 * 4096);
        CHECK(r.write(a, m, 20480) == 20480);
        CHECK(r.splice(a.r, b.w, 1048576) == 8192);
        CHECK(r.splice(a.r, b.w, 1) == -EAGAIN);
        CHECK(r.ring(a) == "head=5 tail=2 | 2:k1@0+4096 M | 3:k2@0+4096 M | 4:k3@0+4096 M");
    }
    SUBCASE("a gift stays a gift only whole") {
        CHECK(r.vmsplice(a, m, 4096, PS_SPLICE_F_GIFT) == 4096);
        CHECK(r.splice(a.r, b.w, 1000) == 1000);
        CHECK(r.ring(a) == "head=1 tail=0 | 0:M[0]@1000+3096 G");
        CHECK(r.ring(b) == "head=1 tail=0 | 0:M[0]@0+1000");
        CHECK(r.splice(a.r, b.w, 4096) == 3096);
        CHECK(r.ring(b) == "head=2 tail=0 | 0:M[0]@0+1000 | 1:M[0]@1000+3096 G");
    }
    SUBCASE("ends that have gone") {
        CHECK(r.simple(Sys::close, a.w) == 0);
        CHECK(r.splice(a.r, b.w, 1) == 0);
        CHECK(r.tee(a.r, b.w, 1) == 0);
        CHECK(r.simple(Sys::close, b.r) == 0);
        CHECK(r.splice(a.r, b.w, 1) == -EPIPE);
        CHECK(r.tee(a.r, b.w, 1) == -EPIPE);
    }
    SUBCASE("the same pipe twice, or none, and flags") {
        CHECK(r.splice(a.r, a.w, 1) == -EINVAL);
        CHECK(r.tee(a.r, a.w, 1) == -EINVAL);
        CHECK(r.splice(a.r, b.w, 1, 16) == -EINVAL);
        CHECK(r.splice(a.r, b.w, 0, 16) == 0);
        CHECK(r.tee(a.r, b.w, 0, 16) == -EINVAL);
        CHECK(r.tee(a.r, r.null(), 1) == -EINVAL);
    }
    CHECK(r.audit() == "");
}

TEST_CASE("tee shares pages") {
    Rig r;
    const auto a = r.pipe(), b = r.pipe();
    const auto m = r.mem(1 << 17);
    SUBCASE("from the start each time, and nothing stays mergeable") {
        CHECK(r.write(a, m, 100) == 100);
        CHECK(r.vmsplice(a, m, 4096, PS_SPLICE_F_GIFT) == 4096);
        CHECK(r.write(a, m, 200) == 200);
        CHECK(r.tee(a.r, b.w, 1048576) == 4396);
        CHECK(r.tee(a.r, b.w, 150) == 150);
        CHECK(r.ring(a) == "head=3 tail=0 | 0:k1@0+100 M | 1:M[0]@0+4096 G | 2:k2@0+200 M");
        CHECK(r.ring(b) == "head=5 tail=0 | 0:k1@0+100 | 1:M[0]@0+4096 | 2:k2@0+200 | 3:k1@0+100 | 4:M[0]@0+50");
        CHECK(r.k.page_count(walk(r.s(), 0, m).page) == 4);
    }
    SUBCASE("the original goes on merging into the shared page") {
        CHECK(r.write(a, m, 100) == 100);
        CHECK(r.tee(a.r, b.w, 100) == 100);
        CHECK(r.write(a, m, 1) == 1);
        CHECK(r.write(b, m, 1) == 1);
        CHECK(r.ring(b) == "head=2 tail=0 | 0:k1@0+100 | 1:k2@0+1 M");
        CHECK(r.read(b, m, 1000) == 101);
        CHECK(r.read(a, m, 1000) == 101);
        CHECK(r.spare(a) == "1");
        CHECK(r.spare(b) == "1");
    }
    SUBCASE("the last one to let go keeps the page as a spare") {
        CHECK(r.write(a, m, 4096) == 4096);
        CHECK(r.tee(a.r, b.w, 4096) == 4096);
        CHECK(r.read(a, m, 4096) == 4096);
        CHECK(r.spare(a) == "0");
        CHECK(r.read(b, m, 4096) == 4096);
        CHECK(r.spare(b) == "1");
    }
    CHECK(r.audit() == "");
}

TEST_CASE("packets stay packets on their way") {
    Rig r;
    const auto a = r.pipe(16, F_nonblock | F_direct), b = r.pipe(16, F_nonblock);
    const auto m = r.mem(1 << 16);
    CHECK(r.write(a, m, 100) == 100);
    CHECK(r.write(a, m, 100) == 100);
    CHECK(r.tee(a.r, b.w, 50) == 50);
    CHECK(r.splice(a.r, b.w, 150) == 150);
    CHECK(r.ring(a) == "head=2 tail=1 | 1:k1@50+50 P");
    CHECK(r.ring(b) == "head=3 tail=0 | 0:k1@0+50 P | 1:k1@0+100 P | 2:k2@0+50 P");
    CHECK(r.read(b, m, 10) == 10);
    CHECK(r.ring(b) == "head=3 tail=1 | 1:k1@0+100 P | 2:k2@0+50 P");
    CHECK(r.audit() == "");
}

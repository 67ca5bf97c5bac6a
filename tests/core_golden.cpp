// SPDX-License-Identifier: MIT
// Single-threaded behaviour that was read off a running 6.18 kernel, row by row, and how older kernels differ.
#include "core_rig.hpp"
#include <doctest/doctest.h>

using namespace rig;

namespace {
std::string full(std::uint32_t from, std::uint32_t n, std::uint32_t slots, const char* rest) { // n slots k1… of the same form
    std::string out = "head=" + std::to_string(from + n) + " tail=" + std::to_string(from);
    for (std::uint32_t i = 0; i < n; ++i) out += " | " + std::to_string((from + i) & (slots - 1)) + ":k" + std::to_string(i + 1) + rest;
    return out;
}
} // namespace

TEST_CASE("small writes merge behind the newest slot") {
    Rig r;
    const auto p = r.pipe();
    const auto m = r.mem(1 << 18);
    SUBCASE("two short ones share a page") {
        CHECK(r.write(p, m, 100) == 100);
        CHECK(r.write(p, m, 200) == 200);
        CHECK(r.ring(p) == "head=1 tail=0 | 0:k1@0+300 M");
    }
    SUBCASE("up to the last byte of the page") {
        CHECK(r.write(p, m, 300) == 300);
        CHECK(r.write(p, m, 3796) == 3796);
        CHECK(r.ring(p) == "head=1 tail=0 | 0:k1@0+4096 M");
    }
    SUBCASE("one byte too many takes a fresh slot, whole") {
        CHECK(r.write(p, m, 300) == 300);
        CHECK(r.write(p, m, 3797) == 3797);
        CHECK(r.ring(p) == "head=2 tail=0 | 0:k1@0+300 M | 1:k2@0+3797 M");
    }
    SUBCASE("the remainder counts, not the size") {
        CHECK(r.write(p, m, 100) == 100);
        CHECK(r.write(p, m, 4106) == 4106);
        CHECK(r.ring(p) == "head=2 tail=0 | 0:k1@0+110 M | 1:k2@0+4096 M");
    }
    SUBCASE("whole pages never merge") {
        CHECK(r.write(p, m, 100) == 100);
        CHECK(r.write(p, m, 8192) == 8192);
        CHECK(r.ring(p) == "head=3 tail=0 | 0:k1@0+100 M | 1:k2@0+4096 M | 2:k3@0+4096 M");
    }
    SUBCASE("space that a reader freed in front is not used again") {
        CHECK(r.write(p, m, 3797) == 3797);
        CHECK(r.read(p, m, 97) == 97);
        CHECK(r.write(p, m, 299) == 299);
        CHECK(r.write(p, m, 97) == 97);
        CHECK(r.fionread(p) == 4096);
        CHECK(r.ring(p) == "head=2 tail=0 | 0:k1@97+3999 M | 1:k2@0+97 M");
    }
    SUBCASE("an emptied ring has nothing to merge with") {
        CHECK(r.write(p, m, 100) == 100);
        CHECK(r.read(p, m, 100) == 100);
        CHECK(r.write(p, m, 5) == 5);
        CHECK(r.ring(p) == "head=2 tail=1 | 1:k1@0+5 M");
    }
    SUBCASE("a full ring still takes what merges") {
        for (int i = 0; i < 15; ++i) CHECK(r.write(p, m, 4096) == 4096);
        CHECK(r.write(p, m, 10) == 10);
        CHECK(r.write(p, m, 4196) == 100);
        CHECK(r.write(p, m, 4096) == -EAGAIN);
        CHECK(r.write(p, m, 8083) == -EAGAIN);
        CHECK(r.write(p, m, 8082) == 3986);
        CHECK(r.fionread(p) == 65536);
    }
    CHECK(r.audit() == "");
}

TEST_CASE("fullness counts slots") {
    Rig r;
    const auto p = r.pipe();
    const auto m = r.mem(1 << 18);
    CHECK(r.write(p, m, 100000) == 65536);
    CHECK(r.write(p, m, 1) == -EAGAIN);
    CHECK(r.read(p, m, 4095) == 4095);
    CHECK(r.write(p, m, 1) == -EAGAIN);
    CHECK(r.read(p, m, 1) == 1);
    CHECK(r.write(p, m, 4097) == 4096);
    CHECK(r.ring(p) == full(1, 16, 16, "@0+4096 M"));
    CHECK(r.write(p, m, 0) == 0);
    CHECK(r.audit() == "");
}

static void faulting_write(const std::string& version) {
    CAPTURE(version);
    const bool old = version == "6.12";
    Rig r(version);
    const auto p = r.pipe();
    const auto m = r.mem(8192);
    const std::uint64_t hole = m + 8192;
    SUBCASE("at once") {
        CHECK(r.write(p, hole, 100) == -EFAULT);
        CHECK(r.ring(p) == (old ? "head=1 tail=0 | 0:k1@0+0 M" : "head=0 tail=0"));
        CHECK(r.spare(p) == (old ? "0" : "1"));
        CHECK(r.fionread(p) == 0);
    }
    SUBCASE("after a page") {
        CHECK(r.write(p, hole - 6000, 10000) == 4096);
        CHECK(r.ring(p) == (old ? "head=2 tail=0 | 0:k1@0+4096 M | 1:k2@0+0 M" : "head=1 tail=0 | 0:k1@0+4096 M"));
    }
    SUBCASE("while merging leaves the slot as it was") {
        CHECK(r.write(p, m, 10) == 10);
        CHECK(r.write(p, hole - 50, 100) == -EFAULT);
        CHECK(r.ring(p) == "head=1 tail=0 | 0:k1@0+10 M");
    }
    SUBCASE("after merging keeps the merged bytes") {
        CHECK(r.write(p, m, 10) == 10);
        CHECK(r.write(p, hole - 300, 4196) == 100);
        CHECK(r.ring(p) == (old ? "head=2 tail=0 | 0:k1@0+110 M | 1:k2@0+0 M" : "head=1 tail=0 | 0:k1@0+110 M"));
    }
    SUBCASE("on the reading side consumes nothing of the slot") {
        CHECK(r.write(p, m, 100) == 100);
        CHECK(r.read(p, hole - 50, 100) == -EFAULT);
        CHECK(r.write(p, m, 4096) == 4096);
        CHECK(r.read(p, hole - 150, 4196) == 100);
        CHECK(r.ring(p) == "head=2 tail=1 | 1:k1@0+4096 M");
    }
    CHECK(r.audit() == "");
}
TEST_CASE("a faulting write") { faulting_write("6.18"); }
TEST_CASE("a faulting write, on 6.12") { faulting_write("6.12"); }

TEST_CASE("packets") {
    Rig r;
    const auto p = r.pipe(16, F_nonblock | F_direct);
    const auto m = r.mem(1 << 18);
    CHECK(r.write(p, m, 10) == 10);
    CHECK(r.write(p, m, 10) == 10);
    CHECK(r.write(p, m, 5000) == 5000);
    CHECK(r.ring(p) == "head=4 tail=0 | 0:k1@0+10 P | 1:k2@0+10 P | 2:k3@0+4096 P | 3:k4@0+904 P");
    CHECK(r.read(p, m, 4) == 4);
    CHECK(r.read(p, m, 100000) == 10);
    CHECK(r.read(p, m, 100000) == 4096);
    CHECK(r.read(p, m, 100000) == 904);
    CHECK(r.read(p, m, 1) == -EAGAIN);
    CHECK(r.spare(p) == "2");
    CHECK(r.audit() == "");
}

TEST_CASE("a resize counts slots and restarts the indices") {
    Rig r;
    const auto p = r.pipe();
    const auto m = r.mem(1 << 18);
    CHECK(r.write(p, m, 14 * 4096) == 14 * 4096);
    CHECK(r.read(p, m, 12 * 4096) == 12 * 4096);
    CHECK(r.write(p, m, 6 * 4096) == 6 * 4096);
    CHECK(r.ring(p) == full(12, 8, 16, "@0+4096 M"));
    CHECK(r.simple(Sys::fcntl_setpipe_sz, p.r, 16384) == -EBUSY);
    CHECK(r.simple(Sys::fcntl_setpipe_sz, p.w, 32768) == 32768);
    CHECK(r.ring(p) == full(0, 8, 8, "@0+4096 M"));
    CHECK(r.simple(Sys::fcntl_setpipe_sz, p.w, 131072) == 131072);
    CHECK(r.ring(p) == full(0, 8, 32, "@0+4096 M"));
    CHECK(r.audit() == "");
}

TEST_CASE("sizes a pipe may have") {
    Rig r;
    const auto p = r.pipe();
    const std::pair<std::uint64_t, long> rows[] = {{1, 4096}, {4097, 8192}, {12288, 16384}, {65537, 131072}, {1048576, 1048576}, {1048577, -EPERM},
        {(1ull << 31) + 1, -EINVAL}, {~0ull, -EINVAL}, {0, 4096}, {0x100002000, 8192}};
    for (const auto& [arg, result] : rows) {
        CAPTURE(arg);
        CHECK(r.simple(Sys::fcntl_setpipe_sz, p.w, arg) == result);
    }
    Rig old("5.17");
    const auto q = old.pipe();
    CHECK(old.simple(Sys::fcntl_setpipe_sz, q.w, 0x100002000) == -EINVAL);
}

TEST_CASE("a ring of one slot") {
    Rig r;
    const auto p = r.pipe(1);
    const auto m = r.mem(8192);
    CHECK(r.write(p, m, 1) == 1);
    CHECK(r.write(p, m, 4096) == -EAGAIN);
    CHECK(r.write(p, m, 1) == 1);
    CHECK(r.write(p, m, 4094) == 4094);
    CHECK(r.write(p, m, 1) == -EAGAIN);
    CHECK(r.read(p, m, 1) == 1);
    CHECK(r.write(p, m, 1) == -EAGAIN);
    CHECK(r.read(p, m, 4095) == 4095);
    CHECK(r.write(p, m, 1) == 1);
    CHECK(r.ring(p) == "head=2 tail=1 | 0:k1@0+1 M");
}

TEST_CASE("spare pages by version") {
    for (const char* version : {"6.18", "6.14"}) {
        Rig r(version);
        CAPTURE(version);
        const auto p = r.pipe();
        const auto m = r.mem(1 << 18);
        CHECK(r.write(p, m, 16384) == 16384);
        CHECK(r.read(p, m, 4096) == 4096);
        CHECK(r.spare(p) == "1");
        CHECK(r.read(p, m, 12288) == 12288);
        CHECK(r.spare(p) == (std::string(version) == "6.18" ? "2" : "1"));
        CHECK(r.write(p, m, 1) == 1);
        CHECK(r.spare(p) == (std::string(version) == "6.18" ? "1" : "0"));
        CHECK(r.audit() == "");
    }
}

TEST_CASE("ends close") {
    Rig r;
    const auto p = r.pipe();
    const auto m = r.mem(8192);
    SUBCASE("the writer's") {
        CHECK(r.write(p, m, 5) == 5);
        CHECK(r.simple(Sys::close, p.w) == 0);
        CHECK(poll_string(static_cast<std::uint32_t>(r.simple(Sys::poll, p.r))) == "IN|HUP");
        CHECK(r.read(p, m, 3) == 3);
        CHECK(r.read(p, m, 3) == 2);
        CHECK(r.read(p, m, 3) == 0);
        CHECK(r.simple(Sys::close, p.r) == 0);
        CHECK(r.s().pipes[p.id].freed);
    }
    SUBCASE("the reader's") {
        CHECK(r.simple(Sys::close, p.r) == 0);
        CHECK(r.write(p, m, 0) == 0);
        CHECK(r.s().tasks[0].delivered == 0);
        CHECK(r.write(p, m, 1) == -EPIPE);
        CHECK(r.s().tasks[0].delivered == 1u << SIGPIPE);
        CHECK(poll_string(static_cast<std::uint32_t>(r.simple(Sys::poll, p.w))) == "OUT|ERR");
        CHECK(r.vmsplice(p, m, 0) == 0);
        CHECK(r.vmsplice(p, m, 1) == -EPIPE);
        CHECK(r.simple(Sys::close, p.w) == 0);
        CHECK(r.simple(Sys::close, p.w) == -EBADF);
    }
    CHECK(r.audit() == "");
}

TEST_CASE("modes and descriptors") {
    Rig r;
    const auto p = r.pipe();
    const auto m = r.mem(8192);
    CHECK(r.done(0, Rig::io(Sys::write, p.r, m, 1)) == -EBADF);
    CHECK(r.done(0, Rig::io(Sys::read, p.w, m, 1)) == -EBADF);
    CHECK(r.done(0, Rig::io(Sys::write, 77, m, 1)) == -EBADF);
    CHECK(r.done(0, Rig::io(Sys::vmsplice, p.w, m, 1, 16)) == -EINVAL);
    const int n = r.null();
    CHECK(r.done(0, Rig::io(Sys::vmsplice, n, m, 1)) == -EBADF);
    CHECK(r.simple(Sys::fcntl_getpipe_sz, n) == -EBADF);
    CHECK(r.splice(p.r, p.w, 1) == -EINVAL);
    CHECK(r.splice(p.w, n, 1) == -EBADF);
    CHECK(r.splice(n, p.w, 1) == -EINVAL);
    CHECK(r.splice(p.r, n, 0, 16) == 0);
    CHECK(r.splice(p.r, n, 1, 16) == -EINVAL);
}

// SPDX-License-Identifier: MIT
// Files and pipes: page-cache slots, holes, /dev/zero, writing out, sendfile, as read off a running 6.18 kernel.
#include "core_rig.hpp"
#include <doctest/doctest.h>

using namespace rig;

namespace {
struct Files : Rig {
    int file, hole;
    explicit Files(const char* version = "6.18") : Rig(version) {
        file = k.file_open(0, FileKind::regular, F_read | F_write, no_id, k.inode_new(0, names.intern("f1"), 41060, true));
        hole = k.file_open(0, FileKind::regular, F_read | F_write, no_id, k.inode_new(0, names.intern("f2"), 8202, false));
    }
    long splice_at(int in, std::int64_t off, int out, std::uint64_t n) {
        Call c;
        c.nr = Sys::splice, c.fd = in, c.off_in = off, c.fd_out = out, c.len = n;
        return done(0, c);
    }
    long sendfile(int out, int in, std::uint64_t n) {
        Call c;
        c.nr = Sys::sendfile, c.fd = in, c.fd_out = out, c.len = n;
        return done(0, c);
    }
};
} // namespace

TEST_CASE("a file goes into the pipe a page-cache page a slot") {
    Files r;
    const auto p = r.pipe();
    const auto m = r.mem(1 << 16);
    SUBCASE("from the start") {
        CHECK(r.splice_at(r.file, 0, p.w, 10000) == 10000);
        CHECK(r.ring(p) == "head=3 tail=0 | 0:f1[0]@0+4096 | 1:f1[1]@0+4096 | 2:f1[2]@0+1808");
        CHECK(r.k.page_count(r.s().inodes[0].pages.at(0)) == 2);
    }
    SUBCASE("from the middle of a page") {
        CHECK(r.splice_at(r.file, 5000, p.w, 5000) == 5000);
        CHECK(r.ring(p) == "head=2 tail=0 | 0:f1[1]@904+3192 | 1:f1[2]@0+1808");
    }
    SUBCASE("near and beyond the end") {
        CHECK(r.splice_at(r.file, 40960, p.w, 5000) == 100);
        CHECK(r.splice_at(r.file, 41060, p.w, 10) == 0);
        CHECK(r.splice_at(r.file, 1048576, p.w, 10) == 0);
        CHECK(r.ring(p) == "head=1 tail=0 | 0:f1[10]@0+100");
    }
    SUBCASE("an unaligned offset fills the ring early") {
        CHECK(r.simple(Sys::fcntl_setpipe_sz, p.w, 8192) == 8192);
        CHECK(r.splice_at(r.file, 100, p.w, 200000) == 8092);
        CHECK(r.splice_at(r.file, 0, p.w, 10) == -EAGAIN);
        CHECK(r.ring(p) == "head=2 tail=0 | 0:f1[0]@100+3996 | 1:f1[1]@0+4096");
    }
    SUBCASE("nothing merges into its pages") {
        CHECK(r.splice_at(r.file, 0, p.w, 1) == 1);
        CHECK(r.write(p, m, 1) == 1);
        CHECK(r.ring(p) == "head=2 tail=0 | 0:f1[0]@0+1 | 1:k1@0+1 M");
    }
    SUBCASE("the position moves only without an offset") {
        CHECK(r.splice_at(r.file, 100, p.w, 10) == 10);
        CHECK(r.splice_at(r.file, -1, p.w, 10) == 10);
        CHECK(r.splice_at(r.file, -1, p.w, 10) == 10);
        CHECK(r.ring(p) == "head=3 tail=0 | 0:f1[0]@100+10 | 1:f1[0]@0+10 | 2:f1[0]@10+10");
    }
    CHECK(r.audit() == "");
}

TEST_CASE("a hole of tmpfs is the zero page, without a reference") {
    Files r;
    const auto p = r.pipe();
    CHECK(r.splice_at(r.hole, 0, p.w, 100000) == 8202);
    CHECK(r.ring(p) == "head=3 tail=0 | 0:z@0+4096 | 1:z@0+4096 | 2:z@0+10");
    CHECK(r.k.page_count(zero_page) == 1);
    CHECK(r.splice(p.r, r.null(), 100000) == 8202);
    CHECK(r.k.page_count(zero_page) == 1);
    CHECK(r.audit() == "");
}

TEST_CASE("/dev/zero fills fresh pages") {
    Files r;
    const auto p = r.pipe();
    const auto m = r.mem(1 << 16);
    const int zero = r.k.file_open(0, FileKind::zero, F_read | F_write, no_id), null = r.null();
    CHECK(r.splice(zero, p.w, 10000) == 10000);
    CHECK(r.write(p, m, 10) == 10);
    CHECK(r.ring(p) == "head=4 tail=0 | 0:k1@0+4096 | 1:k2@0+4096 | 2:k3@0+1808 | 3:k4@0+10 M");
    CHECK(r.splice(p.r, null, 10010) == 10010);
    CHECK(r.splice(zero, p.w, 1048576) == 65536);
    CHECK(r.splice(zero, p.w, 1) == -EAGAIN);
    CHECK(r.splice(p.r, null, 100) == 100);
    CHECK(r.splice(zero, p.w, 1) == -EAGAIN);
    CHECK(r.splice(p.r, null, 3996) == 3996);
    CHECK(r.splice(zero, p.w, 1048576) == 4096);
    CHECK(r.audit() == "");
    Files old("6.6");
    const auto q = old.pipe();
    CHECK(old.splice(old.k.file_open(0, FileKind::zero, F_read, no_id), q.w, 10) == -EINVAL);
}

TEST_CASE("out of the pipe into a file") {
    Files r;
    const auto p = r.pipe();
    const auto m = r.mem(1 << 16), d = r.mem(1 << 16, true, "D");
    CHECK(r.splice_at(r.file, 5000, p.w, 6000) == 6000);
    CHECK(r.splice(p.r, r.hole, 1000) == 1000);
    CHECK(r.ring(p) == "head=2 tail=0 | 0:f1[1]@1904+2192 | 1:f1[2]@0+2808");
    CHECK(r.splice(p.r, r.hole, 100000) == 5000);
    CHECK(r.ring(p) == "head=2 tail=2");
    CHECK(r.splice(p.r, r.hole, 1) == -EAGAIN);
    const int again = r.k.file_open(0, FileKind::regular, F_read, no_id, 1);
    CHECK(r.done(0, Rig::io(Sys::read, again, d, 6000)) == 6000);
    const PageId page = walk(r.s(), 0, d + 4096).page;
    CHECK((*r.s().bytes.at(page))[0] == file_pattern(5000 + 4096));
    CHECK(r.s().inodes[1].size == 8202);
    CHECK(r.done(0, Rig::io(Sys::write, again, m, 1)) == -EBADF);
    CHECK(r.audit() == "");
}

TEST_CASE("sendfile") {
    Files r;
    const auto p = r.pipe();
    CHECK(r.sendfile(p.w, r.file, 1 << 20) == 41060);
    CHECK(r.s().pipes[p.id].occupancy() == 11);
    CHECK(r.sendfile(p.w, p.r, 1) == -EINVAL);
    CHECK(r.sendfile(p.w, r.file, 1) == 0); // at its end
    const int again = r.k.file_open(0, FileKind::regular, F_read, no_id, 0);
    CHECK(r.sendfile(r.hole, again, 1 << 20) == 41060); // through a pipe of the task's own
    CHECK(r.s().inodes[1].size == 41060);
    CHECK(r.s().pipes.back().files == 0);
    CHECK(r.s().pipes.back().empty());
    CHECK(r.sendfile(r.hole, p.r, 1) == -EINVAL);
    CHECK(r.audit() == "");
}

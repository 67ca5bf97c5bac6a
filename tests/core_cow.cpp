// SPDX-License-Identifier: MIT
// Memory that changes while a pipe refers to it: stores, munmap, MADV_DONTNEED, mprotect, and fork with copy on write.
#include "core_rig.hpp"
#include <doctest/doctest.h>
#include <sys/mman.h>

using namespace rig;

namespace {
// The parent writes 'S' and forks; the child vmsplices the page and unmaps it; the parent stores 'N'; what does a reader get?
char leak(const char* version, bool huge) {
    Rig r(version);
    const auto p = r.pipe();
    const auto m = r.mem(huge ? huge_size : page_size, true, "M", VMA_READ | VMA_WRITE | (huge ? std::uint32_t{VMA_HUGEPAGE} : 0));
    const auto d = r.mem(page_size, true, "D");
    store(r, 0, m, 'S');
    const TaskId child = r.k.fork(0, r.names.intern("child"), 9, 1);
    CHECK(r.done(child, Rig::io(Sys::vmsplice, p.w, m, 1)) == 1);
    CHECK(r.k.munmap(child, m, huge ? huge_size : page_size) == 0);
    store(r, 0, m, 'N');
    CHECK(r.read(p, d, 1) == 1);
    CHECK(r.audit() == "");
    return byte(r, 0, d);
}
} // namespace

TEST_CASE("a child's vmsplice does not see what the parent stores later, except as it did of old") {
    CHECK(leak("6.18", false) == 'S');
    CHECK(leak("5.10", false) == 'S');
    CHECK(leak("6.18", true) == 'S');
    CHECK(leak("6.1", true) == 'S');
    CHECK(leak("5.17", true) == 'N');
    CHECK(leak("5.10", true) == 'N');
}

TEST_CASE("the pipe keeps the page that fork and a store have taken from the parent") {
    Rig r;
    const auto p = r.pipe();
    const auto m = r.mem(page_size), d = r.mem(page_size, true, "D");
    store(r, 0, m, 'A');
    CHECK(r.vmsplice(p, m, 1) == 1);
    const TaskId child = r.k.fork(0, r.names.intern("child"), 9, 1);
    store(r, 0, m, 'B');
    CHECK(r.ring(p) == "head=1 tail=0 | 0:k1@0+1"); // its buffer maps another page now
    CHECK(byte(r, child, m) == 'A');
    CHECK(r.read(p, d, 1) == 1);
    CHECK(byte(r, 0, d) == 'A');
    CHECK(r.audit() == "");
}

TEST_CASE("without fork a store never copies, whatever refers to the page") {
    Rig r;
    const auto p = r.pipe();
    const auto m = r.mem(page_size), d = r.mem(page_size, true, "D");
    store(r, 0, m, 'A');
    CHECK(r.vmsplice(p, m, 1) == 1);
    CHECK(r.k.mprotect(0, m, page_size, VMA_READ) == 0);
    CHECK(r.k.user_page(0, m, true) == no_page);
    CHECK(r.k.mprotect(0, m, page_size, VMA_READ | VMA_WRITE) == 0);
    store(r, 0, m, 'B');
    CHECK(r.read(p, d, 1) == 1);
    CHECK(byte(r, 0, d) == 'B');
}

TEST_CASE("pages outlive their mapping while a slot refers to them") {
    Rig r;
    const auto p = r.pipe();
    const auto m = r.mem(2 * page_size), d = r.mem(2 * page_size, true, "D");
    store(r, 0, m, 'Q');
    store(r, 0, m + page_size, 'R');
    CHECK(r.vmsplice(p, m, 2 * page_size) == 2 * page_size);
    CHECK(r.k.madvise(0, m, page_size, MADV_DONTNEED) == 0);
    store(r, 0, m, 'x');
    CHECK(r.k.munmap(0, m + page_size, page_size) == 0);
    CHECK(r.ring(p) == "head=2 tail=0 | 0:k1@0+4096 | 1:k2@0+4096");
    CHECK(r.k.user_page(0, m + page_size, false) == no_page);
    CHECK(r.read(p, d, 2 * page_size) == 2 * page_size);
    CHECK(byte(r, 0, d) == 'Q');
    CHECK(byte(r, 0, d + page_size) == 'R');
    CHECK(r.audit() == "");
}

TEST_CASE("protection and get_user_pages") {
    Rig r;
    const auto p = r.pipe();
    const auto m = r.mem(2 * page_size, false);
    CHECK(r.k.mprotect(0, m, 2 * page_size, VMA_WRITE) == 0);
    CHECK(r.vmsplice(p, m, 10) == -EFAULT); // not there, and may not be read in
    CHECK(r.k.touch(0, m, 1) == 0);
    CHECK(r.vmsplice(p, m, 10) == 10); // the lockless walk asks the entry alone
    CHECK(r.k.mprotect(0, m, 2 * page_size, 0) == 0);
    CHECK(r.vmsplice(p, m, 10) == -EFAULT);
    CHECK(r.k.mprotect(0, m, 2 * page_size, VMA_READ | VMA_WRITE) == 0);
    CHECK(r.vmsplice(p, m, 10) == 10);
    CHECK(r.audit() == "");
}

TEST_CASE("unmapping part of a huge page gives each entry a reference of its own") {
    Rig r;
    const auto p = r.pipe();
    const auto m = r.mem(huge_size, true, "b", VMA_READ | VMA_WRITE | VMA_HUGEPAGE);
    CHECK(r.vmsplice(p, m + 5 * page_size, 3 * page_size) == 3 * page_size);
    const PageId page = walk(r.s(), 0, m + 5 * page_size).page;
    CHECK(r.k.page_count(page) == 4);
    CHECK(r.k.munmap(0, m, page_size) == 0);
    CHECK(r.k.page_count(page) == 514);
    CHECK(walk(r.s(), 0, m + 5 * page_size).order == 0);
    CHECK(walk(r.s(), 0, m + 5 * page_size).page == page);
    CHECK(r.audit() == "");
}

TEST_CASE("a child's exit gives back its references and closes its ends") {
    Rig r;
    const auto p = r.pipe(16, 0);
    const auto m = r.mem(4 * page_size);
    const TaskId child = r.k.fork(0, r.names.intern("child"), 9, 1);
    CHECK(r.s().pipes[p.id].writers == 1); // fork shares the struct file
    CHECK(r.simple(Sys::close, p.w) == 0);
    const TaskId reader = r.task();
    CHECK_FALSE(r.call(reader, Rig::io(Sys::read, p.r, m, 1)));
    Thread t;
    auto co = r.k.do_exit(child);
    co.start(t);
    t.run();
    r.settle();
    CHECK(t.done());
    CHECK(r.result(reader) == 0); // the last writer has gone
    CHECK(r.audit() == "");
}

// SPDX-License-Identifier: MIT
// Sleeping and waking: queue order, exclusive waits, the hand-over chain, the mutex, and every stage as a place to stop.
#include "core_rig.hpp"
#include <doctest/doctest.h>
#include <vector>

using namespace rig;

namespace {
std::string queue(const Rig& r, PipeId p, WaitQueue q) { // "t3 t1x t2x", x exclusive
    std::string out;
    for (const WaitEntry& w : r.s().pipes[p].wait[static_cast<std::size_t>(q)])
        out += (out.empty() ? "" : " ") + r.names[r.s().tasks[w.task].name] + (w.exclusive ? "x" : "");
    return out;
}
} // namespace

TEST_CASE("readers are served in order, one wake-up each") {
    Rig r;
    const auto p = r.pipe(16, 0);
    const auto m = r.mem(1 << 18);
    const TaskId t1 = r.task(), t2 = r.task(), t3 = r.task();
    for (const TaskId t : {t1, t2, t3}) CHECK_FALSE(r.call(t, Rig::io(Sys::read, p.r, m, 1)));
    CHECK(queue(r, p.id, WaitQueue::rd) == "t1x t2x t3x");
    SUBCASE("a byte wakes the first alone") {
        CHECK(r.write(p, m, 1) == 1);
        CHECK(r.result(t1) == 1);
        CHECK_FALSE(r.result(t2));
        CHECK(queue(r, p.id, WaitQueue::rd) == "t2x t3x");
        CHECK(r.write(p, m, 2) == 2);
        CHECK(r.result(t2) == 1);
        CHECK(r.result(t3) == 1); // handed on by t2, which left the ring filled
    }
    SUBCASE("closing the last writer wakes all") {
        CHECK(r.simple(Sys::close, p.w) == 0);
        for (const TaskId t : {t1, t2, t3}) CHECK(r.result(t) == 0);
    }
    SUBCASE("a write that faults wakes one in vain, who queues again behind") {
        CHECK(r.write(p, m + (1 << 18), 1) == -EFAULT);
        CHECK(queue(r, p.id, WaitQueue::rd) == "t2x t3x t1x");
    }
    SUBCASE("a vmsplice that faults wakes nobody") {
        CHECK(r.done(0, Rig::io(Sys::vmsplice, p.w, m + (1 << 18), 1)) == -EFAULT);
        CHECK(queue(r, p.id, WaitQueue::rd) == "t1x t2x t3x");
    }
    SUBCASE("three pages by vmsplice serve all three from one wake-up") {
        CHECK(r.done(0, Rig::io(Sys::vmsplice, p.w, m, 12288)) == 12288);
        for (const TaskId t : {t1, t2, t3}) CHECK(r.result(t) == 1);
    }
}

TEST_CASE("splicers wait in front, and are not alone") {
    Rig r;
    const auto p = r.pipe(16, 0);
    const auto m = r.mem(1 << 14);
    const TaskId t1 = r.task(), t2 = r.task(), t3 = r.task();
    CHECK_FALSE(r.call(t1, Rig::io(Sys::read, p.r, m, 1)));
    CHECK_FALSE(r.call(t2, Rig::io(Sys::read, p.r, m, 1)));
    CHECK_FALSE(r.call(t3, Rig::io(Sys::vmsplice, p.r, m, 1)));
    CHECK(queue(r, p.id, WaitQueue::rd) == "t3 t1x t2x");
    CHECK(r.write(p, m, 1) == 1);
    CHECK(r.result(t3) == 1);
    CHECK_FALSE(r.result(t1)); // woken in vain
    CHECK(queue(r, p.id, WaitQueue::rd) == "t2x t1x");
}

static void writers_of_a_full_ring(const std::string& version) {
    CAPTURE(version);
    Rig r(version);
    const auto p = r.pipe(16, 0);
    const auto m = r.mem(1 << 18);
    CHECK(r.write(p, m, 65536) == 65536);
    const TaskId t1 = r.task(), t2 = r.task(), t3 = r.task();
    SUBCASE("bytes read from a slot that stays wake nobody, except up to 6.13, in vain") {
        for (const TaskId t : {t1, t2, t3}) CHECK_FALSE(r.call(t, Rig::io(Sys::write, p.w, m, 4096)));
        CHECK(r.read(p, m, 1) == 1);
        CHECK(queue(r, p.id, WaitQueue::wr) == (version == "6.12" ? "t2x t3x t1x" : "t1x t2x t3x"));
        if (version == "6.12") return;
        CHECK(r.read(p, m, 4095) == 4095);
        CHECK(r.result(t1) == 4096);
        CHECK_FALSE(r.result(t2));
        CHECK(r.read(p, m, 8192) == 8192);
        CHECK(r.result(t2) == 4096);
        CHECK(r.result(t3) == 4096);
    }
    SUBCASE("the chain stops when the ring is full again, though a byte would merge") {
        for (const TaskId t : {t1, t2, t3}) CHECK_FALSE(r.call(t, Rig::io(Sys::write, p.w, m, 1)));
        CHECK(r.read(p, m, 4096) == 4096);
        CHECK(r.result(t1) == 1);
        CHECK_FALSE(r.result(t2));
    }
    SUBCASE("growing the pipe lets all of them finish") {
        for (const TaskId t : {t1, t2, t3}) CHECK_FALSE(r.call(t, Rig::io(Sys::write, p.w, m, 4096)));
        CHECK(r.simple(Sys::fcntl_setpipe_sz, p.w, 131072) == 131072);
        for (const TaskId t : {t1, t2, t3}) CHECK(r.result(t) == 4096);
    }
    SUBCASE("the reader goes away") {
        CHECK_FALSE(r.call(t1, Rig::io(Sys::write, p.w, m, 100)));
        CHECK(r.simple(Sys::close, p.r) == 0);
        CHECK(r.result(t1) == -EPIPE);
        CHECK(r.s().tasks[t1].delivered == 1u << SIGPIPE);
    }
}
TEST_CASE("writers of a full ring") { writers_of_a_full_ring("6.18"); }
TEST_CASE("writers of a full ring, on 6.12") { writers_of_a_full_ring("6.12"); }

TEST_CASE("a write cut short by the last reader returns what it wrote, with SIGPIPE") {
    Rig r;
    const auto p = r.pipe(16, 0);
    const auto m = r.mem(1 << 18);
    const TaskId t = r.task();
    CHECK_FALSE(r.call(t, Rig::io(Sys::write, p.w, m, 100000)));
    CHECK(r.simple(Sys::close, p.r) == 0);
    CHECK(r.result(t) == 65536);
    CHECK(r.s().tasks[t].delivered == 1u << SIGPIPE);
}

TEST_CASE("a reader asleep is woken when the writer is about to sleep, not before") {
    Rig r;
    const auto p = r.pipe(16, 0);
    const auto m = r.mem(1 << 18);
    const TaskId reader = r.task(), writer = r.task();
    CHECK_FALSE(r.call(reader, Rig::io(Sys::read, p.r, m, 1)));
    CHECK_FALSE(r.call(writer, Rig::io(Sys::write, p.w, m, 200000)));
    CHECK(r.result(reader) == 1);
}

TEST_CASE("a write of 10,000 bytes into 8 slots, stage by stage") {
    Rig r;
    r.k.stop_at_stages = true;
    const auto p = r.pipe(8, 0);
    const auto m = r.mem(1 << 14);
    const Call c = Rig::io(Sys::write, p.w, m, 10000);
    Thread thread;
    auto co = r.k.syscall(0, c);
    co.start(thread);
    std::string seen;
    std::vector<std::uint32_t> heads;
    while (!thread.done()) {
        thread.run();
        if (thread.done()) break;
        seen += std::string(stage_info(r.s().tasks[0].at.stage).id) + " ";
        heads.push_back(r.s().pipes[p.id].head);
    }
    CHECK(seen == "sys_fdget w_lock w_readers w_merge w_full w_page w_copy w_insert w_full w_page w_copy w_insert w_full w_page w_copy w_insert "
                  "w_unlock w_wake ");
    CHECK(heads.front() == 0);
    CHECK(heads.back() == 3);
    CHECK(co.result() == 10000);
}

TEST_CASE("two writers inside: the second waits for the mutex and the bytes do not mix") {
    Rig r;
    r.k.stop_at_stages = true;
    const auto p = r.pipe(16, 0);
    const auto m = r.mem(1 << 14);
    const TaskId other = r.task();
    Thread a, b;
    const Call ca = Rig::io(Sys::write, p.w, m, 8192), cb = Rig::io(Sys::write, p.w, m, 100);
    auto co_a = r.k.syscall(0, ca);
    auto co_b = r.k.syscall(other, cb);
    co_a.start(a);
    co_b.start(b);
    while (r.s().tasks[0].at.stage != Stage::w_copy) a.run();
    while (r.s().tasks[other].run != RunState::lock_spin) b.run();
    CHECK(r.s().pipes[p.id].mutex.owner == 0);
    CHECK(r.s().pipes[p.id].mutex.waiters == std::vector<TaskId>{other});
    while (!a.done()) a.run();
    CHECK(r.s().tasks[other].run == RunState::runnable);
    while (!b.done()) b.run();
    CHECK(co_a.result() == 8192);
    CHECK(co_b.result() == 100);
    CHECK(r.ring(p) == "head=3 tail=0 | 0:k1@0+4096 M | 1:k2@0+4096 M | 2:k3@0+100 M");
    CHECK(r.s().pipes[p.id].mutex.owner == no_id);
    CHECK(r.audit() == "");
}

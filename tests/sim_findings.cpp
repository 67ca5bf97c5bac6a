// SPDX-License-Identifier: MIT
// Each rule on events made by hand: it speaks when it should, with the figures and the events, and is silent otherwise.
#include "sim/findings/findings.hpp"
#include "sim/live/world.hpp"
#include "tests/hand_run.hpp"
#include "tests/recording_events.hpp"
#include <algorithm>
#include <doctest/doctest.h>

using namespace pipescope;
using namespace pipescope::test;

namespace {

const Finding* rule(const std::vector<Finding>& all, const char* name) {
    const auto it = std::find_if(all.begin(), all.end(), [&](const Finding& f) { return f.rule == name; });
    return it == all.end() ? nullptr : &*it;
}
bool has(const Finding* f, const char* part) { return f && f->text.find(part) != std::string::npos; }

// A writer, task 0 on descriptor 4, and a reader, task 1 on descriptor 3.
struct Pair : Run {
    explicit Pair(const char* capture = "bpf", std::uint32_t slots = 16, std::uint32_t writer_flags = F_write) : Run(capture) {
        pipe(slots);
        task(0, "w", 4, writer_flags);
        task(1, "r", 3, F_read);
    }
    // Enters, sleeps for so long (0: not at all), works for so long.
    void call(TaskId t, Sys sys, std::uint64_t len, std::int64_t result, std::uint64_t sleeps = 0, std::uint64_t works = 1) {
        enter(t, sys, t ? 3 : 4, 0, len);
        if (sleeps) {
            state(t, RunState::sleep, t ? WaitFor::data : WaitFor::space);
            now += sleeps;
            state(t, RunState::running);
        }
        now += works;
        exit(t, sys, result);
    }
    std::vector<Finding> found() const { return find(trace); }
};

} // namespace

TEST_CASE("findings: who holds up the pipe") {
    const auto run = [](std::uint64_t space, std::uint64_t data) {
        Pair p;
        for (int i = 0; i < 10; ++i) {
            p.call(0, Sys::write, 4096, 4096, space, 10);
            p.call(1, Sys::read, 4096, 4096, data, 10);
        }
        return p.found();
    };
    auto f = run(80, 0);
    REQUIRE(rule(f, "reader_slower"));
    CHECK(has(rule(f, "reader_slower"), "w sleeps for 80 % of the time because the ring is full (10 sleeps)"));
    CHECK(rule(f, "reader_slower")->events.size() == Evidence::kept);
    CHECK(rule(f, "reader_slower")->events[0] == 13); // the first sleep, counted from 1
    CHECK(f.size() == 1);
    f = run(0, 80);
    CHECK(has(rule(f, "writer_slower"), "r sleeps for 80 % of the time because the ring is empty"));
    CHECK(f.size() == 1);
    f = run(40, 40);
    CHECK(rule(f, "in_turns"));
    CHECK(f.size() == 1);
    f = run(1, 1);
    CHECK(rule(f, "balanced"));
    CHECK(f.size() == 1);
}

TEST_CASE("findings: without sleeps the longer calls tell, and it is said to be inferred") {
    Pair p("syscalls");
    for (int i = 0; i < 10; ++i) {
        p.call(0, Sys::write, 4096, 4096, 0, 90);
        p.call(1, Sys::read, 4096, 4096, 0, 10);
    }
    const auto f = p.found();
    CHECK(has(rule(f, "reader_slower"), "Inferred"));
    CHECK_FALSE(rule(f, "balanced"));
}

TEST_CASE("findings: a counter, and small calls") {
    Pair p;
    for (int i = 0; i < 100; ++i) p.call(0, Sys::write, 1, 1), p.call(1, Sys::read, 1, 1, 5);
    auto f = p.found();
    CHECK(has(rule(f, "counter"), "100 put in, 100 taken out"));
    CHECK(f.size() == 1); // nobody is slow, and one byte a call is as it should be
    Pair q;
    for (int i = 0; i < 100; ++i) q.call(0, Sys::write, 100, 100), q.call(1, Sys::read, 4096, 4096);
    f = q.found();
    CHECK(has(rule(f, "small_calls"), "w writes 100 bytes a call: 10486 calls for each MiB"));
    CHECK(std::count_if(f.begin(), f.end(), [](const Finding& x) { return x.rule == "small_calls"; }) == 1);
}

TEST_CASE("findings: the lock, a busy loop, no CPU") {
    Pair p;
    p.call(1, Sys::read, 1, -11);
    for (int i = 0; i < 20; ++i) {
        p.enter(0, Sys::write, 4, 0, 4096);
        p.add(EventKind::mutex_wait, 0, 1);
        p.now += 10;
        p.add(EventKind::mutex_leave, 0);
        p.state(0, RunState::runnable);
        p.now += 30;
        p.state(0, RunState::running);
        p.now += 60;
        p.exit(0, Sys::write, 4096);
    }
    p.add(EventKind::note, 1, p.trace.strings.intern(again_note)).x = 1000;
    p.add(EventKind::note, 0, p.trace.strings.intern("something else")).x = 1000;
    auto f = p.found();
    CHECK(has(rule(f, "lock_contention"), "w waits for the pipe's mutex for 10 % of the time (20 waits, 10 ns each)"));
    CHECK(has(rule(f, "no_cpu"), "w was woken, or preempted, and got no CPU for 30 %"));
    CHECK(has(rule(f, "busy_loop"), "r burns its CPU in a busy loop: 1001 of its 1001 calls gave EAGAIN"));
    CHECK(f.size() == 3);
}

TEST_CASE("findings: small pieces, by what keeps them apart") {
    const auto run = [](BufOps ops, std::uint32_t flags, std::uint32_t len, Sys sys) {
        Pair p;
        p.enter(0, sys, 4, 0, len);
        for (std::uint32_t head = 1; head <= 16; ++head) {
            ++p.now;
            p.add(EventKind::ring_begin, 0, head, 0, 16, 16);
            for (std::uint32_t i = 0; i < head; ++i) p.add(EventKind::ring_slot, 0, i, 10 + i, flags, len, static_cast<std::uint64_t>(ops));
            p.add(EventKind::ring_end, 0, 1, 1, no_id);
        }
        p.exit(0, sys, 16 * len);
        return p.found();
    };
    auto f = run(BufOps::user_page, 0, 100, Sys::vmsplice);
    CHECK(has(rule(f, "small_pieces"), "it held 1.56 KiB on average, 100 bytes a slot, where 64.00 KiB would fit"));
    CHECK(has(rule(f, "merging_defeated"), "16 of 16 slots hold 100 bytes on average, since vmsplice"));
    f = run(BufOps::anon, PIPE_BUF_FLAG_PACKET, 100, Sys::write);
    CHECK(has(rule(f, "merging_defeated"), "packet mode"));
    f = run(BufOps::anon, 0, 100, Sys::tee);
    CHECK(has(rule(f, "merging_defeated"), "tee or splice"));
    f = run(BufOps::anon, PIPE_BUF_FLAG_CAN_MERGE, 2000, Sys::write); // too large for two in a page: nothing defeats merging
    CHECK(rule(f, "small_pieces"));
    CHECK_FALSE(rule(f, "merging_defeated"));
    f = run(BufOps::anon, PIPE_BUF_FLAG_CAN_MERGE, 4096, Sys::write);
    CHECK(f.empty());
    f = run(BufOps::anon, PIPE_BUF_FLAG_CAN_MERGE, 4096, Sys::vmsplice);
    CHECK(has(rule(f, "vmsplice_copies"), "16 slots"));
}

TEST_CASE("findings: a small ring is the quota's, unless somebody asked for it") {
    Pair p("bpf", 2);
    p.call(0, Sys::write, 10, 10);
    CHECK(has(rule(p.found(), "small_ring"), "has 2 slots instead of 16"));
    p.call(0, Sys::fcntl_setpipe_sz, 8192, 8192);
    CHECK_FALSE(rule(p.found(), "small_ring"));
    p.call(0, Sys::fcntl_setpipe_sz, 1 << 30, -1);
    CHECK(rule(p.found(), "resize_refused"));
}

TEST_CASE("findings: the same bytes twice in a ring, other bytes of the page, and the zero page") {
    const auto run = [](std::uint32_t second, PageOwner owner, const char* capture) {
        Pair p(capture);
        p.page(7, owner, seen_by_bpf);
        p.enter(0, Sys::vmsplice, 4, 0x7000, 200);
        p.add(EventKind::ring_begin, 0, 2, 0, 16, 16);
        p.add(EventKind::ring_slot, 0, 0, 7, 0, 100, static_cast<std::uint64_t>(BufOps::user_page));
        p.add(EventKind::ring_slot, 0, 1, 7, 0, std::uint64_t{second} << 32 | 100, static_cast<std::uint64_t>(BufOps::user_page));
        p.add(EventKind::ring_end, 0, 1, 1, no_id);
        p.exit(0, Sys::vmsplice, 200);
        return p.found();
    };
    CHECK(has(rule(run(50, PageOwner::user, "bpf"), "page_reused"), "1 page in two slots at once. If the program stored"));
    CHECK(has(rule(run(50, PageOwner::user, "model"), "page_reused"), "Nobody stored"));
    CHECK_FALSE(rule(run(100, PageOwner::user, "bpf"), "page_reused"));
    const auto f = run(0, PageOwner::zero, "bpf");
    CHECK_FALSE(rule(f, "page_reused"));
    CHECK(has(rule(f, "zero_page"), "2 of 2 slots"));
}

TEST_CASE("findings: memory handed over while the ring still holds it, by the caller's own look") {
    const auto run = [](std::uint64_t addr, TaskId who) {
        Pair p;
        p.page(7, PageOwner::user, seen_by_bpf);
        p.add(EventKind::page_user, 0, 7, 0, 0, 0x7000);
        p.enter(0, Sys::vmsplice, 4, addr, 4096);
        p.add(EventKind::ring_begin, who, 1, 0, 16, 16);
        p.add(EventKind::ring_slot, who, 0, 7, 0, 4096, static_cast<std::uint64_t>(BufOps::user_page));
        p.add(EventKind::ring_end, who, 1, 1, no_id);
        ++p.now;
        p.exit(0, Sys::vmsplice, 4096);
        return p.found();
    };
    CHECK(has(rule(run(0x7800, 0), "page_reused"), "memory of which the ring still held pages (1 call)"));
    CHECK_FALSE(rule(run(0x8000, 0), "page_reused"));
    CHECK_FALSE(rule(run(0x7000, 1), "page_reused"));
}

TEST_CASE("findings: pages made inside vmsplice") {
    Pair p;
    p.enter(0, Sys::vmsplice, 4, 0x7000, 8192);
    p.add(EventKind::note, 0, p.trace.strings.intern(allocs_note)).x = 2;
    p.exit(0, Sys::vmsplice, 8192);
    CHECK(has(rule(p.found(), "untouched_buffer"), "2 pages had to be made"));
    Pair q; // a write makes pages as a matter of course
    q.enter(0, Sys::write, 4, 0x7000, 8192);
    q.add(EventKind::note, 0, q.trace.strings.intern(allocs_note)).x = 2;
    q.exit(0, Sys::write, 8192);
    CHECK_FALSE(rule(q.found(), "untouched_buffer"));
}

TEST_CASE("findings: a page stored to while it is in the ring") {
    const auto run = [](std::uint32_t offset) {
        Pair p("model");
        p.add(EventKind::page_alloc, 0, 7, 0, static_cast<std::uint32_t>(PageOwner::user));
        p.enter(0, Sys::vmsplice, 4, 0x7000, 100);
        p.add(EventKind::buf_set, 0, 0, 7, 0, 100, static_cast<std::uint64_t>(BufOps::user_page));
        p.add(EventKind::head_set, 0, 1);
        p.exit(0, Sys::vmsplice, 100);
        p.add(EventKind::store, 0, 7, offset, 4, 1);
        return p.found();
    };
    REQUIRE(rule(run(96), "stored_in_ring"));
    CHECK(rule(run(96), "stored_in_ring")->events == std::vector<std::uint64_t>{17});
    CHECK_FALSE(rule(run(100), "stored_in_ring"));
}

TEST_CASE("findings: how calls end, and who else writes") {
    Pair p("bpf", 16, F_write | F_nonblock);
    p.task(2, "v", 4, F_write);
    p.call(0, Sys::write, 100, 60);
    CHECK(has(rule(p.found(), "cut_short"), "the first 60 of 100: the descriptor is non-blocking"));
    p.call(1, Sys::read, 100, 60); // a read that gets less is nothing special
    p.enter(0, Sys::write, 4, 0, 10000);
    p.enter(2, Sys::write, 4, 0, 100);
    p.exit(2, Sys::write, 100);
    p.exit(0, Sys::write, 10000);
    CHECK(has(rule(p.found(), "several_writers"), "2 tasks write into it (w 9.82 KiB, v 100 bytes). 1 write was longer than 4096"));
    p.call(0, Sys::write, 5, -32);
    CHECK(has(rule(p.found(), "sigpipe"), "That was its last call"));
    p.call(0, Sys::write, 5, -32);
    CHECK(has(rule(p.found(), "sigpipe"), "(2 times)"));
    CHECK(has(rule(p.found(), "cut_short"), "1 write by w"));
    Pair q;
    q.call(1, Sys::splice, 5, -32); // broken is what it spliced to
    CHECK_FALSE(rule(q.found(), "sigpipe"));
}

TEST_CASE("findings: any events at all") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Pair p;
        for (const Event& e : arbitrary_of_few(3000, seed)) p.trace.events.push_back(e);
        for (const Finding& f : p.found()) {
            CHECK(!f.text.empty());
            for (const std::uint64_t n : f.events) CHECK((n >= 1 && n <= p.trace.events.size()));
        }
    }
}

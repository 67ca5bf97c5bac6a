// SPDX-License-Identifier: MIT
// The figures of a run: slots by owner, bytes that left, and where each task's time went.
#include "sim/recording/summary.hpp"
#include "sim/live/world.hpp"
#include "core/state.hpp"
#include "tests/hand_run.hpp"
#include "tests/recording_events.hpp"
#include <doctest/doctest.h>

using namespace pipescope;
using namespace pipescope::test;

TEST_CASE("summary: nothing is invented for an empty run") {
    const Summary s = summarize({});
    CHECK(s.events == 0);
    CHECK_FALSE(s.duration_ns);
    CHECK_FALSE(s.bytes);
    CHECK_FALSE(s.gib_per_s);
    CHECK(s.tasks.empty());
    CHECK(s.pipes.empty());
    Run r;
    r.pipe(16);
    r.task(0, "alone");
    const Summary t = summarize(r.trace);
    CHECK_FALSE(t.bytes);
    CHECK_FALSE(t.gib_per_s);
    CHECK_FALSE(t.tasks.at(0).times.user);
}

TEST_CASE("summary: every filling of a slot is counted once, however often it is seen") {
    Run r;
    r.pipe(4);
    r.task(0, "writer");
    const auto page_of = [](std::uint32_t i) { return PageId{2} + (i & 1); };
    r.page(2, PageOwner::user, seen_by_bpf | seen_by_pfn);
    r.add(EventKind::page_user, 0, 2, 0, 0);
    r.page(3, PageOwner::user, seen_by_bpf | seen_by_pfn);
    r.add(EventKind::page_user, 0, 3, 0, 1);
    // The pipe had seen 0xfffffffc slots before: the index wraps on the way.
    const std::uint32_t h = 0xfffffffe;
    r.ring(h, h - 2, 4, page_of, BufOps::user_page);
    r.ring(h, h - 1, 4, page_of, BufOps::user_page);           // one consumed, none new
    r.ring(h + 3, h - 1, 4, page_of, BufOps::user_page);       // three new
    r.ring(h + 4, h + 1, 4, page_of, BufOps::user_page, true); // torn: not to be trusted
    r.ring(h + 9, h + 6, 4, page_of, BufOps::user_page);       // six new, of which three are already gone
    const Summary s = summarize(r.trace);
    const SlotCounts& c = s.pipes.at(0).slots;
    CHECK(c.user == 2 + 3 + 3);
    CHECK(c.unseen == 3);
    CHECK(c.seen() == c.user);
    CHECK(c.by_frame == c.user);
    CHECK(s.pipes[0].user_pages_of == "writer");
    CHECK(s.pipes[0].snapshots == 5);
    CHECK(s.pipes[0].torn == 1);
}

TEST_CASE("summary: owners by page, and by kind of slot where the page tells nothing") {
    Run r;
    r.pipe(8);
    r.add(EventKind::ring_source, no_id, static_cast<std::uint32_t>(RingSource::kernel));
    r.task(0, "writer");
    const PageOwner owners[] = {PageOwner::kernel, PageOwner::user, PageOwner::page_cache, PageOwner::zero, PageOwner::socket, PageOwner::unknown};
    for (PageId i = 0; i < 6; ++i) r.page(10 + i, owners[i], seen_by_bpf);
    r.ring(
        6, 0, 8, [](std::uint32_t i) { return PageId{10} + i; }, BufOps::unknown);
    r.ring(
        8, 6, 8, [](std::uint32_t) { return PageId{15}; }, BufOps::user_page);
    const SlotCounts c = summarize(r.trace).pipes.at(0).slots;
    CHECK(c.kernel == 1);
    CHECK(c.user == 3);
    CHECK(c.page_cache == 1);
    CHECK(c.zero == 1);
    CHECK(c.socket == 1);
    CHECK(c.unknown == 1);
    CHECK(c.by_slot_kind == 7);
    CHECK(c.by_frame == 0);
}

TEST_CASE("summary: slots of the model, head advanced after or before the slot is filled") {
    StringTable strings;
    Trace t;
    t.meta.capture = "model";
    t.events = written_by_model(3000, strings);
    std::uint64_t set = 0, read = 0;
    for (const Event& e : t.events) {
        set += e.kind == EventKind::buf_set;
        if (e.kind == EventKind::sys_exit && e.a == static_cast<std::uint32_t>(Sys::read)) read += e.x;
    }
    const auto look = [&] {
        t.strings = strings;
        const Summary s = summarize(t);
        CHECK(s.pipes.at(0).slots.kernel == set);
        CHECK(s.pipes[0].slots.seen() == set);
        CHECK(s.pipes[0].slots.by_model == set);
        CHECK(s.bytes == read);
        CHECK(s.refused == 0);
        std::uint64_t first = 0, last = 0;
        for (const Event& e : t.events) {
            if (e.kind == EventKind::sys_enter && !first) first = e.t_ns;
            if (e.kind == EventKind::sys_exit || e.kind == EventKind::sys_enter) last = e.t_ns;
        }
        const double gib = static_cast<double>(read) / (1u << 30) / (static_cast<double>(last - first) * 1e-9);
        CHECK(*s.gib_per_s == doctest::Approx(gib));
    };
    look();
    for (std::size_t i = 1; i < t.events.size(); ++i)
        if (t.events[i].kind == EventKind::head_set) std::swap(t.events[i - 1], t.events[i]);
    look();
}

TEST_CASE("summary: time by task") {
    Run r;
    r.pipe(16);
    r.task(0, "w", 3, F_write);
    r.now = 10, r.enter(0, Sys::write);                                          // what was before counts for nothing
    r.now = 15, r.add(EventKind::mutex_wait, 0, 1);                              // 5 in the call
    r.now = 18, r.state(0, RunState::lock_spin);                                 // waits for the lock already
    r.now = 22, r.add(EventKind::mutex_leave, 0), r.state(0, RunState::running); // 7
    r.now = 30, r.state(0, RunState::sleep, WaitFor::space);                     // 8 in the call
    r.now = 130, r.state(0, RunState::runnable);                                 // 100
    r.now = 133, r.state(0, RunState::running);                                  // 3 in the call, waiting for a CPU
    r.now = 140, r.exit(0, Sys::write, 4096);                                    // 7
    r.now = 200, r.enter(0, Sys::read);                                          // 60
    r.now = 201, r.state(0, RunState::sleep, WaitFor::data);                     // 1
    r.now = 221, r.state(0, RunState::sleep);                                    // 20; then a page fault
    r.now = 231, r.exit(0, Sys::read, -11);                                      // 10 in the call
    r.now = 240, r.add(EventKind::task_exit, 0);                                 // nor does what comes after
    r.now = 1000, r.add(EventKind::lost).x = 7;
    r.add(EventKind::note, 0, r.trace.strings.intern(again_note)).x = 5;
    r.add(EventKind::note, 0, r.trace.strings.intern("something else")).x = 50;
    const Summary s = summarize(r.trace);
    const TaskTimes& t = s.tasks.at(0).times;
    CHECK(*t.user == 60);
    CHECK(*t.in_call == 5 + 8 + 3 + 7 + 1 + 10);
    CHECK(*t.lock_wait == 7);
    CHECK(*t.sleep_space == 100);
    CHECK(*t.sleep_data == 20);
    CHECK(*t.runnable == 3);
    CHECK(*t.user + *t.in_call + *t.lock_wait + *t.sleep_space + *t.sleep_data == 231 - 10);
    CHECK(s.active_ns == 231 - 10);
    CHECK(s.duration_ns == 1000);
    CHECK(s.lost == 7);
    CHECK(s.calls_left_out == 5);
    CHECK(s.tasks[0].calls == 2);
    CHECK(s.tasks[0].pid == 100);
}

TEST_CASE("summary: a capture of calls alone knows nothing of sleeps and locks") {
    Run r("syscalls");
    r.pipe(16);
    r.task(0, "w", 3, F_write);
    r.now = 10, r.enter(0, Sys::write);
    r.now = 30, r.exit(0, Sys::write, 4096);
    const Summary s = summarize(r.trace);
    const TaskTimes& t = s.tasks.at(0).times;
    CHECK(t.user == 0);
    CHECK(t.in_call == 20);
    CHECK_FALSE(t.lock_wait);
    CHECK_FALSE(t.sleep_space);
    CHECK_FALSE(t.sleep_data);
    CHECK_FALSE(t.runnable);
    CHECK(s.bytes == 0); // known: nothing was read
}

TEST_CASE("summary: what leaves a pipe is what its takers got") {
    Run r;
    r.pipe(16);
    r.task(0, "writer", 4, F_write);
    r.task(1, "reader", 3, F_read);
    r.task(2, "stranger"); // its descriptors are not known
    const auto call = [&](TaskId t, Sys sys, std::uint32_t fd, std::int64_t result) {
        ++r.now;
        r.enter(t, sys, fd);
        ++r.now;
        r.exit(t, sys, result);
    };
    call(0, Sys::write, 4, 100);
    call(0, Sys::vmsplice, 4, 200);
    call(0, Sys::close, 4, 0);
    call(1, Sys::read, 3, 10);
    call(1, Sys::readv, 3, 20);
    call(1, Sys::splice, 3, 30);
    call(1, Sys::vmsplice, 3, 40);
    call(1, Sys::tee, 3, 1000);
    call(1, Sys::read, 3, -11);
    call(1, Sys::read, 3, 0);
    call(2, Sys::splice, 9, 5);
    CHECK(summarize(r.trace).bytes == 10 + 20 + 30 + 40 + 5);
    call(2, Sys::write, 9, 1); // so its splice, too, went in
    CHECK(summarize(r.trace).bytes == 10 + 20 + 30 + 40);
}

TEST_CASE("summary: of a sampled run what was counted between the samples counts") {
    Run r;
    r.pipe(16);
    r.task(0, "w", 4, F_write);
    r.task(1, "r", 3, F_read);
    for (const TaskId t : {TaskId{0}, TaskId{1}}) {
        Event& e = r.add(EventKind::note, t, r.trace.strings.intern(sample_note));
        e.x = 10, e.y = 1000;
    }
    r.add(EventKind::note, 1, r.trace.strings.intern(allocs_note)).y = 5;
    const Summary s = summarize(r.trace);
    CHECK(s.bytes == 1000);
    CHECK(s.tasks[0].calls == 10);
    CHECK(s.tasks[1].bytes == 1000);
}

TEST_CASE("summary: any events at all") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Trace t;
        StringTable strings;
        t.events = written_by_model(50, strings, seed);
        for (Event e : arbitrary_of_few(3000, seed)) {
            e.t_ns += t.events[49].t_ns;
            t.events.push_back(e);
        }
        const Summary s = summarize(t);
        CHECK(s.events == t.events.size());
    }
}

// SPDX-License-Identifier: MIT
// The ring inferred from results of calls: the kernel's rules, and calls that had moved bytes before they returned.
#include "core/describe.hpp"
#include "sim/live/infer.hpp"
#include <doctest/doctest.h>
#include <tuple>
#include <algorithm>
#include <random>

using namespace pipescope;

namespace {

constexpr TaskId writer = 0, reader = 1;
constexpr std::uint64_t buffer = 0x10000;

// Calls as a test writes them down; time is the order of the lines.
struct Story {
    std::vector<Event> out;
    RingInference ring;
    State state;
    StringTable names;
    std::uint64_t t = 0;
    std::vector<InferredCall> open{2};
    bool refused = false;

    explicit Story(std::uint32_t slots) : ring(0, slots, {buffer, 0}, 0, out) {
        Event pipe;
        pipe.kind = EventKind::pipe_new, pipe.pipe = 0, pipe.a = slots;
        apply(state, pipe);
        for (TaskId task : {writer, reader}) {
            Event e;
            e.kind = EventKind::task_new, e.task = task, e.a = names.intern(task == writer ? "w" : "r");
            apply(state, e);
        }
    }
    void enter(TaskId task, Sys sys, std::uint64_t asked, std::int64_t result, std::uint64_t addr = buffer) {
        InferredCall c;
        c.task = task;
        c.call.sys = sys, c.call.len = asked, c.call.result = result, c.call.addr = addr;
        open[task] = c;
        ring.enter(c, ++t);
        fold();
    }
    void exit(TaskId task, std::uint32_t queued = no_id) {
        open[task].call.queued = queued;
        ring.exit(open[task], ++t, queued != no_id);
        fold();
    }
    void call(TaskId task, Sys sys, std::uint64_t asked, std::int64_t result, std::uint64_t addr = buffer) {
        enter(task, sys, asked, result, addr);
        exit(task);
    }
    void write(std::uint64_t n) { call(writer, Sys::write, n, static_cast<std::int64_t>(n)); }
    void read(std::uint64_t n) { call(reader, Sys::read, n, static_cast<std::int64_t>(n)); }
    void fold() {
        for (const Event& e : out) refused = !apply(state, e) || refused;
        out.clear();
    }
    std::string text() { return ring_string(state, names, 0); }
};

} // namespace

TEST_CASE("infer: writes merge as pipe_write merges") {
    Story s(16);
    s.write(100);
    s.write(200);
    CHECK(s.text() == "head=1 tail=0 | 0:k1@0+300 M");
    s.write(4096); // no remainder: nothing to merge
    CHECK(s.text() == "head=2 tail=0 | 0:k1@0+300 M | 1:k2@0+4096 M");
    s.write(4106); // the last slot is full
    CHECK(s.text() == "head=4 tail=0 | 0:k1@0+300 M | 1:k2@0+4096 M | 2:k3@0+4096 M | 3:k4@0+10 M");
    s.write(4106); // its 10 bytes over a page do fit
    CHECK(s.text() == "head=5 tail=0 | 0:k1@0+300 M | 1:k2@0+4096 M | 2:k3@0+4096 M | 3:k4@0+20 M | 4:k5@0+4096 M");
    CHECK(!s.refused);
}

TEST_CASE("infer: vmsplice takes a slot for each piece of a page and never merges") {
    Story s(16);
    s.call(writer, Sys::vmsplice, 100, 100, buffer);
    s.call(writer, Sys::vmsplice, 100, 100, buffer + 100);
    s.call(writer, Sys::vmsplice, 5000, 5000, buffer + 4000);
    CHECK(s.text() == "head=5 tail=0 | 0:w[0]@0+100 | 1:w[0]@100+100 | 2:w[0]@4000+96 | 3:w[1]@0+4096 | 4:w[2]@0+808");
    s.write(50); // behind a user page nothing is merged
    CHECK(s.text().ends_with("| 5:k1@0+50 M"));
    CHECK(s.state.pages[2].seen == seen_inferred);
    CHECK(!s.refused);
}

TEST_CASE("infer: read takes from the tail and leaves the rest of a slot") {
    Story s(16);
    s.write(4096);
    s.write(4096);
    s.read(5000);
    CHECK(s.text() == "head=2 tail=1 | 1:k1@904+3192 M");
    s.read(3192);
    CHECK(s.text() == "head=2 tail=2");
    CHECK(s.state.pipes[0].bufs[1].ops == BufOps::null);
    CHECK(s.state.pipes[0].bufs[1].offset == 4096); // stale, as the kernel leaves it
    CHECK(!s.refused);
}

TEST_CASE("infer: a read that got more than was queued took it from a write still inside") {
    Story s(16);
    s.enter(writer, Sys::write, 40960, 40960);
    CHECK(s.state.pipes[0].empty()); // nothing shows yet that any of it moved
    s.call(reader, Sys::read, 65536, 8192);
    CHECK(s.text() == "head=2 tail=2");
    s.exit(writer);
    CHECK(s.state.pipes[0].bytes() == 32768);
    CHECK(s.state.pipes[0].head == 10);
    CHECK(!s.refused);
}

TEST_CASE("infer: a write of more than fits took the room from a read still inside") {
    Story s(4);
    for (int i = 0; i < 4; ++i) s.write(4096);
    s.enter(reader, Sys::read, 12288, 12288);
    CHECK(s.state.pipes[0].full());
    s.call(writer, Sys::write, 8192, 8192);
    CHECK(s.state.pipes[0].head == 6);
    CHECK(s.state.pipes[0].tail == 2); // two slots' worth of room and not more
    s.exit(reader);
    CHECK(s.state.pipes[0].tail == 3);
    CHECK(!s.refused);
}

TEST_CASE("infer: what FIONREAD said settles how far calls still inside had come") {
    Story s(16);
    s.enter(writer, Sys::write, 65536, 65536);
    s.enter(reader, Sys::read, 4096, 4096);
    s.exit(reader, 20480); // five more pages lay there
    CHECK(s.state.pipes[0].bytes() == 20480);
    CHECK(s.state.pipes[0].observed_bytes == 20480);
    s.exit(writer, 61440);
    CHECK(s.state.pipes[0].bytes() == 61440);
    CHECK(!s.refused);
}

TEST_CASE("infer: an observation after something else happened is told at its own time") {
    std::vector<InferredCall> calls(2);
    calls[0].task = writer;
    calls[0].call = {.enter_ns = 100, .exit_ns = 200, .addr = buffer, .len = 4096, .result = 4096, .sys = Sys::write, .queued = 0, .observed_ns = 260};
    calls[1].task = reader;
    calls[1].call = {.enter_ns = 220, .exit_ns = 300, .len = 4096, .result = 4096, .sys = Sys::read, .queued = 0, .observed_ns = 310};
    std::vector<Event> out;
    RingInference ring(0, 16, {buffer, 0}, 0, out);
    infer_events(calls, ring, 100, [] {});
    std::vector<std::pair<EventKind, std::uint64_t>> seen;
    for (const Event& e : out)
        if (e.kind == EventKind::sys_exit || e.kind == EventKind::observed || e.kind == EventKind::tail_set) seen.emplace_back(e.kind, e.t_ns);
    const std::vector<std::pair<EventKind, std::uint64_t>> expected = {{EventKind::sys_exit, 100}, {EventKind::tail_set, 160},
        {EventKind::observed, 160}, {EventKind::observed, 200}, {EventKind::sys_exit, 200}};
    CHECK((seen == expected));
}

TEST_CASE("infer: a reader's sleep is told at the call's begin, a writer's in its middle, both as inferred") {
    std::vector<InferredCall> calls(3);
    calls[0].task = reader;
    calls[0].call = {.enter_ns = 100, .exit_ns = 200, .len = 4096, .result = 4096, .sys = Sys::read, .sleeps = 3, .asleep_ns = 70};
    calls[1].task = writer;
    calls[1].call = {.enter_ns = 110, .exit_ns = 210, .addr = buffer, .len = 8192, .result = 8192, .sys = Sys::write, .sleeps = 1, .asleep_ns = 60};
    calls[2].task = writer; // its time on a CPU is not finer than the call: asleep throughout, and no longer
    calls[2].call = {.enter_ns = 300, .exit_ns = 320, .addr = buffer, .len = 4096, .result = 4096, .sys = Sys::write, .sleeps = 1, .asleep_ns = 90};
    std::vector<Event> out;
    RingInference ring(0, 16, {buffer, 0}, 0, out);
    infer_events(calls, ring, 100, [] {});
    std::vector<std::tuple<TaskId, std::uint32_t, std::uint32_t, std::uint64_t>> seen;
    std::uint64_t last = 0;
    for (const Event& e : out) {
        CHECK(e.t_ns >= last);
        last = e.t_ns;
        if (e.kind != EventKind::run_state) continue;
        CHECK(e.c == 1);
        seen.emplace_back(e.task, e.a, e.b, e.t_ns);
    }
    const auto sleep = static_cast<std::uint32_t>(RunState::sleep), runs = static_cast<std::uint32_t>(RunState::running);
    const auto data = static_cast<std::uint32_t>(WaitFor::data), space = static_cast<std::uint32_t>(WaitFor::space);
    const decltype(seen) expected = {{reader, sleep, data, 0}, {writer, sleep, space, 30}, {reader, runs, 0, 70}, {writer, runs, 0, 90}, {writer, sleep, space, 200},
        {writer, runs, 0, 220}};
    CHECK((seen == expected));
}

TEST_CASE("infer: results that no history explains never break the ring") {
    Story s(4);
    s.call(writer, Sys::write, 40960, 40960); // ten pages into four slots, and nobody reads
    CHECK(s.state.pipes[0].occupancy() == 4);
    s.call(reader, Sys::read, 65536, 40960);
    CHECK(s.state.pipes[0].empty());
    s.call(reader, Sys::read, 4096, 4096); // nobody wrote that
    CHECK(s.state.pipes[0].empty());
    s.write(4096);
    CHECK(s.state.pipes[0].occupancy() <= 4);
    CHECK(!s.refused);
}

TEST_CASE("infer: calls that failed move nothing") {
    Story s(16);
    s.write(10);
    s.call(writer, Sys::write, 4096, -EAGAIN);
    s.call(reader, Sys::read, 4096, 0);
    CHECK(s.text() == "head=1 tail=0 | 0:k1@0+10 M");
    CHECK(s.state.tasks[reader].calls == 1);
}

TEST_CASE("infer: any overlap of calls keeps 0 <= head - tail <= ring_size and ends empty") {
    for (unsigned seed = 1; seed <= 40; ++seed) {
        std::mt19937 random(seed);
        Story s(1u << random() % 6);
        std::uint64_t ahead = 0; // written by calls that have begun, not yet read by calls that have begun
        bool inside[2] = {};
        for (int step = 0; step < 400; ++step) {
            const TaskId task = random() % 2;
            if (inside[task]) {
                s.exit(task);
                inside[task] = false;
            } else if (const std::uint64_t n = 1 + random() % 20000; task == writer) {
                s.enter(writer, random() % 2 ? Sys::write : Sys::vmsplice, n, static_cast<std::int64_t>(n), buffer + random() % 5000);
                ahead += n;
                inside[task] = true;
            } else if (ahead) {
                const std::uint64_t got = std::min(ahead, n);
                s.enter(reader, Sys::read, n, static_cast<std::int64_t>(got));
                ahead -= got;
                inside[task] = true;
            }
            REQUIRE(s.state.pipes[0].occupancy() <= s.state.pipes[0].ring_size);
        }
        for (const TaskId task : {writer, reader})
            if (inside[task]) s.exit(task);
        if (ahead) s.read(ahead);
        CHECK(s.ring.bytes() == 0);
        CHECK(s.state.pipes[0].empty());
        CHECK(!s.refused);
    }
}

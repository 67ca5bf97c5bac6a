// SPDX-License-Identifier: MIT
// Commands of others, recorded in this process by either capture: status, tasks, bytes, and rings that hold what was moved.
#include "core/state.hpp"
#include "sim/live/record_command.hpp"
#include "sim/live/world.hpp"
#include "tests/live_rig.hpp"
#include <doctest/doctest.h>
#include <algorithm>
#include <utility>

using namespace pipescope;

namespace {

struct CommandRun {
    Trace trace;
    RecordSummary summary;
    std::string error;
    int status = -1;
    bool ok = false;
    State state;
    std::size_t refused = 0, backwards = 0, rings = 0, wrong = 0, observed = 0;

    CommandRun(std::vector<std::string> argv, CaptureChoice capture, Sampling sampling = {}) {
        CommandOptions o;
        o.argv = std::move(argv), o.capture = capture, o.sampling = sampling;
        const RecordTarget target = target_of(trace);
        ok = record_command(o, target, summary, status, error);
        std::uint64_t last = 0;
        for (const Event& e : trace.events) {
            backwards += e.t_ns < last;
            last = e.t_ns;
            refused += !apply(state, e);
            rings += e.kind == EventKind::ring_end;
            if (e.kind != EventKind::observed || e.a == no_id) continue;
            ++observed;
            wrong += state.pipes[e.pipe].bytes() != e.a;
        }
    }
    const Task* named(const char* name) const {
        const auto t = std::find_if(state.tasks.begin(), state.tasks.end(), [&](const Task& task) { return trace.strings[task.name] == name; });
        return t == state.tasks.end() ? nullptr : &*t;
    }
};

void check_pipeline(const CommandRun& r) {
    CHECK(r.error.empty());
    REQUIRE(r.ok);
    CHECK(r.status == 3);
    CHECK(r.refused == 0);
    CHECK(r.backwards == 0);
    CHECK(r.summary.lost == 0);
    CHECK(r.summary.events == r.trace.events.size());
    const Task *head = r.named("head"), *wc = r.named("wc");
    REQUIRE(head);
    REQUIRE(wc);
    CHECK(head->bytes == 2'000'000);
    CHECK(wc->bytes == 2'000'000);
    CHECK(head->run == RunState::exited);
    CHECK(r.named("sh") == nullptr); // it only handed the ends on
    CHECK(r.state.pipes[wc->pipe].empty());
}

const std::vector<std::string> pipeline = {"sh", "-c", "head -c 2000000 /dev/zero | wc -c >/dev/null; exit 3"};

} // namespace

TEST_CASE("command: a pipeline, its rings read from the kernel") {
    const CommandRun r(pipeline, CaptureChoice::bpf);
    if (!permitted(r)) return;
    check_pipeline(r);
    CHECK(r.trace.meta.capture.starts_with("bpf"));
    CHECK(r.rings > 100);
    CHECK(r.state.pipes[r.named("wc")->pipe].source == RingSource::kernel);
}

TEST_CASE("command: the same without privileges, its rings inferred") {
    const CommandRun r(pipeline, CaptureChoice::syscalls);
    check_pipeline(r);
    CHECK(r.trace.meta.capture == "syscalls");
    CHECK(r.rings == 0);
    CHECK(r.state.pipes[r.named("wc")->pipe].source == RingSource::inferred);
    CHECK(r.observed > 100);
    CHECK(r.wrong * 10 < r.observed); // others move on between a call's end and the look
}

namespace {

struct Slept { // of one task, as the events tell it
    std::size_t times = 0, inferred = 0, outside = 0; // outside: of a call
    std::uint64_t ns = 0;
    std::vector<WaitFor> why;
};
Slept sleeps_of(const CommandRun& r, const char* name) {
    Slept out;
    const Task* const task = r.named(name);
    REQUIRE(task);
    const auto id = static_cast<TaskId>(task - r.state.tasks.data());
    std::uint64_t since = 0;
    bool inside = false, asleep = false;
    for (const Event& e : r.trace.events) {
        if (e.task != id) continue;
        if (e.kind == EventKind::sys_enter) inside = true;
        if (e.kind != EventKind::run_state && e.kind != EventKind::sys_exit) continue;
        if (std::exchange(asleep, false)) out.ns += e.t_ns - since;
        if (e.kind == EventKind::sys_exit) inside = false;
        else if (e.a == static_cast<std::uint32_t>(RunState::sleep)) {
            asleep = true, since = e.t_ns;
            ++out.times, out.inferred += e.c == 1, out.outside += !inside;
            out.why.push_back(static_cast<WaitFor>(e.b));
        }
    }
    return out;
}

} // namespace

TEST_CASE("command: without privileges a reader's sleep is inferred, and lasts as long as nothing came") {
    const CommandRun r({"sh", "-c", "(sleep 0.3; echo a) | cat >/dev/null"}, CaptureChoice::syscalls);
    CHECK(r.refused == 0);
    CHECK(r.backwards == 0);
    const Slept cat = sleeps_of(r, "cat");
    REQUIRE(cat.times >= 1); // and perhaps for the end of file
    CHECK(cat.times <= 2);
    CHECK(cat.inferred == cat.times);
    CHECK(cat.outside == 0);
    for (const WaitFor w : cat.why) CHECK(w == WaitFor::data);
    CHECK(cat.ns > 50'000'000);
    CHECK(cat.ns < r.trace.events.back().t_ns);
    CHECK(sleeps_of(r, "sh").times == 0); // who wrote into a pipe that has room
}

TEST_CASE("command: without privileges a writer's sleep is for space") {
    const CommandRun r({"sh", "-c", "dd if=/dev/zero bs=128K count=1 2>/dev/null | (sleep 0.3; cat >/dev/null)"}, CaptureChoice::syscalls);
    const Slept dd = sleeps_of(r, "dd");
    REQUIRE(dd.times == 1); // one call, whose sleeps are told as one
    CHECK(dd.why[0] == WaitFor::space);
    CHECK(dd.inferred == 1);
    CHECK(dd.ns > 50'000'000);
}

TEST_CASE("command: a stop by the tracer is not taken for a sleep") {
    const CommandRun r({"sh", "-c", "head -c 60000 /dev/zero | (sleep 0.3; dd bs=1000 of=/dev/null 2>/dev/null)"}, CaptureChoice::syscalls);
    const Task* const dd = r.named("dd");
    REQUIRE(dd);
    CHECK(dd->calls >= 60);
    CHECK(sleeps_of(r, "dd").times == 0); // all is there, and then the end
    CHECK(sleeps_of(r, "head").times == 0);
}

TEST_CASE("command: who sleeps for long is told to sleep from the beginning of the call") {
    const CommandRun r({"sh", "-c", "sleep 1.8 | cat"}, CaptureChoice::syscalls);
    CHECK(r.backwards == 0);
    const Slept cat = sleeps_of(r, "cat");
    CHECK(cat.times == 1);
    CHECK(cat.inferred == 1);
    std::uint64_t entered = 0, asleep = 0;
    for (const Event& e : r.trace.events) {
        if (e.kind == EventKind::sys_enter && static_cast<Sys>(e.a) == Sys::read) entered = e.t_ns;
        if (e.kind == EventKind::run_state && e.a == static_cast<std::uint32_t>(RunState::sleep)) asleep = e.t_ns;
    }
    CHECK(entered == asleep);
    CHECK(cat.ns > 1'000'000'000);
}

TEST_CASE("command: sampled, every call and byte is counted") {
    const CommandRun r(pipeline, CaptureChoice::bpf, {50, 0, 0});
    if (!permitted(r)) return;
    CHECK(r.status == 3);
    CHECK(r.refused == 0);
    CHECK(r.summary.bytes == 2'000'000);
    std::uint64_t calls = 0, moved = 0;
    for (const Event& e : r.trace.events)
        if (e.kind == EventKind::note && r.trace.strings[e.a] == sample_note) calls += e.x, moved += e.y;
    CHECK(moved == 2 * 2'000'000);
    CHECK(calls >= 2 * 2'000'000 / 65536);
    CHECK(r.summary.records < calls);
}

TEST_CASE("command: what cannot be run is one sentence that names it") {
    for (const CaptureChoice capture : {CaptureChoice::bpf, CaptureChoice::syscalls}) {
        const CommandRun r({"no-such-program-anywhere"}, capture);
        CHECK(!r.ok);
        CHECK(r.error == "no-such-program-anywhere: no such command");
        CHECK(r.trace.events.empty());
    }
}

// SPDX-License-Identifier: MIT
// Commands of others, recorded in this process by either capture: status, tasks, bytes, and rings that hold what was moved.
#include "core/state.hpp"
#include "sim/live/record_command.hpp"
#include "sim/live/world.hpp"
#include "tests/live_rig.hpp"
#include <doctest/doctest.h>
#include <algorithm>

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

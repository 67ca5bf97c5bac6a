// SPDX-License-Identifier: MIT
// Real recordings of a real writer and reader, small ones, folded event by event.
#include "sim/live/record.hpp"
#include "sim/beside/beside.hpp"
#include "core/state.hpp"
#include <array>
#include "tests/live_rig.hpp"
#include <doctest/doctest.h>

using namespace pipescope;

namespace {

struct Recorded {
    Trace trace;
    RecordSummary summary;
    std::string error;
    bool ok = false;

    State state;
    std::size_t refused = 0, backwards = 0;
    std::array<std::uint64_t, 8> slots_by_owner{}; // told of, torn rings left out
    std::uint64_t observed = 0, wrong = 0;         // what FIONREAD said before anything else happened; inferred rings that disagree

    explicit Recorded(const PairOptions& pair, CaptureChoice capture) {
        RecordOptions o;
        o.pair = pair;
        o.capture = capture;
        const RecordTarget target = target_of(trace);
        ok = record_pair(o, target, summary, error);
        fold();
    }
    void fold() {
        std::uint64_t last = 0;
        for (std::size_t i = 0; i < trace.events.size(); ++i) {
            const Event& e = trace.events[i];
            if (e.t_ns < last) ++backwards;
            last = e.t_ns;
            if (!apply(state, e)) ++refused;
            if (e.kind == EventKind::observed && i + 1 < trace.events.size() && trace.events[i + 1].kind == EventKind::sys_exit) {
                ++observed;
                if (e.a != state.pipes[0].bytes()) ++wrong;
            }
            if ((e.kind == EventKind::ring_slot && !state.pipes[0].incoming.torn) || e.kind == EventKind::buf_set)
                ++slots_by_owner[static_cast<std::size_t>(state.pages[e.b].owner)];
        }
    }
    std::uint64_t slots(PageOwner o) const { return slots_by_owner[static_cast<std::size_t>(o)]; }
};

constexpr std::uint64_t mib = 1 << 20;

void check_run(const Recorded& r, std::uint64_t bytes) {
    CHECK(r.error.empty());
    REQUIRE(r.ok);
    CHECK(r.refused == 0);
    CHECK(r.backwards == 0);
    CHECK(r.summary.lost == 0);
    CHECK(r.summary.bytes == bytes);
    CHECK(r.summary.events == r.trace.events.size());
    REQUIRE(r.state.tasks.size() == 2);
    CHECK(r.trace.strings[r.state.tasks[0].name] == "writer");
    CHECK(r.state.tasks[0].bytes == bytes);
    CHECK(r.state.tasks[1].bytes == bytes);
    CHECK(r.state.tasks[1].run == RunState::exited);
    CHECK(r.state.pipes[0].empty());
    CHECK(r.state.pipes[0].inode != 0);
    CHECK(r.trace.meta.start_unix_ns != 0);
    CHECK(!r.trace.meta.kernel.empty());
}

// False, and said so, where this user or kernel has no BPF.
} // namespace

TEST_CASE("record: the model beside the kernel agrees, and one forged length is found") {
    PairOptions pair;
    pair.bytes = 4 * mib;
    Recorded r(pair, CaptureChoice::bpf);
    if (!permitted(r)) return;
    const BesideReport honest = compare_beside(r.trace);
    INFO(std::string(honest.first ? honest.first->text : ""));
    CHECK_FALSE(honest.first);
    CHECK(honest.rings > 20);
    CHECK(honest.results > 20);
    // Not the first of a ring and not the last: nobody may be at work in it. In the middle of the recording.
    std::size_t at = r.trace.events.size() / 2;
    const auto middle = [&](std::size_t i) {
        const auto& e = r.trace.events;
        return e[i - 1].kind == EventKind::ring_slot && e[i].kind == EventKind::ring_slot && e[i + 1].kind == EventKind::ring_slot;
    };
    while (at + 1 < r.trace.events.size() && !middle(at)) ++at;
    REQUIRE(at + 1 < r.trace.events.size());
    --r.trace.events[at].x; // its length
    while (r.trace.events[at].kind != EventKind::ring_end) ++at;
    const BesideReport forged = compare_beside(r.trace);
    REQUIRE(forged.first);
    CHECK(forged.first->event == at + 1);
    CHECK(forged.first->text.find("4095 bytes at offset 0") != std::string::npos);
}

TEST_CASE("record: vmsplice and splice, read from the kernel") {
    PairOptions pair;
    pair.vmsplice = pair.splice = true;
    pair.bytes = 16 * mib;
    const Recorded r(pair, CaptureChoice::bpf);
    if (!permitted(r)) return;
    check_run(r, pair.bytes);
    CHECK(r.trace.meta.capture.starts_with("bpf"));
    CHECK((r.trace.meta.capture == "bpf+fentry") == (r.trace.meta.capture_reason.find("times inside the calls") == std::string::npos));
    CHECK(r.state.pipes[0].source == RingSource::kernel);
    CHECK(r.slots(PageOwner::kernel) == 0);
    CHECK(r.slots(PageOwner::zero) == 0);
    if (r.summary.capture_reason.find("frame numbers") == std::string::npos) { // frame numbers are to be had: each slot is recognised
        CHECK(r.slots(PageOwner::user) > 1000);
        CHECK(r.slots(PageOwner::unknown) == 0);
        std::size_t pages = 0;
        for (const Page& p : r.state.pages)
            if (p.owner == PageOwner::user) {
                ++pages;
                CHECK(p.user_task == 0);
                CHECK((p.seen & seen_by_pfn) != 0);
            }
        CHECK(pages == 2 * pair.buffer / page_size); // both buffers and nothing else
    } else {
        MESSAGE("skipped: recognising pages: " << r.summary.capture_reason);
    }
}

TEST_CASE("record: write and read, read from the kernel") {
    PairOptions pair;
    pair.bytes = 16 * mib + 12345; // the last call is a short one
    const Recorded r(pair, CaptureChoice::bpf);
    if (!permitted(r)) return;
    check_run(r, pair.bytes);
    CHECK(r.slots(PageOwner::kernel) > 0);
    CHECK(r.slots(PageOwner::user) == 0);
    CHECK(r.slots(PageOwner::unknown) == 0);
    CHECK(r.state.tasks[0].sleeps > 0); // 64 writes of four rings each
}

TEST_CASE("record: without privileges the built-in pair's sleeps are counted all the same") {
    PairOptions pair;
    pair.bytes = 16 * mib;
    const Recorded r(pair, CaptureChoice::syscalls);
    check_run(r, pair.bytes);
    CHECK(r.state.tasks[0].sleeps > 0);
    for (const Event& e : r.trace.events)
        if (e.kind == EventKind::run_state) CHECK(e.c == 1); // inferred
}

TEST_CASE("record: huge pages show in the kernel's pages") {
    PairOptions pair;
    pair.vmsplice = pair.splice = pair.huge_page = true;
    pair.bytes = 4 * mib;
    const Recorded r(pair, CaptureChoice::bpf);
    if (!permitted(r)) return;
    check_run(r, pair.bytes);
    std::size_t huge = 0, small = 0;
    for (const Page& p : r.state.pages)
        if (p.owner == PageOwner::user) ++(p.order == pmd_order ? huge : small);
    if (huge + small == 0) MESSAGE("skipped: frame numbers are hidden from this user");
    else if (huge == 0) MESSAGE("skipped: the kernel gave no huge page");
    else CHECK(small == 0);
}

TEST_CASE("record: a busy loop tells of its idle calls by number") {
    PairOptions pair;
    pair.vmsplice = pair.splice = pair.busy_loop = true;
    pair.bytes = 16 * mib;
    for (const CaptureChoice capture : {CaptureChoice::bpf, CaptureChoice::syscalls}) {
        const Recorded r(pair, capture);
        if (!permitted(r)) continue;
        check_run(r, pair.bytes);
        // A call in which its task lost the CPU is told of whatever it gave.
        std::int64_t previous[2] = {};
        bool eventful[2] = {};
        std::size_t rows = 0;
        for (const Event& e : r.trace.events) {
            if (e.kind == EventKind::sys_enter) eventful[e.task] = false;
            if (e.kind == EventKind::run_state && e.task < 2) eventful[e.task] = true;
            if (e.kind != EventKind::sys_exit) continue;
            if (static_cast<std::int64_t>(e.x) == -EAGAIN && previous[e.task] == -EAGAIN && !eventful[e.task]) ++rows;
            previous[e.task] = static_cast<std::int64_t>(e.x);
        }
        CHECK(rows == 0);
    }
}

TEST_CASE("record: by the processes' own calls, the ring inferred") {
    for (const bool vmsplice : {true, false}) {
        PairOptions pair;
        pair.vmsplice = pair.splice = vmsplice;
        pair.bytes = 16 * mib;
        const Recorded r(pair, CaptureChoice::syscalls);
        check_run(r, pair.bytes);
        CHECK(r.trace.meta.capture == "syscalls");
        CHECK(!r.trace.meta.capture_reason.empty());
        CHECK(r.state.pipes[0].source == RingSource::inferred);
        CHECK(r.slots(vmsplice ? PageOwner::user : PageOwner::kernel) > 0);
        CHECK(r.slots(vmsplice ? PageOwner::kernel : PageOwner::user) == 0);
        CHECK(r.observed > 0); // how many, the schedule decides
        CHECK(r.wrong == 0);
    }
}

TEST_CASE("record: what cannot be is one sentence") {
    PairOptions pair;
    pair.pipe_size = std::uint64_t{1} << 31;
    const Recorded r(pair, CaptureChoice::syscalls);
    CHECK(!r.ok);
    CHECK(r.error.find("2147483648") != std::string::npos);
}

// SPDX-License-Identifier: MIT
// The model beside the kernel on recordings made by hand: agreement, a forged slot, a wrong result, and what cannot be known.
#include "sim/beside/beside.hpp"
#include "tests/hand_run.hpp"
#include "tests/recording_events.hpp"
#include <algorithm>
#include <doctest/doctest.h>

using namespace pipescope;
using namespace pipescope::test;

namespace {

struct Slot {
    std::uint32_t offset, len, flags = PIPE_BUF_FLAG_CAN_MERGE;
    BufOps ops = BufOps::anon;
};

// A writer, task 0, and a reader, task 1, on a pipe whose ring a kernel of 6.18 shows.
struct Recorded : Run {
    Recorded() {
        trace.meta.kernel = "6.18.44";
        pipe(16);
        add(EventKind::ring_source, no_id, static_cast<std::uint32_t>(RingSource::kernel));
        task(0, "w", 4, F_write);
        task(1, "r", 3, F_read);
    }
    void look(TaskId t, std::uint32_t tail, const std::vector<Slot>& slots, bool torn = false, bool at_entry = false) {
        now += !at_entry;
        add(EventKind::ring_begin, t, tail + static_cast<std::uint32_t>(slots.size()), tail, 16, 16, torn ? std::uint64_t{ring_torn} : 0);
        for (std::uint32_t i = 0; i < slots.size(); ++i)
            add(EventKind::ring_slot, t, (tail + i) & 15, 5 + i, slots[i].flags, std::uint64_t{slots[i].offset} << 32 | slots[i].len,
                static_cast<std::uint64_t>(slots[i].ops));
        add(EventKind::ring_end, t, 1, 1, no_id);
    }
    std::uint64_t here() const { return trace.events.size(); }
    void begin() { // the model needs a ring with nobody inside
        enter(0, Sys::write, 4, 0x1000, 5000);
        look(0, 0, {}, false, true);
    }
    BesideReport report() const { return compare_beside(trace); }
};

// Two writes, of which the second merges, and two reads.
void honest(Recorded& r, std::uint32_t merged = 1004) {
    r.begin();
    r.look(0, 0, {{0, 4096}, {0, 904}});
    r.exit(0, Sys::write, 5000);
    r.enter(0, Sys::write, 4, 0x1000, 100);
    r.look(0, 0, {{0, 4096}, {0, merged}});
    r.exit(0, Sys::write, 100);
    r.enter(1, Sys::read, 3, 0x9000, 5000);
    r.look(1, 1, {{904, 100}});
    r.exit(1, Sys::read, 5000);
    r.enter(1, Sys::read, 3, 0x9000, 5000);
    r.look(1, 2, {});
    r.exit(1, Sys::read, 100);
}

} // namespace

TEST_CASE("beside: an honest recording agrees ring by ring") {
    Recorded r;
    honest(r);
    const BesideReport b = r.report();
    CHECK_FALSE(b.first);
    CHECK(b.rings == 4);
    CHECK(b.results == 4);
    CHECK(b.resumed == 0);
}

TEST_CASE("beside: one forged length is found at its event, in words") {
    for (const std::uint32_t forged : {1003u, 1005u, 904u}) {
        CAPTURE(forged);
        Recorded r;
        honest(r, forged);
        const BesideReport b = r.report();
        REQUIRE(b.first);
        CHECK(r.trace.events[b.first->event - 1].kind == EventKind::ring_end);
        CHECK(r.trace.events[b.first->event].kind == EventKind::sys_exit);
        CHECK(r.trace.events[b.first->event].x == 100);
        CHECK(b.first->slot == 1);
        CHECK(b.first->kernel.ends_with("1:kernel@0+" + std::to_string(forged) + " M"));
        CHECK(b.first->model.ends_with("1:kernel@0+1004 M")); // after the turn of the call, as the text says
    }
    Recorded r; // the first of two: nobody can add to it any more
    r.begin();
    r.look(0, 0, {{0, 4095}, {0, 904}});
    const std::uint64_t at = r.here();
    r.exit(0, Sys::write, 5000);
    const BesideReport b = r.report();
    REQUIRE(b.first);
    CHECK(b.first->event == at);
    CHECK(b.first->pipe == 0);
    CHECK(b.first->text == "slot 0 holds a kernel page with 4095 bytes at offset 0, flags 0x10 in the kernel, a kernel page with 4096 bytes at offset 0, "
                           "flags 0x10 in the model");
}

TEST_CASE("beside: flags, kind and result") {
    const auto first = [](std::vector<Slot> slots, std::int64_t result) {
        Recorded r;
        r.begin();
        r.look(0, 0, slots);
        r.exit(0, Sys::write, result);
        return r.report().first;
    };
    CHECK_FALSE(first({{0, 4096}, {0, 904}}, 5000));
    CHECK(first({{0, 4096, 0}, {0, 904}}, 5000));
    CHECK(first({{0, 4096, PIPE_BUF_FLAG_CAN_MERGE, BufOps::user_page}, {0, 904}}, 5000));
    CHECK(first({{0, 4096}, {0, 904}}, 4999));
}

TEST_CASE("beside: a ring read in the midst of things, or after the next one's turn, is no divergence") {
    for (const bool marked : {true, false}) {
        Recorded r;
        r.begin();
        r.look(0, 0, {{0, 4096}, {0, 904}});
        r.exit(0, Sys::write, 5000);
        r.enter(1, Sys::read, 3, 0x9000, 100);
        r.enter(0, Sys::write, 4, 0x1000, 100);
        r.look(0, 0, {{0, 3996}, {0, 1004}}, marked); // the read has taken from the length, and not yet moved the offset
        r.exit(0, Sys::write, 100);
        r.look(1, 0, {{100, 3996}, {0, 1004}});
        r.exit(1, Sys::read, 100);
        const BesideReport b = r.report();
        CHECK_FALSE(b.first);
        CHECK(b.rings == 2);
        CHECK(b.late == !marked);
    }
    Recorded r;
    r.begin();
    r.look(0, 0, {{100, 3996}, {0, 904}}); // the reader, who enters now, has been there already
    r.exit(0, Sys::write, 5000);
    r.enter(1, Sys::read, 3, 0x9000, 100);
    ++r.now;
    r.exit(1, Sys::read, 100);
    const BesideReport b = r.report();
    CHECK_FALSE(b.first);
    CHECK(b.results == 2);
}

TEST_CASE("beside: the order of turns is the one that the rings allow") {
    // Writer and reader are both inside. The slot still has bytes when the write comes, so it is added to: the writer was first.
    for (const bool merged : {true, false}) {
        Recorded r;
        r.begin();
        r.look(0, 0, {{0, 4096}, {0, 904}});
        r.exit(0, Sys::write, 5000);
        r.enter(0, Sys::write, 4, 0x1000, 100);
        r.enter(1, Sys::read, 3, 0x9000, 5000);
        if (merged) r.look(0, 1, {{904, 100}});
        else r.look(0, 2, {{0, 100}});
        r.exit(0, Sys::write, 100);
        r.exit(1, Sys::read, 5000);
        const BesideReport b = r.report();
        CHECK_FALSE(b.first);
        CHECK(b.rings == 2);
        CHECK(b.results == 3);
    }
}

TEST_CASE("beside: a sleeping writer goes on when there is room") {
    Recorded r;
    r.enter(0, Sys::write, 4, 0x1000, 70000);
    r.look(0, 0, {}, false, true);
    r.state(0, RunState::sleep, WaitFor::space);
    r.enter(1, Sys::read, 3, 0x9000, 8192);
    r.look(1, 0, std::vector<Slot>(16, Slot{0, 4096}));
    std::vector<Slot> rest(14, Slot{0, 4096});
    r.look(1, 2, rest);
    r.exit(1, Sys::read, 8192);
    rest.push_back({0, 4096});
    rest.push_back({0, 70000 - 17 * 4096});
    r.state(0, RunState::running);
    rest.pop_back();
    rest.back() = {0, 4096};
    rest.push_back({0, 70000 - 17 * 4096});
    r.look(0, 2, rest);
    r.exit(0, Sys::write, 70000);
    const BesideReport b = r.report();
    CHECK_FALSE(b.first);
    CHECK(b.results == 2);
    CHECK(b.rings >= 2);
}

TEST_CASE("beside: after a loss the comparison begins anew at the next ring, and a difference before it counts for nothing") {
    Recorded r;
    honest(r);
    r.add(EventKind::lost).x = 3;
    r.enter(0, Sys::write, 4, 0x1000, 10); // the pipe is not where the model left it
    r.look(0, 9, {{0, 77}}, false, true);
    r.look(0, 9, {{0, 87}});
    r.exit(0, Sys::write, 10);
    BesideReport b = r.report();
    CHECK_FALSE(b.first);
    CHECK(b.resumed == 1);
    CHECK(b.rings == 5);
    Recorded q;
    q.begin();
    q.look(0, 0, {{0, 4095}, {0, 904}});
    q.exit(0, Sys::write, 5000);
    q.add(EventKind::lost).x = 1;
    b = q.report();
    CHECK_FALSE(b.first);
    CHECK(b.unexplained == 1);
}

TEST_CASE("beside: what is not to be followed is said, not guessed") {
    Recorded r;
    r.begin();
    r.look(0, 0, {{0, 4096}, {0, 904}});
    r.exit(0, Sys::write, 5000);
    r.enter(0, Sys::splice, 4, 0, 4096); // from a file, which the recording does not show
    r.look(0, 0, {{0, 4096}, {0, 904}, {0, 4096, 0, BufOps::page_cache}});
    r.exit(0, Sys::splice, 4096);
    r.enter(1, Sys::read, 3, 0x9000, 4096);
    r.look(1, 1, {{0, 904}, {0, 4096, 0, BufOps::page_cache}});
    r.exit(1, Sys::read, 4096);
    const BesideReport b = r.report();
    CHECK_FALSE(b.first);
    CHECK(b.not_followed == 1);
    CHECK(b.resumed == 1);
    CHECK(b.results == 2);
    CHECK(compare_beside({}).rings == 0);
}

TEST_CASE("beside: any events at all") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Recorded r;
        honest(r);
        for (const Event& e : arbitrary_of_few(3000, seed)) r.trace.events.push_back(e);
        const BesideReport report = r.report();
        if (report.first) CHECK(report.first->event <= r.trace.events.size());
        const auto rings = static_cast<std::uint64_t>(std::count_if(r.trace.events.begin(), r.trace.events.end(), [](const Event& e) { return e.kind == EventKind::ring_end; }));
        CHECK(report.rings <= rings); // each agreed with once at most
    }
}

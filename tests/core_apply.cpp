// SPDX-License-Identifier: MIT
// apply() faces events from damaged or hostile recordings: whatever they say, a state stays within its bounds.
#include "core/describe.hpp"
#include "core/mm/walk.hpp"
#include "core/state.hpp"
#include "core/strings.hpp"
#include <doctest/doctest.h>
#include <random>

using namespace pipescope;

namespace {
Event ev(EventKind k, TaskId task, PipeId pipe, std::uint32_t a = 0, std::uint32_t b = 0, std::uint32_t c = 0, std::uint64_t x = 0, std::uint64_t y = 0) {
    Event e;
    e.kind = k, e.task = task, e.pipe = pipe, e.a = a, e.b = b, e.c = c, e.x = x, e.y = y;
    return e;
}
} // namespace

TEST_CASE("an event that names nothing known is refused and changes nothing") {
    State s;
    CHECK_FALSE(apply(s, ev(EventKind::head_set, 0, 0, 1)));
    CHECK_FALSE(apply(s, ev(EventKind::sys_enter, 0, no_id, 1)));
    CHECK_FALSE(apply(s, ev(EventKind::none, 0, 0)));
    CHECK_FALSE(apply(s, ev(static_cast<EventKind>(200), 0, 0)));
    CHECK_FALSE(apply(s, ev(EventKind::pipe_new, no_id, 0, 12))); // not a power of two
    CHECK_FALSE(apply(s, ev(EventKind::pipe_new, no_id, 0, 1u << 31)));
    CHECK(apply(s, ev(EventKind::pipe_new, no_id, 0, 4)));
    CHECK_FALSE(apply(s, ev(EventKind::head_set, no_id, 0, 5))); // more slots than there are
    CHECK(apply(s, ev(EventKind::head_set, no_id, 0, 4)));
    CHECK_FALSE(apply(s, ev(EventKind::ring_resize, no_id, 0, 2)));
    CHECK_FALSE(apply(s, ev(EventKind::buf_set, no_id, 0, 4)));
    CHECK_FALSE(apply(s, ev(EventKind::page_alloc, no_id, no_id, 1u << 30)));
    CHECK_FALSE(apply(s, ev(EventKind::page_free, no_id, no_id, zero_page)));
    CHECK(s.pipes[0].head == 4);
    CHECK(s.pages.size() == 2);
}

TEST_CASE("an offset near the end of the numbers does not come round to lie before a page") {
    State s;
    REQUIRE(apply(s, ev(EventKind::page_alloc, no_id, no_id, 2)));
    REQUIRE(apply(s, ev(EventKind::page_alloc, no_id, no_id, 3)));
    REQUIRE(apply(s, ev(EventKind::fill, no_id, no_id, 2, 7)));
    CHECK(apply(s, ev(EventKind::copy, no_id, no_id, 2, 3, 16, 4080, 4080)));
    CHECK_FALSE(apply(s, ev(EventKind::copy, no_id, no_id, 2, 3, 16, 0, ~std::uint64_t{0} - 7)));
    CHECK_FALSE(apply(s, ev(EventKind::copy, no_id, no_id, 2, 3, 16, ~std::uint64_t{0} - 7, 0)));
    CHECK_FALSE(apply(s, ev(EventKind::store, no_id, no_id, 3, ~std::uint32_t{0} - 7, 16, 1, 1)));
}

TEST_CASE("random events never take a state out of its bounds") {
    StringTable names;
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        std::mt19937 rnd(seed);
        State s;
        const auto small = [&] { return static_cast<std::uint32_t>(rnd() % 8 ? rnd() % 20 : rnd()); };
        std::size_t accepted = 0;
        for (int i = 0; i < 4000; ++i) {
            Event e = ev(static_cast<EventKind>(rnd() % (static_cast<unsigned>(EventKind::count) + 2)), small(), small() % 6, small(), small(), small(),
                rnd() % 4 ? small() * 4096ull : rnd() * 0x100000001ull, rnd() % 4 ? small() * 4096ull : rnd());
            if (rnd() % 3 == 0) e.a = static_cast<std::uint32_t>(s.pipes.size() + s.tasks.size()); // ids that come next
            if (e.kind == EventKind::pipe_new) e.pipe = static_cast<PipeId>(s.pipes.size()), e.a = 1u << (rnd() % 6);
            if (e.kind == EventKind::task_new) e.task = static_cast<TaskId>(s.tasks.size());
            if (e.kind == EventKind::mm_new) e.a = static_cast<MmId>(s.mms.size());
            accepted += apply(s, e);
            for (const Pipe& p : s.pipes) {
                REQUIRE(p.bufs.size() == p.ring_size);
                REQUIRE(p.occupancy() <= p.ring_size);
            }
        }
        CHECK(accepted > 300);
        for (PipeId p = 0; p < s.pipes.size(); ++p) CHECK_FALSE(ring_string(s, names, p).empty()); // and what reads it survives too
        for (MmId m = 0; m < s.mms.size(); ++m) CHECK_FALSE(walk_string(walk(s, m, 0x7f0000001000)).empty());
    }
}

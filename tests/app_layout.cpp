// SPDX-License-Identifier: MIT
// Geometry, figures and the page names of the views.
#include "app/layout.hpp"
#include "core/describe.hpp"
#include "sim/timeline.hpp"
#include "tests/demo_trace.hpp"
#include <cmath>
#include <doctest/doctest.h>

using namespace pipescope;

TEST_CASE("layout: slots go clockwise from twelve o'clock and find themselves again") {
    for (const std::uint32_t n : {1u, 2u, 8u, 16u, 32u})
        for (std::uint32_t s = 0; s < n; ++s) {
            const Arc a = ring_arc(s, n, 0.02f);
            CHECK(ring_slot_at(90 * std::sin(a.mid()), -90 * std::cos(a.mid()), 60, 100, n) == s);
        }
    CHECK(ring_slot_at(10, 10, 60, 100, 8) == no_id);
    CHECK(ring_slot_at(200, 0, 60, 100, 8) == no_id);
}

TEST_CASE("layout: text keeps inside its arc") {
    const Arc a = ring_arc(0, 8, 0.02f);
    const float wide = ring_text_room(a, 116, 200, a.mid(), 158, 8);
    CHECK(wide > 50);
    CHECK(wide < 2 * 158 * std::sin(0.4f));
    CHECK(ring_text_room(ring_arc(0, 32, 0.02f), 116, 200, ring_arc(0, 32, 0.02f).mid(), 158, 8) < 32);
}

TEST_CASE("layout: dead space is what no write can append to") {
    Pipe p;
    p.ring_size = p.max_usage = 4;
    p.bufs.resize(4);
    p.head = 2;
    p.bufs[0] = {40, 904, 3192, PIPE_BUF_FLAG_CAN_MERGE, BufOps::anon};
    p.bufs[1] = {41, 0, 1024, PIPE_BUF_FLAG_CAN_MERGE, BufOps::anon};
    CHECK(slot_fill(p, 0).from == doctest::Approx(904.0 / 4096));
    CHECK(slot_fill(p, 0).to == doctest::Approx(1));
    CHECK(slot_fill(p, 0).dead_behind);
    CHECK(!slot_fill(p, 1).dead_behind);
    p.bufs[1].flags = PIPE_BUF_FLAG_PACKET;
    CHECK(slot_fill(p, 1).dead_behind);
    CHECK(slot_live(p, 1));
    CHECK(!slot_live(p, 2));
    p.bufs[1] = {41, 500, 32268, 0, BufOps::nosteal}; // a socket's buffer reaches over several pages
    CHECK(slot_fill(p, 1).to == doctest::Approx(1));
}

TEST_CASE("layout: indices that wrap around stay live") {
    Pipe p;
    p.ring_size = p.max_usage = 8;
    p.bufs.resize(8);
    for (PipeBuffer& b : p.bufs) b.ops = BufOps::anon;
    p.tail = 0xfffffffeu, p.head = 2;
    CHECK(slot_live(p, 6));
    CHECK(slot_live(p, 7));
    CHECK(slot_live(p, 1));
    CHECK(!slot_live(p, 2));
    CHECK(index_text(p, 11) == "11 & 7 = slot 3");
}

TEST_CASE("layout: a large ring's cells lie inside its area") {
    for (const std::uint32_t n : {64u, 256u, 1024u, 4096u, 65536u, 1u << 20}) {
        const Rect area{10, 20, 800, 400};
        const Grid g = grid_layout(n, area.w, area.h, 9);
        for (const std::uint32_t s : {0u, n / 3, n - 1}) {
            const Rect c = g.cell(area, s);
            CHECK(c.x >= area.x);
            CHECK(c.right() <= area.right() + 0.5f);
            CHECK(c.bottom() <= area.bottom() + 0.5f);
        }
        CHECK(g.cell_h >= 3);
    }
}

TEST_CASE("layout: regions tile the window at every size and scale") {
    for (const auto& [w, h] : {std::pair{1280.f, 800.f}, {1600.f, 1000.f}, {1920.f, 1080.f}, {900.f, 600.f}})
        for (const float scale : {1.0f, 1.5f}) {
            const Regions r = regions_layout(w, h, scale);
            CHECK(r.who.w + r.ring.w + r.why.w == doctest::Approx(w));
            CHECK(r.toolbar.h + r.ring.h + r.memory.h + r.when.h == doctest::Approx(h));
            CHECK(r.ring.w > 250 * scale);
            CHECK(r.ring.h > 120 * scale);
            CHECK(r.narrow == (r.why.w == 0));
        }
}

TEST_CASE("layout: figures") {
    CHECK(digits_grouped(7) == "7");
    CHECK(digits_grouped(10542) == "10 542");
    CHECK(digits_grouped(1234567) == "1 234 567");
    CHECK(time_text(55) == "55 ns");
    CHECK(time_text(12345) == "12.345 µs");
    CHECK(time_text(3'456'789'012) == "3.457 s");
    CHECK(time_span_text(10'000, 14'000, 97'300) == "10.0 – 14.0 µs of 97.3");
    CHECK(result_text(-EPIPE) == "EPIPE");
    CHECK(result_text(10000) == "10 000");
    CHECK(tick_step(4000, 8) == 500);
    CHECK(tick_step(0, 8) == 1);
    CHECK(tick_text(10'500, 500, 97'300) == "10.5");
    CHECK(strip_first(64, 28, 5) == 0);
    CHECK(strip_first(64, 28, 30) == 28);
    CHECK(strip_first(64, 28, 63) == 36);
}

TEST_CASE("layout: page names agree with the ones litmus cases print") {
    DemoTrace d = demo_trace(8);
    Timeline t;
    for (const Event& e : d.trace.events) t.append(e);
    PageNames names;
    names.rebuild(t.state());
    for (PageId p = 1; p < t.state().pages.size(); ++p)
        CHECK(names.label(t.state(), d.trace.strings, p) == page_label(t.state(), d.trace.strings, p));
    CHECK(names.label(t.state(), d.trace.strings, 100) == "src[0]");
}

TEST_CASE("layout: a call as it was made") {
    DemoTrace d = demo_trace(8);
    Timeline t;
    for (const Event& e : d.trace.events) t.append(e);
    CHECK(call_text(t.state(), d.trace.strings, t.state().tasks[0].call) == "write(4, src, 12 288)");
    CHECK(run_text(t.state().tasks[0]) == std::string("in user code"));
}

// SPDX-License-Identifier: MIT
// Lanes built bit by bit, their level of detail, and the transport.
#include "app/lanes.hpp"
#include "app/transport.hpp"
#include "tests/demo_trace.hpp"
#include <doctest/doctest.h>

using namespace pipescope;

TEST_CASE("lanes: growing bit by bit gives what one look gives") {
    DemoTrace d = demo_trace(8, 5);
    Timeline t;
    Lanes slow, fast;
    for (const Event& e : d.trace.events) {
        t.append(e);
        slow.update(t);
    }
    fast.update(t);
    for (const bool by_event : {false, true}) {
        REQUIRE(slow.tasks(by_event).size() == 2);
        for (std::size_t i = 0; i < 2; ++i) {
            const Lane &a = slow.tasks(by_event)[i], &b = fast.tasks(by_event)[i];
            REQUIRE(a.size() == b.size());
            for (std::size_t k = 0; k < a.size(); ++k) CHECK((a[k].from == b[k].from && a[k].value == b[k].value));
        }
    }
    CHECK(fast.ring_size(0) == 8);
    CHECK(fast.end(true) == t.size());
}

TEST_CASE("lanes: a call begins and ends where its events are") {
    DemoTrace d(8);
    d.write(5000, 8);
    Timeline t;
    for (const Event& e : d.trace.events) t.append(e);
    Lanes lanes;
    lanes.update(t);
    const Lane& lane = lanes.tasks(true)[0];
    REQUIRE(lane.size() == 3);
    CHECK(lane[0].value == static_cast<std::uint32_t>(LaneKind::user));
    CHECK(lane[1].value == static_cast<std::uint32_t>(LaneKind::in_call));
    CHECK(lane[2].from == t.size());
    CHECK(lanes.slots(true)[0].back().value == 2);
    CHECK(lane_at(lane, 0) == no_id);
    CHECK(lane_at(lane, lane[1].from) == 1);
}

TEST_CASE("lanes: a column shows what fills most of it, and the curve keeps its peaks") {
    const Lane lane{{0, 1}, {10, 2}, {12, 1}, {40, 3}};
    CHECK(lane_most(lane, 0, 40) == 1);
    CHECK(lane_most(lane, 10, 12) == 2);
    CHECK(lane_most(lane, 35, 60) == 3);
    CHECK(lane_most({}, 0, 10) == no_id);
    CHECK(lane_range(lane, 0, 13).most == 2);
    CHECK(lane_range(lane, 0, 13).least == 1);
    CHECK(lane_count(lane, 5, 41) == 3);
}

TEST_CASE("transport: steps forward and back meet the same positions") {
    DemoTrace d = demo_trace(8);
    const auto doc = Document::from_trace(std::move(d.trace));
    for (const Step s : {Step::event, Step::stage, Step::call}) {
        Transport t;
        t.set_step(s);
        std::vector<std::size_t> way;
        while (way.size() < 10 && t.position() < doc->timeline().size()) way.push_back(t.position()), t.forward(*doc);
        for (std::size_t i = way.size(); i-- > 0;) {
            t.back(*doc);
            CHECK(t.position() == way[i]);
        }
        t.last(*doc);
        CHECK(t.position() == doc->timeline().size());
    }
}

TEST_CASE("transport: a playing run stops at its end") {
    DemoTrace d = demo_trace(8);
    const auto doc = Document::from_trace(std::move(d.trace));
    Transport t;
    t.toggle_play(0);
    double now = 0;
    for (int i = 0; i < 10'000 && t.playing(); ++i) t.advance(*doc, now += 1);
    CHECK(!t.playing());
    CHECK(t.position() == doc->timeline().size());
}

TEST_CASE("document: opens where the first write begins") {
    DemoTrace d = demo_trace(8);
    const auto doc = Document::from_trace(std::move(d.trace));
    const std::size_t n = doc->opening();
    REQUIRE(n > 0);
    CHECK(doc->timeline()[n - 1].stage == Stage::w_lock);
    std::string error;
    CHECK(!Document::open("/no/such/file.lua", KernelVersion{}, error));
    CHECK(error == "/no/such/file.lua: no such file");
    CHECK(!Document::open("/", KernelVersion{}, error));
}

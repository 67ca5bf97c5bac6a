// SPDX-License-Identifier: MIT
// The state at any position, reached in any order, is what folding the events from the start gives.
#include "sim/timeline.hpp"
#include "tests/recording_events.hpp"
#include <doctest/doctest.h>
#include <random>

using namespace pipescope;
using namespace pipescope::test;

namespace {

// A valid run, with some events strewn in that a state refuses.
std::vector<Event> run_with_refusals(std::size_t n, std::uint64_t seed) {
    StringTable strings;
    std::vector<Event> events = written_by_model(n, strings, seed), out;
    std::mt19937_64 random(seed);
    for (const Event& e : events) {
        out.push_back(e);
        if (random() % 50) continue;
        Event bad = e;
        bad.kind = random() % 2 ? EventKind::none : EventKind::head_set;
        bad.a = 1u << 30;
        out.push_back(bad);
    }
    return out;
}

std::vector<std::uint64_t> digests_of_fold(const std::vector<Event>& events) {
    State s;
    std::vector<std::uint64_t> d{digest(s)};
    for (const Event& e : events) {
        apply(s, e);
        d.push_back(digest(s));
    }
    return d;
}

void seek_at_random(Timeline& t, const std::vector<std::uint64_t>& expected, std::mt19937_64& random, int times) {
    for (int i = 0; i < times; ++i) {
        const std::size_t n = random() % (t.size() + 1);
        CAPTURE(n);
        REQUIRE(digest(t.seek(n)) == expected[n]);
        // A few steps from there, as a user takes them.
        for (std::size_t m = n, step = 0; step < 4; ++step) {
            m = random() % 2 ? std::min(m + 1, t.size()) : m - (m > 0);
            REQUIRE(digest(t.seek(m)) == expected[m]);
        }
    }
}

} // namespace

TEST_CASE("timeline: seek in any order equals the fold from the start") {
    StringTable strings;
    const std::vector<Event> runs[] = {run_with_refusals(2500, 1), run_with_refusals(700, 2), captured(2500, strings)};
    for (const auto& events : runs) {
        const auto expected = digests_of_fold(events);
        const std::size_t one = state_bytes([&] {
            State s;
            for (const Event& e : events) apply(s, e);
            return s;
        }());
        for (const std::size_t spacing : {0, 1, 7, 64, 1000})
            for (const std::size_t budget : {std::size_t{0}, one, 9 * one, std::size_t{256} << 20}) {
                CAPTURE(spacing);
                CAPTURE(budget);
                Timeline t(spacing, budget);
                for (const Event& e : events) t.append(e);
                REQUIRE(t.size() == events.size());
                CHECK(t.events() == events);
                CHECK(digest(t.state()) == expected.back());
                CHECK(t.spacing() >= spacing);
                CHECK(t.keyframes() >= 1);
                if (budget < std::size_t{256} << 20) CHECK(t.keyframes() <= 3 + budget / (one / 4)); // states grow on the way to `one`
                std::mt19937_64 random(spacing * 31 + budget);
                seek_at_random(t, expected, random, 60);
                CHECK(digest(t.state()) == expected.back());
            }
    }
}

TEST_CASE("timeline: looking back while it grows") {
    const auto events = run_with_refusals(3000, 3);
    const auto expected = digests_of_fold(events);
    for (const std::size_t spacing : {1, 7, 64, 1000}) {
        Timeline t(spacing, 1 << 18);
        std::mt19937_64 random(spacing);
        for (std::size_t i = 0; i < events.size(); ++i) {
            t.append(events[i]);
            if (random() % 40 == 0) seek_at_random(t, expected, random, 2);
        }
        seek_at_random(t, expected, random, 50);
    }
}

TEST_CASE("timeline: refused events are kept, counted and change nothing") {
    const auto events = run_with_refusals(1000, 4);
    std::size_t refused = 0;
    State s;
    for (const Event& e : events) {
        const std::uint64_t before = digest(s);
        if (apply(s, e)) continue;
        ++refused;
        REQUIRE(digest(s) == before);
    }
    CHECK(refused > 5);
    Timeline t(16);
    for (const Event& e : events) t.append(e);
    CHECK(t.refused() == refused);
    CHECK(t.size() == events.size());
}

TEST_CASE("timeline: a state given out stays what it was while the timeline is only read") {
    StringTable strings;
    Timeline t(64);
    for (const Event& e : written_by_model(500, strings)) t.append(e);
    const State copy = t.seek(250);
    const std::uint64_t then = digest(copy);
    for (std::size_t n = 0; n <= t.size(); n += 13) t.seek(n);
    CHECK(digest(copy) == then); // page contents are shared between states, and copied before they change
    CHECK(digest(t.seek(250)) == then);
}

TEST_CASE("timeline: where a step stops") {
    StringTable strings;
    const auto events = written_by_model(600, strings);
    Timeline t;
    for (const Event& e : events) t.append(e);
    for (const Step step : {Step::event, Step::stage, Step::call}) {
        CAPTURE(static_cast<int>(step));
        const auto stops = [&](std::size_t n) { // position n is "after event n - 1"
            const EventKind k = events[n - 1].kind;
            const bool call = k == EventKind::sys_enter || k == EventKind::sys_exit;
            return step == Step::event || call || (step == Step::stage && (k == EventKind::stage || k == EventKind::ring_end));
        };
        for (std::size_t n = 0; n <= events.size(); ++n) {
            std::size_t next = n + 1, prev = n;
            while (next <= events.size() && !stops(next)) ++next;
            while (prev > 0 && (prev == n || !stops(prev))) --prev;
            REQUIRE(t.next(n, step) == std::min(next, events.size()));
            REQUIRE(t.prev(n, step) == prev);
        }
    }
    // Forward through all stops and back again visits the same positions.
    for (const Step step : {Step::event, Step::stage, Step::call}) {
        std::vector<std::size_t> there{0}, back{t.size()};
        while (there.back() < t.size()) there.push_back(t.next(there.back(), step));
        while (back.back() > 0) back.push_back(t.prev(back.back(), step));
        CHECK(std::vector(back.rbegin(), back.rend()) == there);
    }
}

TEST_CASE("timeline: positions by time") {
    Timeline t;
    CHECK(t.at_time(0) == 0);
    CHECK(t.next(0, Step::stage) == 0);
    CHECK(t.prev(0, Step::event) == 0);
    for (const std::uint64_t ns : {10, 10, 20, 30}) {
        Event e;
        e.kind = EventKind::note;
        e.t_ns = ns;
        t.append(e);
    }
    CHECK(t.at_time(9) == 0);
    CHECK(t.at_time(10) == 2);
    CHECK(t.at_time(29) == 3);
    CHECK(t.at_time(~std::uint64_t{0}) == 4);
}

TEST_CASE("timeline: the runs of these tests are valid ones") {
    StringTable strings;
    for (const auto& events : {written_by_model(5000, strings), captured(5000, strings)}) {
        Timeline t;
        for (const Event& e : events) t.append(e);
        CHECK(t.refused() == 0);
        CHECK(t.state().pipes.at(0).head > 20);
        CHECK(t.state().tasks.at(1).bytes > 0);
    }
}

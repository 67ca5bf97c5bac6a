// SPDX-License-Identifier: MIT
// Calibration: sums are taken apart, the model counts what they are made of, and the file that comes out can be loaded.
#include "sim/calibrate/calibrate.hpp"
#include "sim/live/ladder_live.hpp"
#include <cstdio>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <set>
#include <unistd.h>

using namespace pipescope;

namespace {
constexpr std::size_t at(Cost c) { return static_cast<std::size_t>(c); }
} // namespace

TEST_CASE("calibrate: the model says what a call is made of") {
    const Coefficients n = count_costs({.vmsplice = true, .splice = true, .pages = 32}, "6.18");
    CHECK(n.writer[at(Cost::syscall_entry)] == doctest::Approx(1));
    CHECK(n.writer[at(Cost::add_to_pipe)] == doctest::Approx(32));
    CHECK(n.writer[at(Cost::gup_front)] == doctest::Approx(2)); // batches of 16
    CHECK(n.writer[at(Cost::ref_get_remote)] == doctest::Approx(32));
    CHECK(n.writer[at(Cost::copy_from_user)] == 0);
    CHECK(n.writer[at(Cost::schedule_in)] == 0); // nobody sleeps
    CHECK(n.reader[at(Cost::splice_slot)] == doctest::Approx(32));
    CHECK(n.reader[at(Cost::ref_put_remote)] == doctest::Approx(32));
    CHECK(n.reader[at(Cost::mutex_lock_remote)] == doctest::Approx(1));
    const Coefficients one = count_costs({.vmsplice = true, .splice = true, .pages = 32, .two_cpus = false}, "6.18");
    CHECK(one.reader[at(Cost::ref_put_remote)] == 0);
    CHECK(one.reader[at(Cost::ref_put)] == doctest::Approx(32));
    const Coefficients huge = count_costs({.vmsplice = true, .splice = true, .huge = true, .pages = 32}, "6.18");
    CHECK(huge.writer[at(Cost::gup_walk)] == doctest::Approx(2));
    const Coefficients copied = count_costs({.pages = 16}, "6.18");
    CHECK(copied.writer[at(Cost::copy_from_user)] == doctest::Approx(16));
    CHECK(copied.reader[at(Cost::copy_remote)] == doctest::Approx(16));
    CHECK(copied.writer[at(Cost::page_alloc)] == doctest::Approx(14)); // two come from the pipe's spare places
}

TEST_CASE("calibrate: what a profile says of a call is the sum of its costs") {
    const Profile& p = profile_builtin();
    for (const Exchange& e : {Exchange{.pages = 16}, Exchange{.vmsplice = true, .splice = true, .touched = false, .pages = 16},
             Exchange{.vmsplice = true, .pages = 1, .ask = Ask::full}, Exchange{.pages = 1, .ask = Ask::empty}}) {
        INFO(exchange_text(e));
        const Coefficients n = count_costs(e, p.kernel);
        const ExchangeTimes t = simulate_exchange(e, p);
        double writer = 0, reader = 0;
        for (std::size_t i = 0; i < cost_count; ++i) writer += n.writer[i] * p.value[i], reader += n.reader[i] * p.value[i];
        CHECK(t.writer.ns == doctest::Approx(writer).epsilon(0.001));
        CHECK(t.reader.ns == doctest::Approx(reader).epsilon(0.001));
    }
}

TEST_CASE("calibrate: sums made of known costs are solved for them, and what they do not tell apart keeps its proportions") {
    std::array<double, cost_count> truth{}, found{};
    truth.fill(1), found.fill(1);
    truth[at(Cost::read_front)] = 700, truth[at(Cost::read_page)] = 30, truth[at(Cost::copy_to_user)] = 90;
    found[at(Cost::read_front)] = 50, found[at(Cost::read_page)] = 20, found[at(Cost::copy_to_user)] = 60;
    std::array<bool, cost_count> free{};
    for (const Cost c : {Cost::read_front, Cost::read_page, Cost::copy_to_user}) free[at(c)] = true;
    std::vector<Equation> sums;
    for (const double pages : {1.0, 16.0}) {
        Equation e;
        e.times[at(Cost::read_front)] = 1, e.times[at(Cost::mutex_lock)] = 1;
        e.times[at(Cost::read_page)] = e.times[at(Cost::copy_to_user)] = pages;
        for (std::size_t i = 0; i < cost_count; ++i) e.ns += e.times[i] * truth[i];
        sums.push_back(e);
    }
    solve(sums, free, found);
    CHECK(found[at(Cost::read_front)] == doctest::Approx(700).epsilon(0.05));
    CHECK(found[at(Cost::read_page)] == doctest::Approx(30).epsilon(0.05));
    CHECK(found[at(Cost::copy_to_user)] == doctest::Approx(90).epsilon(0.05));
    CHECK(found[at(Cost::mutex_lock)] == 1);
}

TEST_CASE("calibrate: a profile of this machine can be saved, loaded and simulated with") {
    CalibrateOptions o;
    const auto cpus = two_cpus();
    o.cpu[0] = cpus[0], o.cpu[1] = cpus[1];
    if (cpus[1] < 0) {
        MESSAGE("skipped: it takes two CPUs");
        return;
    }
    o.rounds = 50;
    o.base = profile_builtin();
    std::string error;
    auto made = calibrate(o, error);
    INFO(error);
    REQUIRE(made);
    made->profile.name = "here";
    const std::string path = fmt::format("/tmp/pipescope-calibrate-{}.toml", ::getpid());
    profile_save(made->profile, path);
    const Profile p = profile_load(path);
    std::remove(path.c_str());
    CHECK(p.name == "here");
    std::set<std::string> taken;
    for (std::size_t i = 0; i < cost_count; ++i) {
        CHECK(p.source[i] != o.base.source[i]); // each says how it was found here
        if (p.source[i].starts_with("taken over")) taken.insert(cost_info(static_cast<Cost>(i)).name);
    }
    CHECK(taken == std::set<std::string>{"user_loop", "latency_switching", "timeslice", "page_fault"});
    CHECK(p[Cost::latency_long] > 0);
    REQUIRE(p.wake.size() > 3);
    for (const WakeRow& r : p.wake) CHECK(r.seen.size() >= 40);
    CHECK(p[Cost::copy_from_user] > 0);
    CHECK(p[Cost::ref_get_remote] > 0);
    CHECK(made->checks.size() > 60);
    for (const Check& c : made->checks) CHECK(c.measured_ns > 0);
    CHECK(run_rung(p, ladder_rungs()[0].options, 16 << 20, 1).gib_per_s > 0);
}

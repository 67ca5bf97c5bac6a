// SPDX-License-Identifier: MIT
// The explorer: known sets of outcomes, counts of orders that can be worked out by hand, and schedules that can be played.
#include "scenario_case.hpp"
#include "sim/explore/explore.hpp"
#include <doctest/doctest.h>
#include <set>

using namespace scenario_test;

namespace {

std::string scenario(const char* name) { return std::string(PIPESCOPE_SOURCE_DIR) + "/assets/scenarios/explore/" + name; }

explore::Report explored(const std::string& path, const char* kernel = "6.18") {
    explore::Report r = explore::explore(path, *kernel_version(kernel), 50'000);
    INFO(r.error);
    CHECK(r.error.empty());
    CHECK(r.complete);
    double sum = 0;
    for (const explore::Outcome& o : r.outcomes) sum += o.count;
    CHECK(sum == r.schedules);
    return r;
}

std::set<std::string> results(const explore::Report& r) {
    std::set<std::string> out;
    for (const explore::Outcome& o : r.outcomes) out.insert(o.result);
    return out;
}

} // namespace

TEST_CASE("explore: red, green and blue have three outcomes") {
    CHECK(results(explored(scenario("red_green_blue.lua"))) == std::set<std::string>{"blue/green/", "green/blue/", "blue/"});
}

TEST_CASE("explore: the torn read loses a wake-up, one load does not") {
    CHECK(results(explored(scenario("torn_head_tail.lua"))) == std::set<std::string>{"writer = 1"});
    const auto torn = results(explored(scenario("torn_head_tail.lua"), "6.18+torn-head-tail"));
    CHECK(torn.size() == 2);
    CHECK(torn.contains("writer sleeps for ever in write, and there is room: a lost wake-up"));
}

TEST_CASE("explore: a double buffer is right or wrong") {
    CHECK(results(explored(scenario("double_buffer_right.lua"))) == std::set<std::string>{"reader = 123"});
    CHECK(results(explored(scenario("double_buffer_wrong.lua"))) == std::set<std::string>{"reader = number 1", "reader = number 3"});
}

TEST_CASE("explore: a herd takes more wake-ups") {
    CHECK(results(explored(scenario("herd.lua"))).size() == 3); // none, one, two
    CHECK(results(explored(scenario("herd.lua"), "6.18+herd")).contains("wake-ups: 3"));
}

TEST_CASE("explore: orders are counted as paths") {
    // Two tasks on pipes of their own: a turn up to the lock, one through it (each wakes nobody), one to the end.
    const CaseFile f("for i = 1, 2 do local p = pipe() task('t' .. i, function() fionread(p.r) end) end");
    const explore::Report r = explored(f.path.string());
    REQUIRE(r.outcomes.size() == 1);
    const std::size_t turns = r.outcomes[0].schedule.size() / 2; // of each
    double orders = 1; // (2n)! / n! n!
    for (std::size_t i = 1; i <= turns; ++i) orders = orders * static_cast<double>(turns + i) / static_cast<double>(i);
    CHECK(r.schedules == orders);
}

TEST_CASE("explore: what tasks share beside the kernel keeps states apart") {
    const CaseFile f("local p, order = pipe(), '' for i = 1, 2 do task('t' .. i, function() fionread(p.r) order = order .. i end) end "
                     "outcome(function() return order end)");
    CHECK(results(explored(f.path.string())) == std::set<std::string>{"12", "21"});
    const CaseFile looks("local p, b = pipe(), buffer('4K') task('w', function() write(p.w, b, 1) end) "
                         "task('r', function() local seen = ring(p) fionread(p.r) return seen end)");
    CHECK(results(explored(looks.path.string())).size() == 2); // the look was before the write, or behind it
}

TEST_CASE("explore: a schedule can be played, and ends as it says") {
    for (const explore::Outcome& o : explored(scenario("red_green_blue.lua")).outcomes) {
        std::string error;
        const auto s = Scenario::load(scenario("red_green_blue.lua"), *kernel_version("6.18"), error);
        REQUIRE(s);
        s->follow(schedule_of(o.schedule));
        while (s->pump(s->timeline().size() + 1000)) {}
        CHECK(s->error() == "");
        const State& end = s->timeline().state();
        for (const Task& t : end.tasks) // the task "outcome" reads the terminal's pipe
            if (s->strings()[t.name] == "outcome") CHECK(t.result == static_cast<std::int64_t>(o.result.size()));
    }
}

TEST_CASE("explore: what cannot be explored is said") {
    const auto error = [](const std::string& text) { return explore::explore(CaseFile(text).path.string(), *kernel_version("6.18"), 1000).error; };
    CHECK(error("local p = pipe()").find("makes no tasks") != std::string::npos);
    CHECK(error("local t = task('t', function() end) run(t)").find("calls run()") != std::string::npos);
    CHECK(error("x = ").find(":1:") != std::string::npos);
    Schedule v;
    CHECK(schedule_parse("1 2,2 1", v));
    CHECK(schedule_text(v) == "1 2 2 1");
    CHECK(schedule_parse("1 @283 2 2 @300 1", v));
    CHECK(v.size() == 4);
    CHECK((v[0].after == 0 && v[2].after == 283 && v[2].task == 2 && v[3].after == 300));
    CHECK(schedule_text(v) == "1 @283 2 2 @300 1");
    for (const char* bad : {"1 x", "@", "@5", "1 @5 @6 1", "@9 1 @8 1", "1@5 2", "12345678"}) CHECK_FALSE(schedule_parse(bad, v));
}

TEST_CASE("explore: a limit is said to have cut") {
    const explore::Report r = explore::explore(scenario("herd.lua"), *kernel_version("6.18"), 100);
    CHECK_FALSE(r.complete);
}

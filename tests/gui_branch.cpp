// SPDX-License-Identifier: MIT
// Choosing who goes next in the window: the branch, what it differs in, and the way back.
#include "tests/gui_driver.hpp"
#include <doctest/doctest.h>

using namespace pipescope;

namespace {

// Goes where both tasks could be next while the writer is, and asks.
std::size_t crossroads(Driver& d) {
    for (std::size_t n = 60; n < 400; ++n) {
        d.screen().seek(n);
        d.screen().ask_next();
        d.frame();
        const Timeline& t = d.screen().document().timeline();
        if (d.screen().marks().find("branch/writer") && d.screen().marks().find("branch/reader") && t[n].task == 1 && t[n - 1].task == 1) return n;
        d.screen().ask_next();
    }
    FAIL("nobody ever has a choice");
    return 0;
}

} // namespace

TEST_CASE("branch: another task goes next, deterministically, and the trunk comes back") {
    Driver d(open_scenario("tour.lua"));
    const std::size_t n = crossroads(d);
    const std::uint64_t here = d.digest_now();
    REQUIRE(d.click("branch/reader"));
    CHECK(d.digest_now() == here); // the same place, in another run
    CHECK(d.screen().transport().position() == n);
    REQUIRE(d.screen().comparison());
    CHECK(d.screen().comparison()->there == "trunk");
    CHECK(d.screen().comparison()->first >= n);
    CHECK(d.screen().comparison()->first < n + 16);
    const std::vector<Event> first = d.screen().document().timeline().events();
    REQUIRE(d.click("branch/trunk"));
    CHECK(!d.screen().comparison());
    CHECK(d.screen().document().schedule().empty());
    CHECK(d.digest_now() == here);
    std::string error;
    REQUIRE(d.screen().branch_to(2, error));
    const std::vector<Event>& again = d.screen().document().timeline().events();
    for (std::size_t i = 0; i < std::min(first.size(), again.size()); ++i) REQUIRE(first[i] == again[i]);
}

TEST_CASE("branch: a task that cannot go on is refused, and changes nothing") {
    Driver d(open_scenario("history/herd.lua")); // calls run(): its order is its own
    d.screen().seek(100);
    std::string error;
    CHECK(!d.screen().branch_to(1, error));
    CHECK(!error.empty());
    REQUIRE(d.click("branch/ask"));
    CHECK(!d.screen().marks().find("branch/writer"));
    CHECK(!d.click("branch/trunk"));
    d.screen().seek(d.screen().document().timeline().size());
    CHECK(!d.screen().branch_to(1, error));
}

TEST_CASE("branch: choices follow one another, and every task ends in each") {
    Driver d(open_scenario("two_writers_one_lock.lua"));
    d.screen().seek(150);
    std::string error;
    std::size_t made = 0;
    for (int i = 0; i < 6; ++i) {
        for (const TaskId t : {3u, 2u, 1u})
            if (d.screen().branch_to(t, error)) {
                ++made;
                break;
            }
        for (int k = 0; k < 4; ++k) d.screen().command(Command::forward);
        d.frame();
    }
    CHECK(made >= 3);
    CHECK(d.screen().document().schedule().size() >= 2); // one chosen again before it was due counts once
    d.screen().command(Command::last);
    CHECK_MESSAGE(d.screen().document().fault().empty(), d.screen().document().fault());
}

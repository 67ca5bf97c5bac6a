// SPDX-License-Identifier: MIT
// The findings panel and the dialog that records, by a person's clicks.
#include "tests/gui_driver.hpp"
#include <doctest/doctest.h>

using namespace pipescope;

TEST_CASE("findings: every line seeks to its events, one after another") {
    ScreenOptions still;
    still.still = true;
    Driver d(open_scenario("yes_head.lua"), 1600, 1000, still);
    d.screen().command(Command::last);
    d.frame();
    REQUIRE(d.click("why/Findings"));
    d.frame();
    REQUIRE(!d.screen().findings().bars().empty());
    const auto& lines = d.screen().findings().lines();
    std::size_t with = lines.size();
    for (std::size_t i = 0; i < lines.size() && with == lines.size(); ++i)
        if (!lines[i].events.empty()) with = i;
    REQUIRE(with < lines.size());
    const std::vector<std::uint64_t> events = lines[with].events;
    for (std::size_t k = 0; k <= events.size(); ++k) {
        const std::size_t to = next_of(events, d.screen().transport().position());
        REQUIRE(d.click("findings/line/" + std::to_string(with)));
        CHECK(d.screen().transport().position() == to);
    }
}

TEST_CASE("record: the dialog opens, says what is wrong, and closes") {
    Driver d(open_scenario("merge.lua"));
    d.screen().command(Command::record);
    d.frame();
    d.frame();
    REQUIRE(d.screen().marks().find("record/start"));
    d.screen().record().file = "";
    REQUIRE(d.click("record/start"));
    CHECK(!d.screen().record().running());
    REQUIRE(d.click("record/syscalls"));
    CHECK(d.screen().record().tier == "syscalls");
    REQUIRE(d.click("record/close"));
    d.frame();
    CHECK(!d.screen().marks().find("record/start"));
}

// SPDX-License-Identifier: MIT
// The findings panel, lock step with this kernel and the dialog that records, by a person's clicks.
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

TEST_CASE("lock step: the button runs the scenario on this kernel, and what was read stands below the ring") {
    ScreenOptions still;
    still.still = true;
    Driver d(open_scenario("merge.lua"), 1600, 1000, still);
    d.screen().selection().tab = Tab::findings;
    d.frame();
    REQUIRE(d.click("findings/in_step"));
    for (int i = 0; i < 6000 && !d.screen().document().in_step(); ++i) {
        struct timespec nap {0, 10'000'000};
        ::nanosleep(&nap, nullptr);
        d.frame();
    }
    const lockstep::Run* run = d.screen().document().in_step();
    REQUIRE(run);
    if (!run->comparison().why.empty()) return; // no kernel to be asked here
    CHECK(run->comparison().calls > 0);
    CHECK(d.screen().partings().size() == run->comparison().divergences.size());
    CHECK(!d.screen().document().recorded());
    d.screen().command(Command::last);
    d.frame();
}

TEST_CASE("lock step: this kernel's model is beside it, whatever kernel the scenario wishes for") {
    Driver d(open_scenario("history/inq_whole.lua"));
    std::string error;
    REQUIRE(d.screen().run_in_step(true, error));
    const lockstep::Run* run = d.screen().document().in_step();
    REQUIRE(run);
    if (!run->comparison().why.empty()) return; // no kernel to be asked here
    CHECK(d.screen().partings().empty());
    // And another version is compared in the same order.
    REQUIRE(d.screen().compare_with(run->version().name, error));
    REQUIRE(d.screen().comparison());
    CHECK(d.screen().comparison()->same());
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

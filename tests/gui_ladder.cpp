// SPDX-License-Identifier: MIT
// The ladder in the window: another cost profile by its path, and back to the program's own.
#include "sim/des/profile.hpp"
#include "tests/gui_driver.hpp"
#include <filesystem>
#include <unistd.h>

using namespace pipescope;

TEST_CASE("ladder: a profile is chosen by its path, stays while another file is opened, and can be left again") {
    const auto path = std::filesystem::temp_directory_path() / ("pipescope-profile-" + std::to_string(::getpid()) + ".toml");
    Profile mine = profile_builtin();
    mine.name = "mine";
    profile_save(mine, path.string());
    {
        Driver d(open_scenario("tour.lua"));
        const auto shows = [&](const char* mark) { return d.screen().marks().find(mark) != nullptr; };
        REQUIRE(d.click("why/Ladder"));
        CHECK(shows("ladder/profile i7-8550u-5.17"));
        CHECK(!shows("ladder/profile mine"));
        REQUIRE(d.click("ladder/path"));
        d.type("/no/such");
        CHECK(d.screen().selection().profile_fault == "/no/such: no such file");
        CHECK(d.screen().selection().profile.empty());
        REQUIRE(d.click("ladder/run")); // out of the field
        d.screen().selection().profile_typed.clear();
        REQUIRE(d.click("ladder/path"));
        d.type(path.string());
        CHECK(d.screen().selection().profile == path.string());
        CHECK(d.screen().selection().profile_fault.empty());
        CHECK(shows("ladder/profile mine"));
        std::string error;
        REQUIRE(d.screen().open_file(PIPESCOPE_SOURCE_DIR "/assets/scenarios/mbuf/1_copied.lua", error));
        d.frame();
        REQUIRE(d.click("why/Ladder"));
        CHECK(shows("ladder/profile mine"));
        const std::string same = PIPESCOPE_SOURCE_DIR "/assets/profiles/i7-8550u-5.17.toml"; // by another file: two of one name
        d.screen().selection().profile = same;
        d.frame();
        CHECK(shows(("ladder/profile " + same).c_str()));
        REQUIRE(d.click("ladder/profile i7-8550u-5.17"));
        CHECK(d.screen().selection().profile.empty());
    }
    std::filesystem::remove(path);
}

// SPDX-License-Identifier: MIT
// Mbufs in the window: they are there for a scenario that has them and for no other, and follow the run both ways.
#include "tests/gui_driver.hpp"

using namespace pipescope;

namespace {

std::size_t behind(Driver& d, EventKind kind) { // the first event of a kind
    Document& doc = d.screen().document();
    doc.ensure(100'000);
    for (std::size_t i = 0; i < doc.timeline().size(); ++i)
        if (doc.timeline()[i].kind == kind) return i + 1;
    FAIL("no such event");
    return 0;
}

bool shows(Driver& d, const char* path) { return d.screen().marks().find(path) != nullptr; }

} // namespace

TEST_CASE("mbufs: the window opens in sosend, and a packet's way can be followed") {
    Driver d(open_scenario("mbuf/1_copied.lua"));
    CHECK(d.screen().state().mbufs.clusters.size() == 4);
    CHECK(shows(d, "mbufs/b"));
    CHECK(!shows(d, "ring/area"));
    CHECK(!shows(d, "mbufs/m0"));
    d.screen().seek(behind(d, EventKind::if_queue));
    d.frame();
    CHECK(shows(d, "mbufs/m0"));
    CHECK(shows(d, "mbufs/m1"));
    CHECK(shows(d, "mbufs/c0"));
    CHECK(!shows(d, "mbufs/frame 1"));
    d.screen().seek(d.screen().document().timeline().size());
    d.frame();
    CHECK(!shows(d, "mbufs/m0"));
    CHECK(shows(d, "mbufs/frame 1"));
    d.screen().seek(behind(d, EventKind::if_queue));
    d.frame();
    CHECK(shows(d, "mbufs/m1"));
    CHECK(!shows(d, "mbufs/frame 1"));
}

TEST_CASE("mbufs: a click on a cluster chooses its page") {
    Driver d(open_scenario("mbuf/2_shared.lua"));
    d.screen().seek(behind(d, EventKind::if_queue));
    d.frame();
    REQUIRE(d.click("mbufs/c0"));
    CHECK(d.screen().selection().page == d.screen().state().mbufs.clusters[0].page);
}

TEST_CASE("mbufs: a narrow window has them as a tab, and no scenario with pipes has any") {
    Driver narrow(open_scenario("mbuf/2_shared.lua"), 900, 700);
    CHECK(shows(narrow, "why/The mbufs"));
    CHECK(!shows(narrow, "why/The ring"));
    CHECK(shows(narrow, "mbufs/c0"));
    REQUIRE(narrow.click("why/Memory"));
    CHECK(!shows(narrow, "mbufs/c0"));
    REQUIRE(narrow.click("why/The mbufs"));
    CHECK(shows(narrow, "mbufs/c0"));
}

TEST_CASE("mbufs: a scenario with pipes shows its ring") {
    Driver d(open_scenario("transfer/move_share_copy.lua"));
    CHECK(shows(d, "ring/area"));
    for (const Mark& m : d.screen().marks().all()) CHECK(m.path.rfind("mbufs/", 0) == std::string::npos);
}

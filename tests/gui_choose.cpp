// SPDX-License-Identifier: MIT
// Choosing in the window: a page by a click, an address by its digits, a kernel version from the toolbar.
#include "app/gui/subject.hpp"
#include "tests/demo_trace.hpp"
#include "tests/gui_driver.hpp"
#include <doctest/doctest.h>

using namespace pipescope;

namespace {

constexpr std::uint64_t src = 0x7f3a6c200000, dst = 0x7f3a6c400000;

std::unique_ptr<Document> model_demo() { return Document::from_trace(std::move(demo_trace(8, 3).trace)); }

std::unique_ptr<Document> tour() {
    std::string error;
    auto d = Document::open(PIPESCOPE_SOURCE_DIR "/assets/scenarios/tour.lua", KernelVersion{}, error);
    REQUIRE_MESSAGE(d, error);
    return d;
}

} // namespace

TEST_CASE("choose: a click on a tile walks to its page, mapped or not") {
    Driver d(model_demo());
    REQUIRE(d.click("why/Page walk"));
    CHECK(!d.screen().selection().place);
    CHECK(!d.click("walk/follow")); // nothing was chosen
    const Mark* strip = d.screen().marks().find("memory/src");
    REQUIRE(strip);
    const Rect r = strip->rect;
    d.click_at(r.x + 3, r.mid_y());
    REQUIRE(d.screen().selection().place);
    CHECK(d.screen().selection().place->addr == src);
    CHECK(d.screen().selection().page == 100);
    d.click_at(r.x + r.w / 64 * 5.5f, r.mid_y());
    CHECK(d.screen().selection().place->addr == src + 5 * page_size);
    CHECK(d.screen().selection().page == 105);
    const Mark* other = d.screen().marks().find("memory/dst");
    REQUIRE(other);
    d.click_at(other->rect.x + 3, other->rect.mid_y());
    CHECK(d.screen().selection().place->addr == dst);
    CHECK(d.screen().selection().page == no_page);
    REQUIRE(d.click("walk/follow"));
    CHECK(!d.screen().selection().place);
}

TEST_CASE("choose: a click on a slot chooses its page, for the struct page too") {
    Driver d(model_demo());
    REQUIRE(d.click("transport/last"));
    const Pipe& p = d.screen().state().pipes[0];
    const std::uint32_t slot = p.slot(p.tail);
    const PageId page = p.bufs[slot].page;
    const Mark* slots = d.screen().marks().find("memory/slots");
    REQUIRE(slots);
    d.click_at(slots->rect.x + slots->rect.w / 8 * (static_cast<float>(slot) + 0.5f), slots->rect.mid_y());
    CHECK(d.screen().selection().page == page);
    REQUIRE(d.click("why/struct page"));
    REQUIRE(d.click("page/follow"));
    CHECK(d.screen().selection().page == no_page);
}

TEST_CASE("choose: an address is typed, and what is none is told") {
    Driver d(model_demo());
    REQUIRE(d.click("why/Page walk"));
    REQUIRE(d.click("walk/address"));
    d.type("0x0000f2705af953c0");
    REQUIRE(d.screen().selection().place);
    CHECK(d.screen().selection().place->addr == 0xf2705af953c0);
    CHECK(d.screen().selection().address_fault.empty());
    REQUIRE(d.click("walk/follow"));
    CHECK(!d.screen().selection().place);
    for (const char* bad : {"hello", "0x", "12345678901234567", "\xc3\xa9"}) {
        REQUIRE(d.click("walk/address"));
        d.type(bad);
        INFO(bad);
        CHECK(!d.screen().selection().place);
        CHECK(!d.screen().selection().address_fault.empty());
        REQUIRE(d.click("walk/follow"));
        CHECK(d.screen().selection().address_fault.empty());
    }
}

TEST_CASE("choose: another kernel runs the scenario again and shows what differs") {
    Driver d(tour());
    CHECK(!d.screen().comparison());
    REQUIRE(d.click("toolbar/kernel"));
    REQUIRE(d.click("kernel/6.12"));
    CHECK(d.screen().document().meta().kernel == "6.12");
    REQUIRE(d.screen().comparison());
    CHECK(d.screen().comparison()->here == "6.12");
    CHECK(d.screen().comparison()->there == "6.18");
    CHECK(d.screen().selection().tab == Tab::versions);
    REQUIRE(d.click("versions/first"));
    CHECK(d.screen().transport().position() == d.screen().comparison()->first + 1);
    d.frame();
    CHECK(d.screen().marks().find("when/difference"));
    REQUIRE(d.click("versions/5.10"));
    CHECK(d.screen().document().meta().kernel == "6.12");
    CHECK(d.screen().comparison()->there == "5.10");
    for (int i = 0; i < 20; ++i) d.click("transport/forward");
}

TEST_CASE("choose: a recording has no other kernel") {
    Driver d(model_demo());
    CHECK(!d.click("toolbar/kernel"));
    std::string error;
    CHECK(!d.screen().run_under("6.12", error));
    CHECK(!error.empty());
    CHECK(!d.screen().compare_with("1.0", error));
    REQUIRE(d.click("why/Versions"));
    CHECK(!d.click("versions/6.12"));
}

// SPDX-License-Identifier: MIT
// The window driven without one: stepping both ways, seeking, tabs, and that all of it stays inside its regions.
#include "tests/demo_trace.hpp"
#include "tests/gui_driver.hpp"
#include <doctest/doctest.h>

using namespace pipescope;

namespace {

std::unique_ptr<Document> demo(std::uint32_t slots = 8, std::uint32_t rounds = 3) {
    return Document::from_trace(std::move(demo_trace(slots, rounds).trace));
}

} // namespace

TEST_CASE("screen: ten steps forward and ten back give the same state") {
    Driver d(demo());
    for (const char* step : {"step/event", "step/stage", "step/call"}) {
        REQUIRE(d.click(step));
        if (d.screen().transport().position()) REQUIRE(d.click("transport/first")); // a position that is a stop of every kind
        std::vector<std::uint64_t> seen;
        for (int i = 0; i < 10; ++i) {
            const std::uint64_t before = d.digest_now();
            if (!d.click("transport/forward")) break; // the end of the run
            seen.push_back(before);
        }
        for (std::size_t i = seen.size(); i-- > 0;) {
            REQUIRE(d.click("transport/back"));
            CHECK(d.digest_now() == seen[i]);
        }
    }
}

TEST_CASE("screen: first and last, and nothing to press beyond them") {
    Driver d(demo());
    REQUIRE(d.click("transport/first"));
    CHECK(d.screen().transport().position() == 0);
    CHECK(!d.click("transport/back"));
    REQUIRE(d.click("transport/last"));
    CHECK(d.screen().transport().position() == d.screen().document().timeline().size());
    CHECK(!d.click("transport/forward"));
}

TEST_CASE("screen: keys do what the buttons do") {
    Driver d(demo());
    const std::size_t before = d.screen().transport().position();
    d.screen().command(Command::forward);
    d.frame();
    CHECK(d.screen().transport().position() > before);
    d.screen().command(Command::back);
    d.frame();
    CHECK(d.screen().transport().position() == before);
    d.screen().command(Command::larger);
    d.frame();
    CHECK(d.screen().options().scale == doctest::Approx(1.25f));
    d.screen().command(Command::theme);
    d.frame();
    CHECK(!d.screen().options().dark);
}

TEST_CASE("screen: a click on the lanes or on the log goes there") {
    Driver d(demo());
    d.frame();
    const Mark* lanes = d.screen().marks().find("when/lanes");
    REQUIRE(lanes);
    const Rect r = lanes->rect;
    d.click_at(r.x + r.w * 0.75f, r.mid_y());
    const std::size_t there = d.screen().transport().position();
    CHECK(there > 0);
    d.click_at(r.x + r.w * 0.25f, r.mid_y());
    CHECK(d.screen().transport().position() < there);
    const Mark* list = d.screen().marks().find("events/list");
    REQUIRE(list);
    const std::size_t before = d.screen().transport().position();
    d.click_at(list->rect.x + 80, list->rect.y + 30);
    CHECK(d.screen().transport().position() != before);
}

TEST_CASE("screen: every tab, ring, size and scale draws, and widgets stay on the window") {
    for (const std::uint32_t slots : {1u, 2u, 8u, 16u, 32u, 64u, 1024u})
        for (const auto& [w, h] : {std::pair{640.f, 480.f}, {1280.f, 800.f}, {1600.f, 1000.f}, {1920.f, 1080.f}})
            for (const float scale : {1.0f, 1.5f}) {
                if (w < 640 * scale) continue; // refused
                Driver d(demo(slots, 1), w, h, {scale, true});
                for (const char* tab : {"why/Events", "why/Locks", "why/Ledger", "why/Costs", "why/Ladder", "why/Page walk", "why/struct page", "why/Versions"}) {
                    INFO(slots, " slots ", w, "x", h, " scale ", scale, " ", tab);
                    REQUIRE(d.click(tab));
                    for (int i = 0; i < 6; ++i) d.click("transport/forward");
                    for (const Mark& m : d.screen().marks().all()) {
                        if (m.path.rfind("who/", 0) == 0) continue; // cards scroll
                        INFO(m.path);
                        CHECK(m.rect.x >= -1);
                        CHECK(m.rect.right() <= w + 1);
                        CHECK(m.rect.bottom() <= h + 1);
                    }
                }
            }
}

TEST_CASE("screen: widgets do not lie on each other") {
    for (const float w : {640.f, 1280.f, 1600.f}) {
        Driver d(demo(), w, w * 0.65f);
        for (const char* tab : {"why/Events", "why/Locks", "why/Ledger", "why/Costs", "why/Ladder", "why/Page walk", "why/struct page", "why/Versions"}) {
            REQUIRE(d.click(tab));
            const auto& all = d.screen().marks().all();
            for (std::size_t i = 0; i < all.size(); ++i)
                for (std::size_t k = i + 1; k < all.size(); ++k) {
                    const Rect &a = all[i].rect, &b = all[k].rect;
                    INFO(w, " ", tab, ": ", all[i].path, " and ", all[k].path);
                    CHECK(!(a.x + 1 < b.right() && b.x + 1 < a.right() && a.y + 1 < b.bottom() && b.y + 1 < a.bottom()));
                }
        }
    }
}

TEST_CASE("screen: an empty document and a pipe-less one draw") {
    Driver none(Document::from_trace(Trace{}));
    none.frame();
    CHECK(!none.click("transport/forward"));
}

// SPDX-License-Identifier: MIT
// Lock step in the window: stepping past what has happened makes the next real call, and nothing else does.
#include "tests/gui_driver.hpp"
#include "sim/lockstep/lockstep.hpp"
#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace pipescope;

namespace {

// A scenario in step, as the button begins it; null where no kernel can be asked.
lockstep::Run* in_step(Driver& d) {
    d.screen().selection().tab = Tab::findings;
    d.frame();
    REQUIRE(d.click("findings/in_step"));
    lockstep::Run* const run = d.screen().document().in_step();
    REQUIRE(run);
    return run->comparison().why.empty() ? run : nullptr;
}

std::unique_ptr<Document> open_text(const char* text) {
    const auto path = std::filesystem::temp_directory_path() / ("pipescope-gui-" + std::to_string(::getpid()) + ".lua");
    std::ofstream(path) << text;
    std::string error;
    auto d = Document::open(path.string(), KernelVersion{}, error);
    REQUIRE_MESSAGE(d, error);
    return d;
}

} // namespace

TEST_CASE("lock step: the button begins with no call made; each step past the end makes one, and back and forth is free") {
    Driver d(open_scenario("merge.lua"));
    lockstep::Run* const run = in_step(d);
    if (!run) return;
    Screen& s = d.screen();
    s.command(Command::by_call);
    for (int i = 0; i < 10; ++i) d.frame(); // nothing happens by itself
    CHECK(run->steps() == 0);
    CHECK(s.transport().position() == run->timeline().size());
    CHECK(s.marks().find("ring/coming"));
    std::uint64_t made = 0;
    while (run->more() && made < 4) {
        REQUIRE(d.click("transport/forward"));
        REQUIRE(!run->waiting());
        const std::size_t steps = run->steps();
        CHECK(steps == ++made);
        s.command(Command::last); // to the end of what has happened, no further
        d.frame();
        CHECK(run->steps() == steps);
        CHECK(s.transport().position() == run->timeline().size());
        CHECK(s.marks().find("ring/coming"));
        const std::size_t events = run->timeline().size(), pairs = run->comparison().readings.size();
        for (int i = 0; i < 3 && s.transport().position(); ++i) {
            REQUIRE(d.click("transport/back"));
            CHECK(!s.marks().find("ring/coming"));
        }
        s.seek(events / 2), d.frame();
        for (int i = 0; i < 40 && s.transport().position() < events; ++i) REQUIRE(d.click("transport/forward"));
        CHECK(s.transport().position() == events);
        CHECK(run->steps() == steps);
        CHECK(run->comparison().readings.size() == pairs);
    }
    CHECK(run->more());
    s.command(Command::last); // from the end: all that is left
    d.frame();
    CHECK(!run->more());
    CHECK(!s.marks().find("ring/coming"));
    CHECK(run->kernel_pid() == 0);
    CHECK(s.partings().size() == run->comparison().divergences.size());
    CHECK(!s.document().recorded());
}

TEST_CASE("lock step: playing makes a call after the other, to the end") {
    Driver d(open_scenario("merge.lua"));
    lockstep::Run* const run = in_step(d);
    if (!run) return;
    d.screen().command(Command::by_call);
    d.screen().command(Command::play);
    for (int i = 0; i < 5000 && d.screen().transport().playing(); ++i) d.frame();
    CHECK(!d.screen().transport().playing());
    CHECK(!run->more());
    CHECK(d.screen().transport().position() == run->timeline().size());
}

TEST_CASE("lock step: while the kernel is in a call the window goes on, and shows it when it has come back") {
    Driver d(open_scenario("merge.lua"));
    lockstep::Run* const run = in_step(d);
    if (!run) return;
    Screen& s = d.screen();
    REQUIRE(d.click("transport/forward"));
    s.command(Command::last), d.frame();
    const std::size_t events = run->timeline().size();
    ::kill(run->kernel_pid(), SIGSTOP);
    REQUIRE(d.click("transport/forward"));
    CHECK(run->waiting());
    CHECK(s.moves());
    CHECK(s.transport().position() == events);
    REQUIRE(d.click("transport/forward")); // somebody is impatient
    CHECK(run->timeline().size() == events);
    ::kill(run->kernel_pid(), SIGCONT);
    for (int i = 0; i < 6000 && run->waiting(); ++i) {
        ::usleep(1000);
        d.frame();
    }
    CHECK(!run->waiting());
    CHECK(run->steps() == 2);
    CHECK(s.transport().position() > events);
}

TEST_CASE("lock step: a kernel's half that dies leaves what was played, and the model goes on") {
    Driver d(open_scenario("merge.lua"));
    lockstep::Run* const run = in_step(d);
    if (!run) return;
    Screen& s = d.screen();
    for (int i = 0; i < 3; ++i) {
        REQUIRE(d.click("transport/forward"));
        s.command(Command::last), d.frame();
    }
    const std::size_t events = run->timeline().size();
    ::kill(run->kernel_pid(), SIGKILL);
    REQUIRE(d.click("transport/forward"));
    CHECK(run->comparison().why.find("Killed") != std::string::npos);
    CHECK(run->timeline().size() > events);
    s.command(Command::last), d.frame();
    s.command(Command::last), d.frame();
    CHECK(!run->more());
    CHECK(s.partings().empty());
}

TEST_CASE("lock step: opening something else ends the kernel's half") {
    Driver d(open_scenario("merge.lua"));
    lockstep::Run* const run = in_step(d);
    if (!run) return;
    REQUIRE(d.click("transport/forward"));
    const int pid = run->kernel_pid();
    REQUIRE(::kill(pid, 0) == 0);
    std::string error;
    REQUIRE(d.screen().open_file(std::string(PIPESCOPE_SOURCE_DIR "/assets/scenarios/tour.lua"), error));
    d.frame();
    CHECK(::kill(pid, 0) == -1);
}

TEST_CASE("lock step: a wrong model is marked as soon as the call is made, and not before") {
    std::unique_ptr<Document> doc = open_text("kernel{version = \"6.18\"}\nlocal p, z = pipe{nonblock=true}, zero()\nwrite(p.w, \"abc\")\nsplice(z, nil, p.w, nil, 10)\nread(p.r, 4)\n");
    std::string error;
    const std::string path = doc->path();
    doc = Document::open(path, *kernel_version("5.10"), error);
    REQUIRE(doc);
    Driver d(std::move(doc));
    lockstep::Run* const run = in_step(d);
    if (!run) return;
    Screen& s = d.screen();
    const auto step = [&] { s.command(Command::last), d.frame(), s.command(Command::forward), d.frame(); };
    s.command(Command::forward), d.frame();
    CHECK(s.partings().empty());
    CHECK(run->coming().result == "EINVAL");
    step();
    REQUIRE(!s.partings().empty());
    s.seek(s.partings()[0].n), d.frame();
    CHECK(s.marks().find("ring/diverged"));
    std::filesystem::remove(path);
}

TEST_CASE("lock step: this kernel's model is beside it, whatever kernel the scenario wishes for") {
    Driver d(open_scenario("history/inq_whole.lua"));
    std::string error;
    REQUIRE(d.screen().run_in_step(error));
    lockstep::Run* const run = d.screen().document().in_step();
    REQUIRE(run);
    if (!run->comparison().why.empty()) return; // no kernel to be asked here
    d.screen().command(Command::forward), d.frame();
    // Another version is compared in the same order, as far as this one has come, and again when it has come further.
    REQUIRE(d.screen().compare_with(run->version().name, error));
    for (int i = 0; i < 3; ++i) {
        REQUIRE(d.screen().comparison());
        CHECK(d.screen().comparison()->same());
        CHECK(d.screen().comparison()->events_here == run->timeline().size());
        d.screen().command(Command::last), d.screen().command(Command::forward);
        d.frame();
    }
    d.screen().finish_in_step();
    CHECK(d.screen().partings().empty());
    CHECK(!run->more());
}

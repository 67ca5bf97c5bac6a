// SPDX-License-Identifier: MIT
// Virtual time: nothing is lost, nothing depends on anything but the seed, and what is counted is what was done.
#include "sim/des/ladder.hpp"
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

using namespace pipescope;

namespace {

const std::string path = PIPESCOPE_SOURCE_DIR "/assets/profiles/i7-8550u-5.17.toml";
constexpr std::uint64_t mib = 1 << 20;

const Profile& profile() {
    static const Profile p = profile_load(path);
    return p;
}
Profile calm() { // no chance in it
    Profile p = profile();
    for (const Cost c : {Cost::jitter_call, Cost::jitter_latency, Cost::delay_share}) p.at(c) = 0;
    return p;
}
std::span<const Rung> all() { return ladder_rungs(); }

std::string refusal(const std::string& text) {
    const std::string file = std::filesystem::temp_directory_path() / "pipescope_profile_test.toml";
    std::ofstream(file) << text;
    std::string what;
    try {
        profile_load(file);
    } catch (const std::runtime_error& e) {
        what = e.what();
    }
    std::filesystem::remove(file);
    return what;
}
std::string profile_text() {
    std::ostringstream s;
    s << std::ifstream(path).rdbuf();
    return s.str();
}

} // namespace

TEST_CASE("every picosecond of both tasks is booked to a call path or is idle") {
    for (const Rung& rung : all()) {
        CAPTURE(std::string(rung.name));
        BareSink sink;
        SpeedPair pair(sink, profile(), rung.options, 32 * mib, 4 * mib, 7);
        REQUIRE(pair.run());
        CHECK(pair.engine().ledger().total() + pair.engine().idle_ps() == pair.engine().accounted_ps());
        CHECK(pair.engine().ledger().total() > 0);
    }
}

TEST_CASE("the same seed gives the same run, another one does not") {
    const SpeedOptions o{.vmsplice = true, .splice = true, .huge_page = true};
    const RungResult a = run_rung(profile(), o, 32 * mib, 3), b = run_rung(profile(), o, 32 * mib, 3), c = run_rung(profile(), o, 32 * mib, 4);
    CHECK(a.gib_per_s == b.gib_per_s);
    CHECK(a.ledger.total() == b.ledger.total());
    CHECK(a.ledger.report(0) == b.ledger.report(0));
    CHECK(a.ledger.total() != c.ledger.total());
}

TEST_CASE("what a GiB takes follows from the way it goes") {
    const auto counts = [](const SpeedOptions& o) { return run_rung(profile(), o, 64 * mib, 1).ledger.counts; };
    const Counts wr = counts({}), vr = counts({.vmsplice = true}), vs = counts({.vmsplice = true, .splice = true}),
                 huge = counts({.vmsplice = true, .splice = true, .huge_page = true}),
                 zero = counts({.vmsplice = true, .splice = true, .touch = false}),
                 busy = counts({.vmsplice = true, .splice = true, .huge_page = true, .busy_loop = true});
    const auto near = [](std::uint64_t a, double b) { return std::abs(static_cast<double>(a) / b - 1) < 0.02; };
    const auto pages = [](const Counts& c) { return static_cast<double>(c.bytes_moved) / page_size; };
    CHECK(near(wr.bytes_copied, 2.0 * static_cast<double>(wr.bytes_moved))); // in and out again
    CHECK(near(vr.bytes_copied, 1.0 * static_cast<double>(vr.bytes_moved)));
    CHECK(vs.bytes_copied == 0);
    CHECK(wr.pages_allocated > pages(wr) * 0.9); // one in sixteen is the spare page
    CHECK(wr.pages_allocated < pages(wr) * 0.98);
    CHECK(vs.pages_allocated == 0);
    CHECK(near(vs.refs_taken, pages(vs) * 1.25)); // a third batch of 16 in every other call finds the ring full
    CHECK(near(vs.walks, pages(vs) / 16 * 1.25));
    CHECK(huge.ref_updates < vs.ref_updates);
    CHECK(huge.refs_taken > pages(huge)); // fewer changes of the count, but as many references
    CHECK(zero.slow_pages > pages(zero));
    CHECK(vs.slow_pages == 0);
    CHECK(busy.sleeps == 0);
    CHECK(busy.eagains > 0);
    CHECK(vs.eagains == 0);
}

TEST_CASE("memory does not grow with the length of a run") {
    for (const Rung& rung : all()) {
        CAPTURE(std::string(rung.name));
        const auto size = [&](std::uint64_t bytes) {
            BareSink sink;
            SpeedPair pair(sink, profile(), rung.options, bytes, mib, 1);
            REQUIRE(pair.run());
            const State& s = sink.state();
            return std::array<std::size_t, 6>{s.pages.size(), s.next_page, s.tables.size(), s.files.size(), s.free_pages[0].size(), s.bytes.size()};
        };
        const auto shorter = size(16 * mib), longer = size(128 * mib);
        for (std::size_t i = 0; i < shorter.size(); ++i)
            if (i != 4) CHECK(shorter[i] == longer[i]);
        CHECK(longer[4] <= longer[1]);
    }
}

namespace {

struct Poller final : Program { // makes one call a number of times
    Call call;
    int left = 1000;
    const Call* next(long) override { return left-- > 0 ? &call : nullptr; }
};

// `n` pollers of one pipe, all beginning on CPU 0.
struct Crowd {
    BareSink sink;
    Profile p = calm();
    std::unique_ptr<Engine> engine;
    std::array<Poller, 3> pollers;
    std::vector<TaskId> tasks;

    Crowd(std::uint32_t cpus, std::size_t n, bool pinned, bool preempt, Sys nr = Sys::fionread) {
        p.at(Cost::timeslice) = 20'000;
        p.at(Cost::mutex_lock) = 400; // most of a call is with the mutex held
        engine = std::make_unique<Engine>(sink, p, *kernel_version("5.17"), EngineOptions{.cpus = cpus, .seed = 1, .preempt = preempt});
        Kernel& k = engine->kernel();
        const MmId mm = k.mm_new();
        const FdTableId fds = k.fdtable_new();
        for (std::size_t i = 0; i < n; ++i) tasks.push_back(k.task_new(0, mm, fds, i, 0));
        int ends[2];
        k.pipe_new(tasks[0], 16, 0, 0, ends);
        for (std::size_t i = 0; i < n; ++i) {
            pollers[i].call.nr = nr;
            pollers[i].call.fd = ends[0];
            engine->add(tasks[i], "poller", pollers[i], 0, pinned);
        }
    }
};

} // namespace

TEST_CASE("more tasks than CPUs share them by time slices") {
    Crowd c(1, 2, true, false);
    REQUIRE(c.engine->run(c.tasks[0]));
    CHECK(c.pollers[1].left < 200); // it went on beside the other one, though there is one CPU
    CHECK(c.pollers[1].left > 0);
    const double expected = c.engine->now_ns() / 20'000;
    const auto switches = static_cast<double>(c.engine->ledger().counts.context_switches);
    CHECK(switches > expected * 0.5);
    CHECK(switches < expected * 1.5);
    CHECK(c.engine->ledger().counts.lock_waits == 0); // nobody is taken off its CPU with the mutex in its hands …
    Crowd preempted(1, 2, true, true);
    REQUIRE(preempted.engine->run(preempted.tasks[0]));
    CHECK(preempted.engine->ledger().counts.lock_waits > 0);    // … unless the kernel may be preempted
    CHECK(preempted.engine->ledger().counts.lock_wait_ps == 0); // and then nobody spins: the owner is not on a CPU
    CHECK(preempted.engine->ledger().total() + preempted.engine->idle_ps() == preempted.engine->accounted_ps());
}

TEST_CASE("a task that is not pinned goes where a CPU is idle") {
    Crowd pinned(2, 2, true, false, Sys::fcntl_getpipe_sz), free(2, 2, false, false, Sys::fcntl_getpipe_sz);
    REQUIRE(pinned.engine->run(pinned.tasks[0]));
    REQUIRE(free.engine->run(free.tasks[0]));
    CHECK(pinned.sink.state().tasks[1].cpu == 0);
    CHECK(free.sink.state().tasks[1].cpu == 1);
    CHECK(free.engine->now_ns() < pinned.engine->now_ns() * 0.6);
    CHECK(free.engine->ledger().counts.context_switches == 0);
    Crowd three(2, 3, false, false); // two CPUs, three tasks: all go on
    REQUIRE(three.engine->run(three.tasks[0]));
    for (const Poller& p : three.pollers) CHECK(p.left < 600);
    CHECK(three.engine->ledger().counts.lock_wait_ps > 0); // now two at a time want the mutex
}

TEST_CASE("wake-ups that were seen stand for the usual ones, by how long the sleeper has been idle") {
    const auto times = [](std::vector<WakeRow> wake) {
        Profile p = calm();
        p.at(Cost::idle_long) = 1e9;
        p.wake = std::move(wake);
        return run_rung(p, {}, 16 * mib, 1);
    };
    const double usual[] = {calm()[Cost::wake_idle], calm()[Cost::latency_short]};
    const RungResult without = times({}), same = times({{0, {{usual[0], usual[1]}}}}), slow = times({{0, {{usual[0], usual[1] + 5000}}}}),
                     far = times({{0, {{usual[0], usual[1]}}}, {1e8, {{0, 1e6}}}});
    CHECK(same.gib_per_s == doctest::Approx(without.gib_per_s).epsilon(0.02));
    CHECK(slow.gib_per_s < same.gib_per_s * 0.9);
    CHECK(far.gib_per_s > slow.gib_per_s); // nobody idles for long: the second row is hardly ever drawn
    const std::string file = std::filesystem::temp_directory_path() / "pipescope_wake_test.toml";
    Profile p = profile();
    p.wake = {{1, {{2, 3}, {4, 5}}}, {6, {{7, 8}}}};
    p.wake_source = "x";
    profile_save(p, file);
    const Profile back = profile_load(file);
    std::filesystem::remove(file);
    REQUIRE(back.wake.size() == 2);
    CHECK(back.wake[0].seen == p.wake[0].seen);
    CHECK(back.wake[1].idle_ns == 6);
    CHECK(back.wake_source == "x");
}

TEST_CASE("a profile is complete, or it is refused with a reason") {
    const std::string good = profile_text();
    CHECK(refusal(good).empty());
    const auto without = [&](const std::string& line, const std::string& instead) {
        std::string s = good;
        const auto at = s.find("\n" + line), end = s.find('\n', at + 1);
        REQUIRE(at != std::string::npos);
        return s.replace(at + 1, end - at - 1, instead);
    };
    CHECK(refusal(without("gup_walk", "")).find("costs.gup_walk is missing") != std::string::npos);
    CHECK(
        refusal(without("gup_walk", "gup_walk = { value = -1, unit = \"ns\", source = \"x\" }")).find("costs.gup_walk: value") != std::string::npos);
    CHECK(refusal(without("gup_walk", "gup_walk = { value = 1, unit = \"us\", source = \"x\" }")).find("unit must be \"ns\"") != std::string::npos);
    CHECK(refusal(without("gup_walk", "gup_walk = { value = 1, unit = \"ns\" }")).find("source is missing") != std::string::npos);
    CHECK(refusal(good + "gup_wlak = 1\n").find("costs.gup_wlak is not a cost") != std::string::npos);
    const auto wake = [&](const std::string& rows) { return refusal(good + "\n[wake]\nunit = \"ns\"\nsource = \"x\"\nrows = " + rows + "\n"); };
    CHECK(wake("[{ idle = 5, seen = [[1, 2]] }, { idle = 6, seen = [[1, 2], [3, 4]] }]").empty());
    CHECK(wake("[]").find("wake.rows must be a list") != std::string::npos);
    CHECK(wake("[{ idle = 5, seen = [] }]").find("from 1 to 1000 pairs") != std::string::npos);
    CHECK(wake("[{ seen = [[1, 2]] }]").find("idle must be a number") != std::string::npos);
    CHECK(wake("[{ idle = 5, seen = [[1, 2, 3]] }]").find("pairs of a cost and a latency") != std::string::npos);
    CHECK(wake("[{ idle = 5, seen = [[1, -2]] }]").find("a latency must be a number") != std::string::npos);
    CHECK(wake("[{ idle = 5, seen = [[1, 2]] }, { idle = 5, seen = [[1, 2]] }]").find("idle must rise") != std::string::npos);
    CHECK(refusal(good + "\n[wake]\nunit = \"us\"\nsource = \"x\"\nrows = [{ idle = 5, seen = [[1, 2]] }]\n").find("unit must be") != std::string::npos);
    CHECK(refusal(good + "\n[wake]\nunit = \"ns\"\nrows = [{ idle = 5, seen = [[1, 2]] }]\n").find("source is missing") != std::string::npos);
    CHECK(refusal("name = ").find("line 1") != std::string::npos);
    CHECK(refusal("name = \"x\"\n").find("kernel is missing") != std::string::npos);
}

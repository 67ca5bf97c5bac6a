// SPDX-License-Identifier: MIT
// The findings panel and the recorder beside the window, without a window.
#include "app/findings_rows.hpp"
#include "app/recorder.hpp"
#include "tests/demo_trace.hpp"
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace pipescope;

TEST_CASE("findings rows: a click goes to the next place, and round") {
    const std::vector<std::uint64_t> events = {10, 20, 30};
    CHECK(next_of(events, 0) == 10);
    CHECK(next_of(events, 10) == 20);
    CHECK(next_of(events, 25) == 30);
    CHECK(next_of(events, 30) == 10);
    CHECK(next_of({}, 7) == 0);
}

TEST_CASE("findings rows: looked at in parts they are those of the whole, and new events count too") {
    DemoTrace demo(8);
    for (int i = 0; i < 30; ++i) {
        demo.head = demo.tail = 0;
        demo.write(4096, 8);
    }
    Timeline t;
    for (const Event& e : demo.trace.events) t.append(e);
    RunFindings whole, parts;
    REQUIRE(whole.update(t, demo.trace.meta, demo.trace.strings, ~std::size_t{0}));
    int turns = 1;
    while (!parts.update(t, demo.trace.meta, demo.trace.strings, 7)) ++turns;
    CHECK(turns >= static_cast<int>(t.size() / 7));
    REQUIRE(whole.bars().size() == parts.bars().size());
    REQUIRE(!whole.bars().empty());
    REQUIRE(whole.lines().size() == parts.lines().size());
    for (std::size_t i = 0; i < whole.bars().size(); ++i) {
        CHECK(whole.bars()[i].figures == parts.bars()[i].figures);
        std::uint64_t sum = 0;
        for (const auto& [kind, ns] : whole.bars()[i].parts) sum += ns;
        CHECK(sum == whole.bars()[i].total);
    }
    const std::string before = parts.bars()[0].figures;
    const std::size_t n = demo.trace.events.size();
    demo.write(4096, 8);
    for (std::size_t i = n; i < demo.trace.events.size(); ++i) t.append(demo.trace.events[i]);
    REQUIRE(parts.update(t, demo.trace.meta, demo.trace.strings, ~std::size_t{0}));
    CHECK(parts.bars()[0].figures != before);
}

TEST_CASE("recorder: what record says becomes figures, a tier, a reason or a fault") {
    RecorderNews n;
    CHECK(n.take("run-1.psc: 1200 events, 3 lost, 4.00 MiB through the pipes, 12.1 KiB written", "run-1.psc"));
    CHECK(n.events == "1200");
    CHECK(n.lost == "3");
    CHECK(n.bytes == "4.00 MiB");
    CHECK(n.written == "12.1 KiB");
    CHECK(n.take("run-1.psc: 4.00 MiB in 2.1 ms = 1.90 GiB/s while recorded by bpf, interrupted", "run-1.psc"));
    CHECK(n.tier == "bpf");
    CHECK(n.take("pipescope record: recording the processes' own view of their system calls, the ring will be inferred: CAP_BPF is missing", "run-1.psc"));
    CHECK(n.why == "CAP_BPF is missing");
    CHECK(n.fault.empty());
    CHECK(n.take("pipescope record: nosuch: no such command", "run-1.psc"));
    CHECK(n.fault == "nosuch: no such command");
    CHECK(!n.take("of the command: 5 events, 7 lost", "run-1.psc"));
    CHECK(n.events == "1200");
}

namespace {

// A program in place of pipescope: the script, with the arguments that the recorder gives.
std::string script(const std::string& body) {
    char path[] = "/tmp/pipescope-recorder-XXXXXX";
    const int fd = ::mkstemp(path);
    REQUIRE(fd >= 0);
    ::close(fd);
    std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
}

void wait_until(Recorder& r, const auto& what) {
    for (int i = 0; i < 2000 && !what(); ++i) r.poll(), ::usleep(10'000);
}

} // namespace

TEST_CASE("recorder: a child is listened to, stopped, and told from one that fails") {
    Recorder r;
    std::string error;
    CHECK(!r.start("  ", "auto", "x.psc", error));
    CHECK(error == "there is no command to record");
    const std::string slow = script("echo \"$6: 5 events, 0 lost, 1 KiB through the pipes, 2 KiB written\" >&2; exec sleep 600");
    REQUIRE_MESSAGE(r.start("yes", "bpf", "x.psc", error, slow), error);
    wait_until(r, [&] { return !r.news().events.empty(); });
    CHECK(r.news().events == "5");
    CHECK(r.running());
    CHECK(!r.start("yes", "bpf", "y.psc", error, slow));
    r.stop();
    wait_until(r, [&] { return r.ended(); });
    CHECK(!r.running());
    CHECK(r.status() == 128 + 2);
    const std::string bad = script("echo \"pipescope record: $4 is not to be had\" >&2; exit 2");
    REQUIRE(r.start("yes", "bpf", "x.psc", error, bad));
    wait_until(r, [&] { return r.ended(); });
    CHECK(r.status() == 2);
    CHECK(r.news().fault == "bpf is not to be had");
    std::filesystem::remove(slow), std::filesystem::remove(bad);
}

// SPDX-License-Identifier: MIT
// The words and the JSON of `info`: what is not known is said to be so, and what a file says cannot upset a terminal.
#include "app/info_text.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace pipescope;

namespace {

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

Summary two_tasks() {
    Summary s;
    s.events = 10;
    s.tasks.resize(2);
    s.tasks[0].name = s.tasks[1].name = "cat";
    s.tasks[1].pid = 77;
    s.pipes.resize(1);
    return s;
}

} // namespace

TEST_CASE("info: slots by owner in words") {
    Summary s;
    PipeSummary& p = s.pipes.emplace_back();
    p.source = RingSource::kernel;
    p.slots.user = p.slots.by_frame = 262144;
    p.user_pages_of = "writer";
    CHECK(has(info_text({}, {s}, "f", 1), "pipe 1: 262144 slots held writer's own user pages (known by frame number), 0 kernel pages\n"));
    p.user_pages_of = "";
    p.slots.kernel = p.slots.by_slot_kind = 3;
    CHECK(has(info_text({}, {s}, "f", 1),
        "pipe 1: 262144 slots held user pages, 3 kernel pages (262144 known by frame number, 3 known by the kind of slot)\n"));
    p.slots = {};
    p.slots.kernel = p.slots.inferred = 5;
    p.source = RingSource::inferred;
    CHECK(has(info_text({}, {s}, "f", 1), "pipe 1: 5 slots held kernel pages (inferred by the model), 0 user pages\n"));
    CHECK(has(info_text({}, {s}, "f", 1), "inferred by the model from the results of calls"));
    p.slots = {};
    CHECK(has(info_text({}, {s}, "f", 1), "pipe 1: no slot was seen filled\n"));
}

TEST_CASE("info: the unknown is null, not 0") {
    const auto j = info_json({}, {two_tasks()}, "f", 1);
    for (const char* key : {"kernel", "capture", "duration_ns", "bytes", "gib_per_s", "first_divergence"}) {
        CAPTURE(key);
        CHECK(j.at(key).is_null());
    }
    CHECK(j.at("events") == 10);
    CHECK(j.at("lost") == 0);
    CHECK(j.at("findings").empty());
    CHECK(j.at("tasks").size() == 2);
    CHECK(j.at("pipes").at(0).at("slots_by_owner").at("page_cache") == 0);
    // Tasks of one name stay apart.
    CHECK(j.at("time_by_task").size() == 2);
    CHECK(j.at("time_by_task").at("cat (77)").at("lock_wait").is_null());
    CHECK(has(info_text({}, {two_tasks()}, "f", 1), "unknown"));
}

TEST_CASE("info: the capture in words") {
    TraceMeta m;
    m.capture = "syscalls";
    CHECK(has(info_text(m, {}, "f", 1), "the ring is inferred by the model"));
    m.capture = "bpf";
    CHECK(has(info_text(m, {}, "f", 1), "read from the kernel"));
}

TEST_CASE("info: control characters do not reach the terminal") {
    TraceMeta m;
    m.title = "\x1b[31mred\n\x7f";
    Summary s = two_tasks();
    s.tasks[0].name = "a\x1b]0;b\a";
    const std::string text = info_text(m, {s}, "f", 1);
    for (const char c : text) CHECK((c == '\n' || (c >= ' ' && c != 0x7f)));
    CHECK(has(text, "\\x1b[31mred\\x0a\\x7f\n"));
}

TEST_CASE("info: figures for people") {
    CHECK(bytes_text(0) == "0 bytes");
    CHECK(bytes_text(1) == "1 byte");
    CHECK(bytes_text(1023) == "1023 bytes");
    CHECK(bytes_text(1536) == "1.50 KiB");
    CHECK(bytes_text(~std::uint64_t{0}) == "16.00 EiB");
    CHECK(ns_text(999) == "999 ns");
    CHECK(ns_text(12'340'000) == "12.34 ms");
    CHECK(ns_text(61'000'000'000) == "61.000 s");
}

TEST_CASE("info: findings with their events, in words and as JSON") {
    Insight i;
    i.summary = two_tasks();
    i.findings.push_back({"sigpipe", "w wrote \x1b when nobody read.", {3, 14}});
    const std::string text = info_text({}, i, "f", 1);
    CHECK(has(text, "sigpipe           w wrote \\x1b when nobody read. [events 3, 14]\n"));
    const auto j = info_json({}, i, "f", 1);
    CHECK(j.at("findings").at(0).at("rule") == "sigpipe");
    CHECK(j.at("findings").at(0).at("events").at(1) == 14);
}

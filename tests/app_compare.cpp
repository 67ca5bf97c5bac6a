// SPDX-License-Identifier: MIT
// One scenario under two kernels: the first event that differs, the calls, and the ends.
#include "app/compare.hpp"
#include <cstdio>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace pipescope;

namespace {

struct Lua { // a scenario in a file of its own
    std::string path;
    explicit Lua(const std::string& text) {
        static int n = 0;
        path = (std::filesystem::temp_directory_path() / ("compare-" + std::to_string(getpid()) + "-" + std::to_string(n++) + ".lua")).string();
        std::ofstream(path) << text;
    }
    ~Lua() { std::filesystem::remove(path); }
    std::unique_ptr<Document> under(const char* version) {
        std::string error;
        auto d = Document::open(path, kernel_version(version).value(), error);
        REQUIRE_MESSAGE(d, error);
        return d;
    }
    Comparison compare(const char* here, const char* there, std::size_t limit = 60'000) {
        const auto a = under(here), b = under(there);
        return compare_runs(*a, *b, limit);
    }
};

const char* const plain = "local p = pipe()\nlocal b = buffer('16K')\nwrite(p.w, b, 10000)\nread(p.r, b, 5000)\n";

} // namespace

TEST_CASE("compare: a run is the same as itself") {
    Lua lua(plain);
    const Comparison c = lua.compare("6.18", "6.18");
    CHECK(c.same());
    CHECK(c.whole);
    CHECK(c.calls_different == 0);
    CHECK(c.events_here > 50);
    REQUIRE(c.pipes.size() == 1);
    CHECK(c.pipes[0].ring_here == c.pipes[0].ring_there);
}

TEST_CASE("compare: 6.14 fills a slot in before the copy, 6.18 after it, with the same results") {
    Lua lua(plain);
    const Comparison c = lua.compare("6.18", "6.14");
    REQUIRE(!c.same());
    CHECK(c.here == "6.18");
    CHECK(c.there == "6.14");
    CHECK(c.calls_different == 0);
    CHECK(c.first_here != c.first_there);
    CHECK(c.first_here.find("main: ") == 0);
    const auto a = lua.under("6.18"), b = lua.under("6.14");
    a->ensure(c.events_here), b->ensure(c.events_there);
    for (std::size_t i = 0; i < c.first; ++i) { // everything before is the same, the event itself is not
        Event x = a->timeline()[i], y = b->timeline()[i];
        x.t_ns = y.t_ns = 0;
        REQUIRE(x == y);
    }
    Event x = a->timeline()[c.first], y = b->timeline()[c.first];
    x.t_ns = y.t_ns = 0;
    CHECK(!(x == y));
}

TEST_CASE("compare: /dev/zero can be spliced from 6.7 on") {
    Lua lua("local p = pipe()\nsplice(zero(), nil, p.w, nil, 8192)\nfionread(p.r)\n");
    const auto here = lua.under("6.18"), there = lua.under("6.6");
    const Comparison c = compare_runs(*here, *there);
    REQUIRE(c.calls_different == 2);
    CHECK(c.calls[0].here == "8 192");
    CHECK(c.calls[0].there == "EINVAL");
    REQUIRE(c.calls[0].at > 0);
    const Event behind = here->timeline()[c.calls[0].at - 1];
    CHECK(behind.kind == EventKind::sys_exit);
    CHECK(behind.a == static_cast<std::uint32_t>(Sys::splice));
    CHECK(c.calls[1].here == "8 192");
    CHECK(c.calls[1].there == "0");
    CHECK(c.pipes[0].ring_here != c.pipes[0].ring_there);
}

TEST_CASE("compare: two spare pages since 6.15, one before") {
    Lua lua("local p = pipe()\nlocal b = buffer('16K')\nwrite(p.w, b, 16384)\nread(p.r, b, 16384)\n");
    const Comparison c = lua.compare("6.18", "6.12");
    REQUIRE(c.pipes.size() == 1);
    CHECK(c.pipes[0].spare_here == 2);
    CHECK(c.pipes[0].spare_there == 1);
}

TEST_CASE("compare: a scenario without an end is compared as far as the limit goes") {
    Lua lua("local p = pipe()\nlocal b = buffer('16K')\ntask('w', function() while true do write(p.w, b, 9000) end end)\n"
            "task('r', function() while true do read(p.r, b, 9000) end end)\n");
    const Comparison same = lua.compare("6.18", "6.18", 3000), other = lua.compare("6.18", "5.10", 3000);
    CHECK(!same.whole);
    CHECK(same.same());
    CHECK(same.calls_different == 0);
    CHECK(!other.same());
    CHECK(other.events_here == 3000);
}

// SPDX-License-Identifier: MIT
// What a scenario from a stranger cannot do: reach the system, run for ever, take all memory, bring bytecode.
#include "scenario_case.hpp"
#include <doctest/doctest.h>

using namespace scenario_test;

namespace {
// A case that Lua or a limit ends, at `line`, with `words` in its message.
void stops(const std::string& text, int line, const std::string& words) {
    const CaseResult r = check(text);
    INFO(text);
    INFO(r.message);
    CHECK(r.unreadable);
    CHECK(r.status == CaseStatus::failed);
    CHECK(r.line == line);
    CHECK(r.message.find(words) != std::string::npos);
}
void holds(const std::string& text) {
    const CaseResult r = check(text + "\nexpect(true, true)"); // it comes to its end
    INFO(text);
    INFO(r.message);
    CHECK(r.status == CaseStatus::passed);
}
} // namespace

TEST_CASE("sandbox: no way to the system") {
    for (const char* name : {"io", "os", "package", "debug", "require", "load", "loadfile", "dofile", "collectgarbage", "coroutine", "setmetatable",
             "getmetatable", "rawset"}) {
        CAPTURE(name);
        holds(std::string("expect(") + name + ", nil)");
    }
    holds("expect(string.dump, nil)");
    stops("local f = io.open('/etc/passwd')", 1, "nil value (global 'io')");
}

TEST_CASE("sandbox: bytecode is refused") {
    const CaseResult r = check("\x1bLua\x54\x00\x19\x93");
    CHECK(r.unreadable);
    CHECK(r.message.find("binary") != std::string::npos);
}

TEST_CASE("sandbox: an endless loop is stopped, with its line") {
    stops("local p = pipe()\nwhile true do\nend", 2, "instructions without a system call");
    stops("local function f()\n  return f()\nend\nf()", 2, "instructions");
    // Nothing that catches errors may hold it up.
    stops("while true do\n  pcall(function() while true do end end)\nend", 2, "instructions");
    stops("for i = 1, 1e15 do pcall(error, 'x') end", 1, "instructions");
}

TEST_CASE("sandbox: the limit is per system call") {
    holds("local p = pipe{nonblock = true}\nfor i = 1, 400 do\n  write(p.w, 'x')\n  read(p.r, 1)\n  for j = 1, 10000 do end\nend\nexpect(fionread(p.r), 0)");
    // A check must end, though every call may have been a short one.
    const CaseResult r = check("local p = pipe()\nwhile true do write(p.w, 'x') read(p.r, 1) end");
    CHECK(r.status == CaseStatus::failed);
    CHECK(r.line == 2);
    CHECK(r.message == "more than 100000 system calls");
}

TEST_CASE("sandbox: library loops that count no instruction") {
    holds("expect(#string.rep('', 1 << 60), 0)");
    stops("local t = {}\ntable.move(t, 1, 1 << 60, 2)", 2, "position");
    stops("table.concat({}, '', 1, 1 << 60)", 1, "position");
    stops("table.unpack({}, 1, 1e8)", 1, "position");
    stops("string.find(('a'):rep(3000), ('.-'):rep(20) .. 'b')", 1, "pattern");
    holds("expect(('head=12 tail=3'):match('head=(%d+) tail=(%d+)'), '12')");
    holds("local t = {} for i = 1, 1000 do table.insert(t, 1, i * 1e9) end table.sort(t) expect(t[1], 1000000000)");
}

TEST_CASE("sandbox: memory is limited") {
    stops("local t = {}\nfor i = 1, 1e9 do\n  t[i] = ('x'):rep(100000) .. i\nend", 3, "MiB of memory");
    stops("local s = 'x'\nwhile true do s = s .. s end", 2, "MiB of memory");
    stops("local s = ('x'):rep(1 << 40)", 1, "");
    stops("buffer('5G')", 1, "4 GiB");
    stops("while true do buffer('1G') end", 1, "4 GiB");
    stops("for i = 1, 1e6 do pipe() end", 1, "pipes");
    stops("for i = 1, 1e6 do task('t', function() end) end", 1, "tasks");
}

TEST_CASE("sandbox: what a run depends on is the same in every run") {
    const std::string text = "local t = {z = 1, a = 2, m = 3, [3] = 4, [1.5] = 5}\n"
                             "for k, v in pairs(t) do print(k, v) end\n"
                             "print(tostring({}), string.format('%s', print), math.random(1000000))";
    const CaseResult a = check(text), b = check(text);
    REQUIRE(a.printed.size() == 6);
    CHECK(a.printed == b.printed);
    CHECK(a.printed[0] == "1.5\t5");
    CHECK(a.printed[2] == "a\t2");
    CHECK(a.printed[5].substr(0, 15) == "table\tfunction\t");
    stops("print(string.format('%p', {}))", 1, "addresses");
    stops("math.randomseed()", 1, "");
}

TEST_CASE("sandbox: errors name their line") {
    stops("local x = 1\nlocal p = pipe()\nx.y.z = 1", 3, "attempt to index");
    stops("local p = pipe(\n\n", 3, "expected");
    stops("local p = pipe()\nwrite(p, 'x')", 2, "p.r or p.w");
    stops("local p = pipe{slotss = 4}", 1, "no option \"slotss\"");
    stops("local b = buffer('4Q')", 1, "not a size");
    stops("local p = pipe()\nlocal b = buffer('4K')\nvmsplice(p.w, b, 'SPLICE_F_MOVE|SPLICE_F_FAST')", 3, "SPLICE_F_FAST");
    stops("local p = pipe()\nsocketpair{type='raw'}", 2, "stream");
    stops("error({})", 1, "table");
    stops("error('my own words')", 1, "my own words");
    stops("local b = buffer('4K')\nlocal x = b:at(9000)", 2, "outside");
    stops("local b = buffer('4K')\nbytes(b, 4000, 200)", 2, "outside");
    stops("table.sort({3, 2, 1}, function(a, b) read(3, 1) return a < b end)", 1, "cannot be made from here");
}

TEST_CASE("sandbox: files that are none") {
    for (const char* path : {"/nonexistent/case.lua", "/"}) {
        const CaseResult r = check_on_model(path, KernelVersion{});
        CHECK(r.unreadable);
        CHECK(!r.message.empty());
        std::string error;
        CHECK(!Scenario::load(path, KernelVersion{}, error));
        CHECK(error.find(path) == 0);
    }
}

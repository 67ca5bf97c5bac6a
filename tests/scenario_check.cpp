// SPDX-License-Identifier: MIT
// Verdicts on litmus cases: held, failed, skipped, stuck, and how run() drives a task.
#include "scenario_case.hpp"
#include "sim/scenario/check.hpp"
#include "sim/scenario/not_here.hpp"
#include "sim/model_backend.hpp"
#include <doctest/doctest.h>

using namespace scenario_test;

TEST_CASE("check: an expectation that holds, and one that does not") {
    const CaseResult good = check("local p = pipe()\nexpect(write(p.w, 'abc'), 3)\nexpect(ring_size(p), 16)");
    CHECK(good.status == CaseStatus::passed);
    CHECK(good.expectations == 2);
    CHECK(good.message.empty());
    CHECK(good.results == std::vector<std::string>{"line 2: write(4, 3) = 3"});

    const CaseResult bad = check("local p = pipe()\nexpect(write(p.w, 'abc'), 'EPIPE')\nexpect(1, 2)");
    CHECK(bad.status == CaseStatus::failed);
    CHECK(bad.line == 2);
    CHECK(bad.message == "expected \"EPIPE\", got 3");
    CHECK(bad.expectations == 1); // it stops at the first
    CHECK(!bad.unreadable);

    CHECK(check("expect(nil, 1)").message == "expected 1, got nil");
    CHECK(check("expect(1, true)").message == "expected true, got 1");
    CHECK(check("expect(1.0, 1)").status == CaseStatus::passed);
    CHECK(check("pcall(expect, 1, 2)").status == CaseStatus::failed); // pcall cannot save it
    CHECK(check("local w = task('t', function() expect(1, 2) end)\nrun(w)").line == 1);
}

TEST_CASE("check: a call that nobody will end") {
    const CaseResult r = check("local p = pipe()\nlocal b = buffer('4K')\nread(p.r, b)");
    CHECK(r.status == CaseStatus::failed);
    CHECK(!r.unreadable);
    CHECK(r.line == 3);
    CHECK(r.message == "read would block for ever");
}

TEST_CASE("check: skipping") {
    const CaseResult r = check("local p = pipe()\nskip('no reason')\nexpect(1, 2)");
    CHECK(r.status == CaseStatus::skipped);
    CHECK(r.line == 2);
    CHECK(r.message == "no reason");
    CHECK(check("kernel{min = '6.19'}").message == "for kernels from 6.19, this is 6.18");
    CHECK(check("kernel{min = '5.10', max = '6.12'}").status == CaseStatus::skipped);
    CHECK(check("kernel{min = '5.8', max = '6.18'}\nexpect(1, 1)").status == CaseStatus::passed);
    CHECK(check("kernel{min = 'six'}").unreadable);
}

TEST_CASE("check: run() until a task sleeps or ends") {
    const CaseResult r = check(R"(
local p = pipe()
local w = task("w", function()
    local a = read(p.r, 10)
    local b = read(p.r, 10)
    return a, b, "done"
end)
expect(run(w), "blocked")
expect(run(w), "blocked")
expect(write(p.w, "abc"), 3)
expect(fionread(p.r), 0)     -- the sleeper went on inside the kernel at once
expect(write(p.w, "de"), 2)  -- its code did not: the second read was not made yet
expect(fionread(p.r), 2)
local a, b, c = run(w)
expect(a, 3)
expect(b, 2)
expect(c, "done")
)");
    CHECK(r.message.empty());
    CHECK(r.expectations == 9);
    CHECK(check("local w = task('t', function() end)\nrun(w)\nrun(w)").message == "task t has ended already");
    CHECK(check("local w\nw = task('t', function() run(w) end)\nrun(w)").message == "run() is for the main chunk");
}

namespace {
// The questions are answered by nothing; everything else goes to the model.
class Blind final : public Backend {
public:
    explicit Blind(ModelBackend& m) : m_(m) {}
    const char* name() const override { return "blind"; }
    TaskId task_new(const std::string& name, int cpu) override { return m_.task_new(name, cpu); }
    std::array<int, 2> pipe_new(TaskId t, const PipeOptions& o) override { return m_.pipe_new(t, o); }
    Memory buffer_new(TaskId t, const BufferOptions& o) override {
        if (o.huge) throw NotHere{"no huge page"};
        return m_.buffer_new(t, o);
    }
    int open_null(TaskId t) override { return m_.open_null(t); }
    void start(TaskId t, const Call& c) override { m_.start(t, c); }
    void settle() override { m_.settle(); }
    std::optional<long> finished(TaskId t) override { return m_.finished(t); }
    bool store(TaskId t, std::uint64_t a, std::span<const std::uint8_t> b) override { return m_.store(t, a, b); }
    bool load(TaskId t, std::uint64_t a, std::span<std::uint8_t> b) override { return m_.load(t, a, b); }
    Memory scratch(TaskId t, std::uint64_t n) override { return m_.scratch(t, n); }
    std::uint32_t take_signals(TaskId t) override { return m_.take_signals(t); }
    std::optional<std::string> ring(int) override { return {}; }
    std::optional<std::uint32_t> ring_size(int) override { return {}; }
    std::optional<std::uint32_t> max_usage(int) override { return {}; }
    std::optional<std::uint32_t> tmp_pages(int) override { return {}; }
    std::optional<PageInfo> page(TaskId, std::uint64_t) override { return {}; }
    std::optional<std::string> walk(TaskId, std::uint64_t) override { return {}; }

private:
    ModelBackend& m_;
};
CaseResult check_blind(const std::string& text) {
    ModelBackend model{KernelVersion{}};
    Blind blind(model);
    std::optional<KernelVersion> other;
    return play_case(CaseFile(text).path.string(), blind, KernelVersion{}, "too dark", other);
}
} // namespace

TEST_CASE("check: what cannot be seen is skipped, never passed") {
    const CaseResult r =
        check_blind("local p = pipe()\nlocal b = buffer('4K')\nexpect(write(p.w, b), 4096)\nexpect(ring(p), 'whatever')\n"
                    "expect(page(b, 0).refcount, page(b, 0).refcount)\nexpect(tmp_pages(p) + 1, 7)\nexpect(walk(b, 0):match('x'), 1)\n"
                    "expect(('x'):match('x'), 'x')\nexpect(string.match(ring(p), 'x'), 1)");
    CHECK(r.status == CaseStatus::skipped);
    CHECK(r.message == "5 of 7 expectations skipped: too dark");
    CHECK(r.line == 4);
    CHECK(r.skipped_expectations == 5);
    CHECK(check_blind("local p = pipe()\nexpect(ring(p), 'x')\nexpect(1, 2)").status == CaseStatus::failed);
    CHECK(check_blind("local b = buffer{size = '2M', huge = true}\nexpect(1, 2)").message == "no huge page");
}

TEST_CASE("check: results pass between processes unharmed") {
    CaseResult r;
    r.file = "a\"b.lua";
    r.on = "kernel";
    r.status = CaseStatus::skipped;
    r.line = 7;
    r.message = "said \x01";
    r.results = {"one", "two"};
    CaseResult back;
    REQUIRE(from_json(to_json(r), back));
    CHECK(back.file == r.file);
    CHECK(back.status == r.status);
    CHECK(back.message == r.message);
    CHECK(back.results == r.results);
    CHECK(!from_json("{", back));
    CHECK(!from_json("{}", back));
}

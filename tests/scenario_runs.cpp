// SPDX-License-Identifier: MIT
// Scenarios on the model: repeatable to the bit, runnable piece by piece, and the same state however a position is reached.
#include "scenario_case.hpp"
#include "sim/recording/recording.hpp"
#include "tests/recording_events.hpp"
#include <doctest/doctest.h>

using namespace scenario_test;

namespace {
constexpr std::size_t enough = 100'000; // events; every scenario that comes along is over before

std::vector<std::string> library() {
    std::vector<std::string> all;
    for (const char* folder : {"assets/scenarios", "assets/scenarios/ladder", "assets/scenarios/forwarder", "assets/scenarios/explore",
             "assets/scenarios/mbuf", "assets/scenarios/transfer"})
        for (const std::string& f : files_in(folder)) all.push_back(f);
    return all;
}

std::unique_ptr<Scenario> load(const std::string& path) {
    std::string error;
    auto s = Scenario::load(path, KernelVersion{}, error);
    INFO(error);
    REQUIRE(s);
    return s;
}
} // namespace

TEST_CASE("scenarios: all that come along run to their end, say what to watch, and ask") {
    const auto files = library();
    CHECK(files.size() >= 35);
    for (const std::string& f : files) {
        CAPTURE(f);
        const auto s = load(f);
        CHECK(!s->pump(enough));
        CHECK(s->over());
        CHECK(s->error() == "");
        CHECK(s->timeline().refused() == 0);
        CHECK(!s->meta().title.empty());
        CHECK(!s->meta().watch.empty());
        CHECK(!s->question().empty());
        const bool deadlock = f.ends_with("/parent_waits.lua"); // that is what it shows
        for (const Task& t : s->timeline().state().tasks) CHECK((t.run == RunState::exited || (deadlock && t.run == RunState::sleep)));
        std::ifstream in(f);
        CHECK(std::count(std::istreambuf_iterator<char>(in), {}, '\n') <= 60);
    }
}

TEST_CASE("scenarios: 6.18 reads head and tail at once") {
    std::size_t sleeps = 0, torn = 0;
    for (const std::string& f : library()) {
        const auto s = load(f);
        s->pump(enough);
        for (const Event& e : s->timeline().events()) {
            sleeps += e.kind == EventKind::stage && (e.stage == Stage::w_sleep || e.stage == Stage::v_sleep);
            torn += e.kind == EventKind::stage && (e.stage == Stage::q_head || e.stage == Stage::q_tail);
        }
    }
    CHECK(sleeps > 10);
    CHECK(torn == 0);
}

TEST_CASE("scenarios: the same events every time, whether run at once or in pieces") {
    for (const std::string& f : library()) {
        CAPTURE(f);
        const auto a = load(f), b = load(f);
        a->pump(enough);
        for (std::size_t n = 1; b->pump(n); n += 37) CHECK(b->timeline().size() >= n);
        CHECK(a->timeline().events() == b->timeline().events());
        CHECK(a->strings().all() == b->strings().all());
        CHECK(digest(a->timeline().state()) == digest(b->timeline().state()));
    }
}

TEST_CASE("scenarios: any position gives the state of the plain fold, forwards and backwards") {
    for (const std::string& f : library()) {
        CAPTURE(f);
        const auto s = load(f);
        s->pump(enough);
        const std::vector<Event>& events = s->timeline().events();
        std::vector<std::uint64_t> want;
        State plain;
        want.push_back(digest(plain));
        for (const Event& e : events) {
            apply(plain, e);
            want.push_back(digest(plain));
        }
        for (const std::size_t spacing : {1, 13, 64, 1000}) {
            CAPTURE(spacing);
            Timeline t(spacing);
            for (const Event& e : events) t.append(e);
            std::size_t wrong = 0;
            for (std::size_t n = 0; n <= events.size(); ++n) wrong += digest(t.seek(n)) != want[n];
            // Backwards every position starts from a keyframe again: not all of them, where these are far apart.
            for (std::size_t n = events.size() + 1; n-- > 0;)
                if (spacing < 100 || n % 29 == 0) wrong += digest(t.seek(n)) != want[n];
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("scenarios: a recording of one is the same events and gives the same state") {
    for (const std::string& f : library()) {
        CAPTURE(f);
        const auto s = load(f);
        s->pump(enough);
        const test::TempFile file;
        std::string error;
        REQUIRE_MESSAGE(recording_write(file.path(), {s->meta(), s->strings(), s->timeline().events()}, error), error);
        const auto back = recording_read(file.path(), error);
        REQUIRE_MESSAGE(back, error);
        CHECK(back->events == s->timeline().events());
        CHECK(back->strings.all() == s->strings().all());
        State plain;
        std::size_t refused = 0;
        for (const Event& e : back->events) refused += !apply(plain, e);
        CHECK(refused == 0);
        CHECK(digest(plain) == digest(s->timeline().state()));
    }
}

TEST_CASE("scenarios: a small budget for keyframes changes no state") {
    const auto s = load(std::string(PIPESCOPE_SOURCE_DIR) + "/assets/scenarios/tour.lua");
    s->pump(enough);
    Timeline t(1, 1 << 20);
    for (const Event& e : s->timeline().events()) t.append(e);
    CHECK(t.spacing() > 1);
    State plain;
    for (std::size_t n = 0; n < t.size(); ++n) {
        apply(plain, t[n]);
        REQUIRE(digest(t.seek(n + 1)) == digest(plain));
    }
}

TEST_CASE("scenarios: tasks run side by side, without run()") {
    const CaseFile file(
        "local p = pipe()\ntask('w', function() write(p.w, 'hello') end)\ntask('r', function() print(read(p.r, 10)) end)\nprint('main is done')");
    const auto s = load(file.path);
    CHECK(!s->pump(enough));
    CHECK(s->error() == "");
    CHECK(s->printed() == std::vector<std::string>{"main is done", "5"});
    CHECK(s->meta().title == "case.lua");
    const auto& events = s->timeline().events();
    CHECK(std::count_if(events.begin(), events.end(), [](const Event& e) { return e.kind == EventKind::note; }) == 2);
    CHECK(std::any_of(events.begin(), events.end(), [](const Event& e) { return e.kind == EventKind::user_line && e.task == 2 && e.a == 3; }));
}

TEST_CASE("scenarios: an error keeps what ran before it") {
    const CaseFile file("local p = pipe()\nwrite(p.w, 'x')\nlocal t = nil + 1");
    const auto s = load(file.path);
    CHECK(!s->pump(enough));
    CHECK(s->error() == file.path.string() + ":3: attempt to perform arithmetic on a nil value");
    CHECK(s->timeline().state().pipes.at(0).bytes() == 1);
    const CaseFile late("local p = pipe()\ntask('t', function()\n  write(p.w, 'x')\n  error('enough')\nend)");
    const auto l = load(late.path);
    l->pump(enough);
    CHECK(l->error() == late.path.string() + ":4: enough");
    CHECK(l->timeline().state().pipes.at(0).bytes() == 1);
    const CaseFile stuck("local p = pipe()\nread(p.r, 1)");
    const auto k = load(stuck.path);
    k->pump(enough);
    CHECK(k->error() == stuck.path.string() + ":2: read would block for ever");
    std::string error;
    const CaseFile broken("local = 1");
    CHECK(!Scenario::load(broken.path, KernelVersion{}, error));
    CHECK(error.find(broken.path.string() + ":1: ") == 0);
}

TEST_CASE("scenarios: an endless one runs as far as it is asked to") {
    const CaseFile file("local p = pipe()\ntask('t', function() while true do write(p.w, 'x') read(p.r, 1) end end)");
    const auto s = load(file.path);
    CHECK(s->pump(1000));
    CHECK(s->timeline().size() >= 1000);
    CHECK(s->timeline().size() < 1100);
    CHECK(s->pump(5000));
    CHECK(!s->over());
    const CaseFile main("local p = pipe()\nwhile true do write(p.w, 'x') read(p.r, 1) end");
    CHECK(load(main.path)->pump(5000));
    const CaseFile idle("local p = pipe()\nlocal t = task('t', function() read(p.r, 1) end)\nwhile true do run(t) end");
    const auto i = load(idle.path);
    CHECK(!i->pump(enough));
    CHECK(i->error().find(":3: run() again and again") != std::string::npos);
}

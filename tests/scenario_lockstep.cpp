// SPDX-License-Identifier: MIT
// Lock step with the kernel that runs here: nothing diverges from the right model, and the right call from a wrong one.
#include "scenario_case.hpp"
#include "sim/lockstep/lockstep.hpp"
#include "sim/lockstep/shadow.hpp"
#include <doctest/doctest.h>

using namespace pipescope;
using lockstep::Run;
using scenario_test::CaseFile;

namespace {

std::unique_ptr<Run> played(const std::string& path, const KernelVersion& v, bool kernel = true) {
    std::string error;
    auto run = Run::play(path, v, 50'000, error, kernel);
    INFO(error);
    REQUIRE(run);
    return run;
}
// Line of the scenario that the call of an event was made on.
std::uint32_t line_of(Run& run, std::size_t event) {
    const TaskId t = run.timeline()[event].task;
    const State& s = run.timeline().seek(event + 1);
    return t < s.tasks.size() ? s.tasks[t].line : 0;
}

} // namespace

TEST_CASE("lock step: the scenarios do on this kernel what the model says") {
    for (const char* name : {"merge", "hand_over", "resize", "tee_two_readers", "vmsplice_and_splice", "two_writers_one_lock", "close_and_sigpipe", "packets",
             "forwarder/3_own_pipe", "explore/herd"}) {
        CAPTURE(name);
        const auto run = played(std::string(PIPESCOPE_SOURCE_DIR "/assets/scenarios/") + name + ".lua", {});
        const lockstep::Comparison& c = run->comparison();
        CHECK(c.calls > 0);
        CHECK(c.why == "");
        for (const lockstep::Divergence& d : c.divergences) FAIL_CHECK(d.text);
        if (c.no_rings.empty()) {
            CHECK(c.rings);
            CHECK(c.readings.size() > 1);
            for (const lockstep::Reading& r : c.readings) CHECK(r.event < run->timeline().size());
        }
    }
}

TEST_CASE("lock step: a wrong model is marked at the call that it gets wrong") {
    const CaseFile f("local p = pipe{nonblock=true}\n"
                     "local z = zero()\n"
                     "expect(write(p.w, \"abc\"), 3)\n"
                     "local n = splice(z, nil, p.w, nil, 10)\n"
                     "write(p.w, \"d\")\n");
    const auto run = played(f.path.string(), *kernel_version("5.10"));
    const lockstep::Comparison& c = run->comparison();
    REQUIRE(!c.divergences.empty());
    const lockstep::Divergence& first = c.divergences[0];
    CHECK(line_of(*run, first.event) == 4);
    CHECK(run->timeline()[first.event].kind == EventKind::sys_exit);
    CHECK(run->divergence_at(first.event) == &first);
    CHECK(run->divergence_at(first.event - 1) == nullptr);
    bool result = false, slot = false;
    for (const lockstep::Divergence& d : c.divergences) {
        result = result || d.text == "kernel splice(5, 4, 10) = 10, model splice(5, 4, 10) = EINVAL";
        slot = slot || (d.pipe == 0 && d.slot == 1);
    }
    CHECK(result);
    CHECK((slot || !c.rings));
    // The same run under the right model is alike throughout.
    CHECK(played(f.path.string(), {})->comparison().divergences.empty());
}

TEST_CASE("lock step: the model's half goes the same way with and without the kernel") {
    const std::string path = PIPESCOPE_SOURCE_DIR "/assets/scenarios/hand_over.lua";
    const auto both = played(path, {}), alone = played(path, {}, false);
    CHECK(both->timeline().events() == alone->timeline().events());
    CHECK(alone->comparison().calls == 0);
}

TEST_CASE("lock step: where two rings begin to differ") {
    std::uint32_t slot = 7;
    const std::string a = "head=2 tail=0 | 0:k1@0+100 M | 1:b1[0]@0+4096";
    CHECK(lockstep::first_difference(a, a, slot) == "");
    CHECK(lockstep::first_difference(a, "head=2 tail=0 | 0:k1@0+100 M | 1:k2@0+4096", slot) == "slot 1: kernel 1:b1[0]@0+4096, model 1:k2@0+4096");
    CHECK(slot == 1);
    CHECK(lockstep::first_difference("head=1 tail=0 | 0:k1@0+100 M", a, slot) == "slot 1: kernel nothing, model 1:b1[0]@0+4096");
    CHECK(lockstep::first_difference("head=1 tail=1", "head=2 tail=2", slot) == "kernel head=1 tail=1, model head=2 tail=2");
    CHECK(slot == no_id);
}

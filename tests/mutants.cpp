// SPDX-License-Identifier: MIT
// The comparison with this kernel can fail: a wrong version and each broken rule is found within 20,000 calls, an unbroken model is not.
#include "core/mutant.hpp"
#include "sim/conform/conform.hpp"
#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <sys/utsname.h>

using namespace pipescope;

namespace {
conform::Report run(const char* version, bool ring, std::uint64_t seed = 7) {
    conform::Options o;
    o.ops = 20000, o.seed = seed, o.ring = ring, o.version = *kernel_version(version);
    return conform::conform(o);
}
bool rings_readable() {
    conform::Options o;
    o.ops = 1, o.ring = true, o.version = *kernel_version("6.18");
    const conform::Report r = conform::conform(o);
    if (!r.error.empty()) MESSAGE("skipped: comparing slots: " << r.error);
    return r.error.empty();
}
bool on_618() { // the unbroken model stands for this kernel only
    utsname u{};
    uname(&u);
    const bool yes = std::string(u.release).rfind("6.18", 0) == 0;
    if (!yes) MESSAGE("skipped: this kernel is " << u.release << ", the model compared is 6.18");
    return yes;
}
} // namespace

TEST_CASE("the model and this kernel agree") {
    if (!on_618()) return;
    CHECK(run("6.18", false).differences == 0);
    if (rings_readable()) CHECK(run("6.18", true).differences == 0);
}

TEST_CASE("a wrong version differs, and the difference is shrunk to a few calls") {
    if (!on_618()) return;
    const conform::Report r = run("5.10", false);
    CHECK(r.differences == 1);
    CHECK(r.litmus.find("expect(") != std::string::npos);
    CHECK(std::count(r.litmus.begin(), r.litmus.end(), '\n') < 25);
}

TEST_CASE("each broken rule is found") {
    if (!on_618()) return;
    const bool rings = rings_readable();
    for (int m = 1; m < static_cast<int>(Mutant::count); ++m) {
        active_mutant = static_cast<Mutant>(m);
        const bool flags_only = active_mutant == Mutant::tee_keeps_gift || active_mutant == Mutant::spare_when_shared || active_mutant == Mutant::resize_keeps_tail ||
            active_mutant == Mutant::map_nothing_around || active_mutant == Mutant::map_store_shared;
        if (flags_only && !rings) continue; // seen in slots alone
        CAPTURE(m);
        const conform::Report r = run("6.18", rings);
        CHECK(r.differences == 1);
        MESSAGE("rule " << m << " after " << r.calls << " calls: " << r.message);
    }
    active_mutant = Mutant::none;
}

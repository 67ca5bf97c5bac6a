// SPDX-License-Identifier: MIT
// Random calls written as a litmus case: they run as the cases of a shrunk difference must, and model and kernel agree.
#include "scenario_case.hpp"
#include "sim/conform/op.hpp"
#include <doctest/doctest.h>

using namespace scenario_test;

namespace {

// What comes out is compared, not stated beforehand: expect() is given another meaning.
std::string random_case(std::uint64_t seed, int calls) {
    std::string text = pipescope::conform::prologue_lua();
    // Some kernels do without the zero page that untouched memory shows.
    if (const std::size_t at = text.find(", touched=false"); at != std::string::npos) text.erase(at, 15);
    text += "expect(1, 1) local function expect() end\n" // a case that expects nothing is skipped
            "local function show() for i = 1, 3 do local ok, s = pcall(ring, p[i]) print(ok and s or \"closed\") end end\n";
    pipescope::conform::Generator g(seed);
    for (int i = 0; i < calls; ++i) {
        const pipescope::conform::Op op = g.next();
        if (op.kind == pipescope::conform::Kind::dontneed) continue; // leaves untouched memory behind
        text += pipescope::conform::op_lua(op, 0) + "\nshow()\n";
    }
    return text;
}

} // namespace

TEST_CASE("random: calls written in Lua run, and model and kernel agree on results and rings") {
    int skipped = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const CaseFile file("expect(true, true)\n" + random_case(seed, 100)); // by its own expect(), one that holds
        CAPTURE(seed);
        const CaseResult model = check_on_model(file.path.string(), KernelVersion{});
        INFO(model.message, " line ", model.line);
        CHECK(model.status == CaseStatus::passed);
        const CaseResult kernel = check_on_kernel(file.path.string());
        if (kernel.status == CaseStatus::skipped) {
            ++skipped;
            continue;
        }
        INFO(kernel.message, " line ", kernel.line);
        REQUIRE(kernel.status == CaseStatus::passed);
        for (std::size_t i = 0; i < std::min(model.results.size(), kernel.results.size()); ++i) REQUIRE(model.results[i] == kernel.results[i]);
        CHECK(model.results.size() == kernel.results.size());
        for (std::size_t i = 0; i < std::min(model.printed.size(), kernel.printed.size()); ++i) {
            if (kernel.printed[i] == "unknown") continue; // not permitted here
            CAPTURE(i / 3);
            REQUIRE(model.printed[i] == kernel.printed[i]);
        }
    }
    if (skipped) MESSAGE(skipped, " of 6 skipped on this kernel");
}

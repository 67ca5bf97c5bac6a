// SPDX-License-Identifier: MIT
// The litmus cases of the tree on the model, and on the live kernel as far as this machine permits.
#include "scenario_case.hpp"
#include <doctest/doctest.h>

using namespace scenario_test;

namespace {
void must_not_fail(const std::string& file, const CaseResult& r) {
    INFO(file, ":", r.line, ": ", r.message);
    CHECK(r.status != CaseStatus::failed);
}
} // namespace

TEST_CASE("litmus: every case holds on the model") {
    const auto files = files_in("tests/litmus");
    CHECK(files.size() >= 150);
    for (const std::string& f : files) {
        const CaseResult r = check_on_model(f, KernelVersion{});
        CAPTURE(f);
        must_not_fail(f, r);
        CHECK(r.skipped_expectations == 0);
    }
}

TEST_CASE("litmus: the live kernel agrees, call by call") {
    int compared = 0;
    for (const std::string& f : files_in("tests/litmus")) {
        const CaseResult kernel = check_on_kernel(f);
        INFO(f, ":", kernel.line, ": ", kernel.message);
        CHECK(kernel.status != CaseStatus::failed);
        const CaseResult model = check_on_model(f, KernelVersion{});
        if (model.results.empty() || kernel.results.size() != model.results.size()) continue; // one of them was skipped
        CHECK(kernel.results == model.results);
        ++compared;
    }
    MESSAGE(compared, " cases compared with the kernel of this machine");
}

TEST_CASE("litmus: whatever a case does on the live kernel stays in its own process") {
    CHECK(check_on_kernel(CaseFile("local p = pipe()\nread(p.r, 1)").path).message == "read would block for ever");
    const CaseResult loop = check_on_kernel(CaseFile("while true do end").path);
    CHECK(loop.unreadable);
    CHECK(loop.line == 1);
    // Descriptors that the case did not open do not exist for it, whatever this process has open.
    const CaseResult fds = check_on_kernel(CaseFile("for fd = 0, 20 do expect(write(fd, 'x'), 'EBADF') expect(close(fd), 'EBADF') end").path);
    INFO(fds.message);
    CHECK(fds.status == CaseStatus::passed);
    const CaseResult left =
        check_on_kernel(CaseFile("local p = pipe()\nlocal t = task('t', function() read(p.r, 1) end)\nexpect(run(t), 'blocked')").path);
    CHECK(left.status == CaseStatus::passed); // a task that still sleeps at the end holds nobody up
}

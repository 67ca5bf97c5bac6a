// SPDX-License-Identifier: MIT
// A litmus case on the live kernel, in a process of its own.
#include "sim/running_kernel.hpp"
#include "sim/scenario/check.hpp"
#include "sim/scenario/kernel_backend.hpp"
#include "sim/scenario/kernel_process.hpp"

namespace pipescope {

constexpr int time_limit_ms = 20'000; // of a whole case; the slowest known one takes a fiftieth of it

CaseResult check_on_kernel(const std::string& path) {
    CaseResult r;
    r.file = path;
    r.on = "kernel";
    std::string error;
    const std::string text = in_own_process(
        [&] {
            // Not to be taken down at the end: threads that still sleep in the kernel go with the process.
            auto* const kernel = new KernelBackend(shared_ring_reader());
            CaseResult mine = r;
            if (const std::string why = kernel->unusable(); !why.empty()) {
                mine.status = CaseStatus::skipped;
                mine.message = why;
            } else {
                std::optional<KernelVersion> none; // this one is what it is
                mine = play_case(path, *kernel, running_kernel(), kernel->unknown(), none);
            }
            return to_json(mine);
        },
        time_limit_ms, error);
    if (from_json(text, r)) return r;
    r.status = CaseStatus::failed;
    r.message = error.empty() ? "its process gave no result" : error;
    return r;
}

} // namespace pipescope

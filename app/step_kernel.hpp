// SPDX-License-Identifier: MIT
// `step --on kernel`: the model's stages, and after each call this kernel's ring beside the model's.
#pragma once
#include "core/version.hpp"
#include <cstddef>
#include <string>

namespace pipescope {

struct StepOnKernel {
    std::string file, task; // task: empty, or the only one that is printed
    KernelVersion version;
    std::size_t until; // events
    bool events, json;
};
int step_on_kernel(const StepOnKernel& o); // 1: the two diverged, or an expectation does not hold

} // namespace pipescope

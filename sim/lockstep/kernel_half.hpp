// SPDX-License-Identifier: MIT
// The kernel's half of a run in lock step: what its process does when it is asked, and how the answers read.
#pragma once
#include "sim/lockstep/lockstep.hpp"
#include "sim/scenario/kernel_process.hpp"

namespace pipescope::lockstep {

// In a process of its own. The first answer says whether this kernel can be asked; each later one makes a call first.
KernelProcess::Work kernel_half(const std::string& path, const KernelVersion& v);
// Adds what an answer tells, one JSON object, to `out`; `events` is how far the model is there. False: it is none.
bool take_answer(const std::string& answer, Comparison& out, std::size_t& events);

} // namespace pipescope::lockstep

// SPDX-License-Identifier: MIT
// A litmus case played on any back end, and its result as data that can pass between processes.
#pragma once
#include "sim/backend.hpp"
#include "sim/scenario/scenario.hpp"

namespace pipescope {

// `unknown` is why the back end leaves questions unanswered.
// `wanted` is set, and nothing else is of use, when the case asks for another kernel than the usual one.
CaseResult play_case(
    const std::string& path, Backend& backend, const KernelVersion& kernel, const std::string& unknown, std::optional<KernelVersion>& wanted);

std::string to_json(const CaseResult& r);
bool from_json(const std::string& text, CaseResult& r);

} // namespace pipescope

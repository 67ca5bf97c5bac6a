// SPDX-License-Identifier: MIT
// Findings, and how the model did beside the kernel, in words for a terminal.
#pragma once
#include "sim/beside/beside.hpp"
#include "sim/findings/findings.hpp"
#include <string>
#include <vector>

namespace pipescope {

std::vector<std::string> beside_lines(const BesideReport& b); // a line each; none where nothing was compared
std::string findings_text(const std::vector<Finding>& findings); // the rule, its text wrapped beside it, the events

} // namespace pipescope

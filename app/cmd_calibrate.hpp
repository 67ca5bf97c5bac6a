// SPDX-License-Identifier: MIT
// `pipescope calibrate`: a cost profile of this machine.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace pipescope {

void add_calibrate_command(CLI::App& app, std::function<int()>& run);

} // namespace pipescope

// SPDX-License-Identifier: MIT
// The command conform: random calls on the model and on this kernel, side by side.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace pipescope {

void add_conform_command(CLI::App& app, std::function<int()>& run);

} // namespace pipescope

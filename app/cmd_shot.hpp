// SPDX-License-Identifier: MIT
// The subcommand `shot`: one picture of the window, with no display needed.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace pipescope {

// Adds the subcommand; when it was given, parsing sets `run`, which gives the exit status.
void add_shot_command(CLI::App& app, std::function<int()>& run);

} // namespace pipescope

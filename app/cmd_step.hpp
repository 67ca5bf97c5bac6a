// SPDX-License-Identifier: MIT
// The subcommand `step`: a run printed stage by stage, without a window.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace pipescope {

// Adds the subcommand; when it was given, parsing sets `run`, which gives the exit status.
void add_step_command(CLI::App& app, std::function<int()>& run);

} // namespace pipescope

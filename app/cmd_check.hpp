// SPDX-License-Identifier: MIT
// The subcommand `check`: litmus cases on the model, on the live kernel, or on both.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace pipescope {

// Adds the subcommand; when it was given, parsing sets `run`, which gives the exit status.
void add_check_command(CLI::App& app, std::function<int()>& run);

} // namespace pipescope

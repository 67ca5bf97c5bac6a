// SPDX-License-Identifier: MIT
// The subcommands `info`, what a recording holds, and `salvage`, what can be saved of a damaged one.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace pipescope {

// Each adds its subcommand; when it was given, parsing sets `run`, which gives the exit status.
void add_info_command(CLI::App& app, std::function<int()>& run);
void add_salvage_command(CLI::App& app, std::function<int()>& run);

} // namespace pipescope

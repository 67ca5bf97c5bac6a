// SPDX-License-Identifier: MIT
// The subcommand `record`: runs the built-in writer and reader and records their pipe.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace pipescope {

// Adds the subcommand; when it was given, parsing sets `run`, which gives the exit status.
void add_record_command(CLI::App& app, std::function<int()>& run);

} // namespace pipescope

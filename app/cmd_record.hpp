// SPDX-License-Identifier: MIT
// The subcommand `record`: records a command's pipes, or those of the built-in pair or forwarder.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace pipescope {

// Adds the subcommand; when it was given, parsing sets `run`, which gives the exit status.
void add_record_command(CLI::App& app, std::function<int()>& run);

} // namespace pipescope

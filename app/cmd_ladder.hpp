// SPDX-License-Identifier: MIT
// The subcommand `ladder`: the published throughput ladder, simulated with a cost profile.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace pipescope {

// Adds the subcommand; when it was given, parsing sets `run`, which gives the exit status.
void add_ladder_command(CLI::App& app, std::function<int()>& run);

} // namespace pipescope

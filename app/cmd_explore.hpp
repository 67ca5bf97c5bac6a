// SPDX-License-Identifier: MIT
// The subcommand `explore`.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace pipescope {

void add_explore_command(CLI::App& app, std::function<int()>& run);

} // namespace pipescope

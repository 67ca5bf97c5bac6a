// SPDX-License-Identifier: MIT
// The built-in writer's and reader's options on the command line.
#pragma once
#include "sim/live/pair_options.hpp"
#include <CLI/CLI.hpp>

namespace pipescope {

// Parsing fills `into`, which must live as long as `sub`; what does not go together, into.fault() says afterwards.
void add_pair_flags(CLI::App& sub, PairOptions& into);

} // namespace pipescope

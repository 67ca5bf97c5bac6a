// SPDX-License-Identifier: MIT
// The built-in pair's and forwarder's options on the command line.
#pragma once
#include "sim/live/forward_options.hpp"
#include "sim/live/pair_options.hpp"
#include <CLI/CLI.hpp>

namespace pipescope {

// Parsing fills `into`, which must live as long as `sub`; what does not go together, into.fault() says afterwards.
void add_pair_flags(CLI::App& sub, PairOptions& into);
// The forwarder's, after the pair's: bytes, size of the pipe and verifying it takes from there, the others it excludes.
void add_forward_flags(CLI::App& sub, std::string& how, std::uint32_t& connections);

} // namespace pipescope

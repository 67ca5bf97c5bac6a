// SPDX-License-Identifier: MIT
// A run as data: what is known about it, its strings and its events, whether simulated, captured or read from a file.
#pragma once
#include "core/event.hpp"
#include "core/strings.hpp"
#include <string>
#include <vector>

namespace pipescope {

struct TraceMeta {
    std::string title;          // one line for the window
    std::string watch;          // scenarios: what to watch
    std::string source;         // scenarios: the Lua text
    std::string kernel;         // `uname -r` of a live run, the modelled version of a simulation
    std::string capture;        // "model", "bpf", "bpf+fentry", "syscalls"
    std::string capture_reason; // why no better capture was to be had; empty for the best
    std::string command;        // the options or the command line that was recorded
    std::uint32_t page_size = 4096;
    std::uint64_t start_unix_ns = 0; // CLOCK_REALTIME at t_ns 0; 0 for simulations
    bool cut = false;                // a recording whose end is missing: its writer died. Never written
    bool simulated() const { return capture == "model"; }
    bool by_bpf() const { return capture.starts_with("bpf"); }     // the ring is the kernel's
    bool calls_only() const { return capture == "syscalls"; }      // the ring is inferred
};

struct Trace {
    TraceMeta meta;
    StringTable strings;
    std::vector<Event> events; // in order of t_ns
};

} // namespace pipescope

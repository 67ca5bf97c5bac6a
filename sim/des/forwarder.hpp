// SPDX-License-Identifier: MIT
// The published table of forwarders, socket to pipe to socket, and what one profile gives for each of its rows.
#pragma once
#include "sim/des/card.hpp"
#include <span>

namespace pipescope {

enum class Forward : std::uint8_t { copy, shared_pipe, own_pipe, shared_waiting };
struct ForwarderRow { // published, with 1 MiB requests over two ports of 100 Gbit/s
    const char* name;
    Forward how;
    double gbit_per_s, user, system, switches_per_s; // user, system: shares of all CPUs' time, 0…1; all 0: not published
};
std::span<const ForwarderRow> forwarder_rows();
std::span<const ForwarderRow> forwarder_more(); // not published

struct ForwarderResult {
    double gbit_per_s = 0; // payload that clients have acknowledged
    double user = 0, system = 0, softirq = 0, other = 0; // shares of all CPUs' time; the rest is idle
    double switches_per_s = 0;
    std::uint64_t bytes = 0;
    Ps unbooked = 0; // time of a task that is on no call path and not idle: none
    Ledger ledger;
    std::vector<std::string> tasks; // by TaskId, for the ledger's locks
};
// `ms` of virtual time after as long a warm-up as a quarter of that.
ForwarderResult run_forwarder(const NetProfile& profile, Forward how, double ms, std::uint64_t seed);

} // namespace pipescope

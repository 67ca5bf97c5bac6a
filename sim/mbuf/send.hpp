// SPDX-License-Identifier: MIT
// Two ways to send a datagram: copied from the user into a chain, or from clusters that the user filled; and what the paper
// on sharing mbuf clusters measured (Zhang, Liu, Liu 2005; RTEMS 4.6.1, UDP over an Intel 82559, ticks of 1.5 GHz).
#pragma once
#include "sim/des/profile.hpp"
#include "sim/mbuf/mbuf.hpp"

namespace pipescope::bsd {

MbufId sosend_copy(Pool& pool, std::span<const std::uint8_t> user);                        // none: no cluster is left
MbufId sosend_share(Pool& pool, std::span<const ClusterId> clusters, std::uint32_t bytes); // the clusters stay the user's
// udp_output and ip_output: a header in front, and fragments where the datagram is longer than a frame. The first packet of
// a queue linked by m_nextpkt.
MbufId udp_send(Pool& pool, MbufId chain);
void transmitted(Pool& pool, MbufId packets); // the card has sent them

struct Costs { // ticks, assets/profiles/mbuf-rtems-4.6.toml
    double first_call, mbuf, cluster, reference, device_wait, copy_cold, copy_warm, copy_warming;
};
Costs costs_load(const std::string& path);

struct Measured { // a row of the paper's tables 1 to 3
    std::uint32_t bytes, messages;
    double before, after; // ticks to send them all
    double improvement() const { return 1 - after / before; }
};
std::span<const Measured> measured();
// The same row, from what the chains of the two ways take.
Measured simulate(const Costs& costs, std::uint32_t bytes, std::uint32_t messages);

} // namespace pipescope::bsd

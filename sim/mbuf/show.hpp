// SPDX-License-Identifier: MIT
// Mbufs to look at: a chain as text, drawn as a ring's slots are, and what happens to who breaks the rules of shared clusters.
#pragma once
#include "sim/mbuf/mbuf.hpp"
#include <string>
#include <vector>

namespace pipescope::bsd {

// A line a packet: "packet 1, 1472 bytes: [H 0/100] -> [c0@0+1472 x3]". H carries the packet header, n/100 and n/108 are bytes
// of an mbuf's own, c0@off+len is a part of cluster 0, which has 3 references. Packets are linked by m_nextpkt, mbufs by m_next.
std::string packets_text(const Pool& pool, MbufId packets);

struct Chains { // of one datagram, copied and shared, before and after it was cut into frames
    std::uint32_t bytes;
    std::string copied, copied_frames, shared, shared_frames;
};
Chains chains_of(std::uint32_t bytes);

struct Delivery { // a message as meant and as received, "A x 1400" a run of equal bytes
    std::string meant, copied, shared;
};
struct Violation {
    const char* rule;
    const char* broken; // how
    std::vector<Delivery> messages;
};
// "the buffer is not reused at once", "the buffer is divided in units of 2 KiB": each broken once, by both ways to send.
std::vector<Violation> violations();

} // namespace pipescope::bsd

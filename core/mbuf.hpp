// SPDX-License-Identifier: MIT
// The part of a state that a BSD has instead of pipes: mbufs in chains, clusters that chains share, what a card has fetched.
#pragma once
#include "core/types.hpp"
#include <array>
#include <memory>
#include <vector>

namespace pipescope {

using MbufId = std::uint32_t;    // index into Mbufs::mbufs
using ClusterId = std::uint32_t; // index into Mbufs::clusters

inline constexpr std::uint32_t mlen = 108, mhlen = 100;  // bytes in an mbuf; in one that carries the packet header
inline constexpr std::uint32_t mclbytes = 2048;          // bytes of a cluster
inline constexpr std::uint32_t minclsize = mlen + mhlen; // more than this goes into clusters
enum MbufFlag : std::uint32_t { M_EXT = 1, M_PKTHDR = 2 };

struct Mbuf {
    MbufId next = no_id;    // m_next: the rest of this packet
    MbufId nextpkt = no_id; // m_nextpkt: the packet behind it in a queue
    std::uint32_t flags = 0, off = 0, len = 0;
    ClusterId cluster = no_id; // M_EXT: where the bytes are
    bool used = false;         // else on the free list
    std::uint64_t sum = 0;     // M_EXT: of the bytes as they were when it was pointed at them
    std::array<std::uint8_t, mlen> dat{};

    std::uint32_t room() const { return flags & M_EXT ? mclbytes : flags & M_PKTHDR ? mhlen : mlen; } // from its start, bytes
    std::uint32_t start() const { return !(flags & M_EXT) && flags & M_PKTHDR ? mlen - mhlen : 0; }    // the header takes the front
};
struct Cluster { // half a page
    PageId page = no_page;
    std::uint32_t offset = 0; // 0 or 2048
    std::uint32_t refs = 0;   // 0: on the free list
    bool taken = false;       // a program has it, which is one of the references
};
struct SentFrame { // that the card has fetched
    std::shared_ptr<const std::vector<std::uint8_t>> bytes; // without headers
    bool overwritten = false; // not what its mbufs were pointed at
};
struct Mbufs {
    std::vector<Mbuf> mbufs;
    std::vector<Cluster> clusters;
    MbufId queue = no_id, queue_last = no_id; // if_snd: packets that the card has not fetched
    std::vector<SentFrame> fetched;
    std::uint64_t mbufs_taken = 0, clusters_taken = 0, references = 0, copied = 0; // so far; copied in bytes
};

struct State;
// The bytes of one mbuf, where they are now; a copy.
std::vector<std::uint8_t> mbuf_bytes(const State& s, MbufId m);
// It waits for the card, and its cluster's bytes are no longer what they were when it was pointed at them.
bool mbuf_overwritten(const State& s, MbufId m);
std::uint32_t chain_length(const Mbufs& b, MbufId m); // bytes
// The mbufs of a chain by m_next, the packets of a queue by m_nextpkt; never more than there are mbufs.
std::vector<MbufId> chain_of(const Mbufs& b, MbufId m, bool packets = false);

} // namespace pipescope

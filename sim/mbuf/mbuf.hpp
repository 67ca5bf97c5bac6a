// SPDX-License-Identifier: MIT
// BSD mbufs as RTEMS 4.6 had them: small buffers in chains, 2 KiB clusters with reference counts, both from free lists.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace pipescope::bsd {

inline constexpr std::uint32_t mlen = 108, mhlen = 100;  // bytes in an mbuf; in one that carries the packet header
inline constexpr std::uint32_t mclbytes = 2048;          // bytes of a cluster
inline constexpr std::uint32_t minclsize = mlen + mhlen; // more than this goes into clusters
enum MbufFlag : std::uint32_t { M_EXT = 1, M_PKTHDR = 2 };

using MbufId = std::uint32_t;
using ClusterId = std::uint32_t;
inline constexpr std::uint32_t none = 0xffffffffu;

struct Mbuf {
    MbufId next = none;    // m_next: the rest of this packet
    MbufId nextpkt = none; // m_nextpkt: the packet behind it in a queue
    std::uint32_t flags = 0, off = 0, len = 0;
    ClusterId cluster = none; // M_EXT: where the bytes are
    std::array<std::uint8_t, mlen> dat{};
};

struct Counts {                                                        // since the pool was made
    std::uint64_t mbufs = 0, clusters = 0, references = 0, copied = 0; // taken, taken, added to a cluster, bytes
};

class Pool {
public:
    explicit Pool(std::uint32_t clusters); // mbufs as many as are needed
    Counts counts;

    MbufId m_get(std::uint32_t flags);                    // M_PKTHDR or 0
    void m_clget(MbufId m);                               // gives it a cluster of its own
    void m_ext(MbufId m, ClusterId c, std::uint32_t len); // points it at a cluster that somebody has: one reference more
    void m_freem(MbufId m);                               // a whole chain; a cluster goes back to its list with its last reference
    // A chain of `len` bytes from `off` on of another one. Clusters are shared, small mbufs are copied.
    MbufId m_copym(MbufId from, std::uint32_t off, std::uint32_t len);
    void m_adj(MbufId m, std::uint32_t len); // cuts a chain off behind len bytes
    MbufId m_prepend(MbufId m);              // an mbuf in front, for a protocol's header: the packet header moves there

    // The changed path: clusters for a program, one reference each, taken from the free list in ascending order, so that
    // they make one range of memory where the list allows it. Empty: not as many are free.
    std::vector<ClusterId> take(std::uint32_t n);
    void drop(ClusterId c);

    const Mbuf& at(MbufId m) const { return mbufs_[m]; }
    Mbuf& at(MbufId m) { return mbufs_[m]; }
    std::span<std::uint8_t> data(MbufId m);
    std::span<std::uint8_t> cluster(ClusterId c) { return clusters_[c]; }
    std::uint32_t references(ClusterId c) const { return refs_[c]; }
    std::uint32_t free_clusters() const { return static_cast<std::uint32_t>(free_clusters_.size()); }
    std::uint32_t mbufs_in_use() const { return static_cast<std::uint32_t>(mbufs_.size() - free_mbufs_.size()); }
    std::uint32_t length(MbufId m) const; // of a chain, bytes
    std::uint32_t links(MbufId m) const;  // of a chain, mbufs

private:
    std::vector<Mbuf> mbufs_;
    std::vector<MbufId> free_mbufs_;
    std::vector<std::array<std::uint8_t, mclbytes>> clusters_;
    std::vector<std::uint32_t> refs_;
    std::vector<ClusterId> free_clusters_; // last freed, first used
};

} // namespace pipescope::bsd

// SPDX-License-Identifier: MIT
// The pool of mbufs and clusters; after sys/mbuf.h and uipc_mbuf.c of the BSDs.
#include "sim/mbuf/mbuf.hpp"
#include <algorithm>
#include <cassert>

namespace pipescope::bsd {

Pool::Pool(std::uint32_t clusters) : clusters_(clusters), refs_(clusters) {
    for (ClusterId c = clusters; c-- > 0;) free_clusters_.push_back(c);
}

MbufId Pool::m_get(std::uint32_t flags) {
    ++counts.mbufs;
    if (free_mbufs_.empty()) {
        mbufs_.emplace_back();
        free_mbufs_.push_back(static_cast<MbufId>(mbufs_.size() - 1));
    }
    const MbufId m = free_mbufs_.back();
    free_mbufs_.pop_back();
    mbufs_[m] = Mbuf{};
    mbufs_[m].flags = flags;
    mbufs_[m].off = flags & M_PKTHDR ? mlen - mhlen : 0; // the header takes the front
    return m;
}

void Pool::m_clget(MbufId m) {
    if (free_clusters_.empty()) return; // as m_clget does: M_EXT stays off, and the caller looks
    ++counts.clusters;
    const ClusterId c = free_clusters_.back();
    free_clusters_.pop_back();
    refs_[c] = 1;
    mbufs_[m].flags |= M_EXT;
    mbufs_[m].cluster = c;
    mbufs_[m].off = 0;
}

void Pool::m_ext(MbufId m, ClusterId c, std::uint32_t len) {
    assert(refs_[c] > 0);
    ++counts.references;
    ++refs_[c];
    mbufs_[m].flags |= M_EXT;
    mbufs_[m].cluster = c;
    mbufs_[m].off = 0;
    mbufs_[m].len = len;
}

void Pool::drop(ClusterId c) {
    assert(refs_[c] > 0);
    if (--refs_[c] == 0) free_clusters_.push_back(c);
}

void Pool::m_freem(MbufId m) {
    while (m != none) {
        if (mbufs_[m].flags & M_EXT) drop(mbufs_[m].cluster);
        free_mbufs_.push_back(m);
        m = mbufs_[m].next;
    }
}

MbufId Pool::m_copym(MbufId from, std::uint32_t off, std::uint32_t len) {
    while (from != none && off >= mbufs_[from].len) off -= mbufs_[from].len, from = mbufs_[from].next;
    MbufId head = none, last = none;
    while (len && from != none) {
        const std::uint32_t k = std::min(len, mbufs_[from].len - off);
        const MbufId m = m_get(0);
        if (mbufs_[from].flags & M_EXT) {
            m_ext(m, mbufs_[from].cluster, k);
            mbufs_[m].off = mbufs_[from].off + off;
        } else {
            std::copy_n(mbufs_[from].dat.begin() + mbufs_[from].off + off, k, mbufs_[m].dat.begin());
            mbufs_[m].len = k;
            counts.copied += k;
        }
        (last == none ? head : mbufs_[last].next) = m;
        last = m;
        len -= k;
        off = 0;
        from = mbufs_[from].next;
    }
    return head;
}

void Pool::m_adj(MbufId m, std::uint32_t len) {
    while (m != none && mbufs_[m].len < len) len -= mbufs_[m].len, m = mbufs_[m].next;
    if (m == none) return;
    mbufs_[m].len = len;
    m_freem(mbufs_[m].next);
    mbufs_[m].next = none;
}

MbufId Pool::m_prepend(MbufId m) {
    const MbufId h = m_get(M_PKTHDR);
    mbufs_[h].next = m;
    if (m != none) mbufs_[m].flags &= ~std::uint32_t{M_PKTHDR};
    return h;
}

std::vector<ClusterId> Pool::take(std::uint32_t n) {
    if (n > free_clusters_.size()) return {};
    std::sort(free_clusters_.begin(), free_clusters_.end(), std::greater<>()); // relinked: addresses ascend
    std::vector<ClusterId> out(free_clusters_.rbegin(), free_clusters_.rbegin() + n);
    free_clusters_.resize(free_clusters_.size() - n);
    for (const ClusterId c : out) refs_[c] = 1;
    return out;
}

std::span<std::uint8_t> Pool::data(MbufId m) {
    Mbuf& b = mbufs_[m];
    return b.flags & M_EXT ? std::span(clusters_[b.cluster]).subspan(b.off, b.len) : std::span(b.dat).subspan(b.off, b.len);
}

std::uint32_t Pool::length(MbufId m) const {
    std::uint32_t n = 0;
    for (; m != none; m = mbufs_[m].next) n += mbufs_[m].len;
    return n;
}

std::uint32_t Pool::links(MbufId m) const {
    std::uint32_t n = 0;
    for (; m != none; m = mbufs_[m].next) ++n;
    return n;
}

} // namespace pipescope::bsd

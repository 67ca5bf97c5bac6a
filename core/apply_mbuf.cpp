// SPDX-License-Identifier: MIT
// apply() for events of mbufs, clusters and the card, and what can be asked of a chain.
#include "core/apply_parts.hpp"
#include <cstring>

namespace pipescope {
namespace part {
namespace {

constexpr std::uint32_t max_mbufs = 1u << 16, max_clusters = 1u << 12, max_fetched = 1u << 12, max_frame_mbufs = 64;

std::uint64_t sum_of(const State& s, const Mbuf& m) {
    const Cluster& c = s.mbufs.clusters[m.cluster];
    const PageBytes* const bytes = page_content(s, c.page);
    std::uint64_t h = m.len;
    for (std::uint32_t i = 0; i < m.len; ++i) h = (h ^ (bytes ? (*bytes)[c.offset + m.off + i] : 0u)) * 0x100000001b3u;
    return h;
}

bool append(State& s, Mbuf& m, const std::uint8_t* from, std::uint32_t n) { // null: zeros
    if (n > m.room() - std::min(m.room(), m.off - m.start() + m.len)) return false;
    std::uint8_t* to = m.dat.data() + m.off + m.len;
    if (m.flags & M_EXT) to = page_writable(s, s.mbufs.clusters[m.cluster].page)->data() + s.mbufs.clusters[m.cluster].offset + m.off + m.len;
    if (from) std::memmove(to, from, n);
    else std::memset(to, 0, n);
    m.len += n;
    s.mbufs.copied += n;
    return true;
}

bool copyin(State& s, Mbuf& m, const Event& e) {
    if (!has(s.pages, e.b) || e.c > page_size || e.x > page_size - e.c) return false;
    const std::shared_ptr<const PageBytes> keep = s.pages[e.b].has_bytes && s.bytes.count(e.b) ? s.bytes.at(e.b) : nullptr;
    return append(s, m, keep ? keep->data() + e.x : nullptr, e.c);
}

bool fetch(State& s, const Event& e) {
    Mbufs& b = s.mbufs;
    if (e.a != b.queue || b.fetched.size() >= max_fetched) return false;
    auto wire = std::make_shared<std::vector<std::uint8_t>>();
    bool overwritten = false;
    std::uint32_t links = 0;
    for (MbufId m = e.a; m != no_id; m = b.mbufs[m].next) { // links lie in range, but a forged chain can be a circle
        if (++links > max_frame_mbufs) return false;
        const std::vector<std::uint8_t> part = mbuf_bytes(s, m);
        if (wire->size() + part.size() > mclbytes) return false; // longer than a frame
        wire->insert(wire->end(), part.begin(), part.end());
        overwritten = overwritten || mbuf_overwritten(s, m);
    }
    b.fetched.push_back({std::move(wire), overwritten});
    b.queue = b.mbufs[e.a].nextpkt;
    if (b.queue == no_id) b.queue_last = no_id;
    b.mbufs[e.a].nextpkt = no_id;
    return true;
}

bool apply_one(State& s, Mbuf& m, const Event& e) { // m is in use
    Mbufs& b = s.mbufs;
    switch (e.kind) {
    case EventKind::m_clget:
        if (!has(b.clusters, e.b) || b.clusters[e.b].refs || m.flags & M_EXT || m.len) return false;
        b.clusters[e.b].refs = 1;
        m.flags |= M_EXT, m.cluster = e.b, m.off = 0;
        ++b.clusters_taken;
        return true;
    case EventKind::m_ext:
        if (!has(b.clusters, e.b) || b.clusters[e.b].refs == 0 || m.flags & M_EXT || m.len || e.c > mclbytes || e.x > mclbytes - e.c) return false;
        ++b.clusters[e.b].refs, ++b.references;
        m.flags |= M_EXT, m.cluster = e.b, m.off = e.c, m.len = static_cast<std::uint32_t>(e.x);
        m.sum = sum_of(s, m);
        return true;
    case EventKind::m_link:
        if (e.b != no_id && (!has(b.mbufs, e.b) || e.b == e.a)) return false;
        (e.c ? m.nextpkt : m.next) = e.b;
        return true;
    case EventKind::m_set: {
        if (e.c > m.len || (e.b ^ m.flags) & ~std::uint32_t{M_PKTHDR} || (e.b & ~m.flags & M_PKTHDR && !(m.flags & M_EXT))) return false;
        const bool same = !(m.flags & M_EXT) || m.sum == 0 || m.sum == sum_of(s, m);
        m.flags = e.b, m.len = e.c;
        if (m.flags & M_EXT && m.sum) m.sum = same ? sum_of(s, m) : ~sum_of(s, m);
        return true;
    }
    case EventKind::m_copyin: return copyin(s, m, e);
    case EventKind::m_copydata: {
        const std::vector<std::uint8_t> from = mbuf_bytes(s, e.b);
        return e.b != e.a && e.c <= from.size() && e.x <= from.size() - e.c && append(s, m, from.data() + e.x, e.c);
    }
    case EventKind::m_free:
        if (m.flags & M_EXT && b.clusters[m.cluster].refs) --b.clusters[m.cluster].refs;
        m = Mbuf{};
        return true;
    case EventKind::if_queue:
        if (e.a == b.queue_last || m.nextpkt != no_id) return false;
        if (b.queue == no_id) b.queue = e.a;
        else b.mbufs[b.queue_last].nextpkt = e.a;
        b.queue_last = e.a;
        return true;
    case EventKind::if_fetch: return fetch(s, e);
    default: return false;
    }
}

} // namespace

bool apply_mbuf(State& s, const Event& e) {
    Mbufs& b = s.mbufs;
    switch (e.kind) {
    case EventKind::mcl_new:
        if (!has(s.pages, e.a) || e.a == no_page || (e.b != 0 && e.b != mclbytes) || b.clusters.size() >= max_clusters) return false;
        b.clusters.push_back({e.a, e.b, 0, false});
        return true;
    case EventKind::mcl_take:
        if (!has(b.clusters, e.a) || b.clusters[e.a].refs) return false;
        b.clusters[e.a].refs = 1, b.clusters[e.a].taken = true;
        return true;
    case EventKind::m_get: {
        if (e.a > b.mbufs.size() || e.a >= max_mbufs || e.b & ~std::uint32_t{M_PKTHDR} || (e.a < b.mbufs.size() && b.mbufs[e.a].used)) return false;
        if (e.a == b.mbufs.size()) b.mbufs.emplace_back();
        Mbuf& m = b.mbufs[e.a];
        m = Mbuf{};
        m.used = true, m.flags = e.b, m.off = m.start();
        ++b.mbufs_taken;
        return true;
    }
    default: return has(b.mbufs, e.a) && b.mbufs[e.a].used && apply_one(s, b.mbufs[e.a], e);
    }
}

} // namespace part

std::vector<std::uint8_t> mbuf_bytes(const State& s, MbufId id) {
    if (!part::has(s.mbufs.mbufs, id)) return {};
    const Mbuf& m = s.mbufs.mbufs[id];
    if (!(m.flags & M_EXT)) return {m.dat.begin() + m.off, m.dat.begin() + m.off + m.len};
    const Cluster& c = s.mbufs.clusters[m.cluster];
    const PageBytes* const bytes = part::page_content(s, c.page);
    if (!bytes) return std::vector<std::uint8_t>(m.len);
    return {bytes->begin() + c.offset + m.off, bytes->begin() + c.offset + m.off + m.len};
}

bool mbuf_overwritten(const State& s, MbufId id) {
    if (!part::has(s.mbufs.mbufs, id)) return false;
    const Mbuf& m = s.mbufs.mbufs[id];
    return m.used && m.sum && m.sum != part::sum_of(s, m);
}

std::vector<MbufId> chain_of(const Mbufs& b, MbufId m, bool packets) {
    std::vector<MbufId> out;
    for (; m < b.mbufs.size() && out.size() < b.mbufs.size(); m = packets ? b.mbufs[m].nextpkt : b.mbufs[m].next) out.push_back(m);
    return out;
}

std::uint32_t chain_length(const Mbufs& b, MbufId m) {
    std::uint32_t n = 0;
    for (const MbufId i : chain_of(b, m)) n += b.mbufs[i].len;
    return n;
}

} // namespace pipescope

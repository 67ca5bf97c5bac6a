// SPDX-License-Identifier: MIT
// Taking, sharing, cutting and freeing mbufs; after sys/mbuf.h and uipc_mbuf.c of the BSDs.
#include "core/net/mbuf.hpp"
#include <algorithm>

namespace pipescope::bsd {

MbufId m_get(KernelBase& k, TaskId me, std::uint32_t flags) {
    const auto& all = k.s.mbufs.mbufs;
    const auto it = std::find_if(all.begin(), all.end(), [](const Mbuf& m) { return !m.used; });
    const auto m = static_cast<MbufId>(it - all.begin());
    k.emit(EventKind::m_get, me, no_id, m, flags);
    return m;
}

bool m_clget(KernelBase& k, TaskId me, MbufId m) {
    const auto& all = k.s.mbufs.clusters;
    const auto it = std::find_if(all.begin(), all.end(), [](const Cluster& c) { return c.refs == 0; });
    if (it == all.end()) return false;
    k.emit(EventKind::m_clget, me, no_id, m, static_cast<ClusterId>(it - all.begin()));
    return true;
}

void m_freem(KernelBase& k, TaskId me, MbufId m) {
    for (const MbufId i : chain_of(k.s.mbufs, m)) k.emit(EventKind::m_free, me, no_id, i);
}

MbufId m_copym(KernelBase& k, TaskId me, MbufId from, std::uint32_t off, std::uint32_t len) {
    MbufId head = no_id, last = no_id;
    for (const MbufId i : chain_of(k.s.mbufs, from)) {
        const Mbuf source = k.s.mbufs.mbufs[i];
        if (off >= source.len) {
            off -= source.len;
            continue;
        }
        const std::uint32_t n = std::min(len, source.len - off);
        if (n == 0) break;
        const MbufId m = m_get(k, me, 0);
        if (source.flags & M_EXT) k.emit(EventKind::m_ext, me, no_id, m, source.cluster, source.off + off, n);
        else k.emit(EventKind::m_copydata, me, no_id, m, i, n, off);
        if (last == no_id) head = m;
        else k.emit(EventKind::m_link, me, no_id, last, m);
        last = m, len -= n, off = 0;
    }
    return head;
}

void m_adj(KernelBase& k, TaskId me, MbufId m, std::uint32_t len) {
    for (const MbufId i : chain_of(k.s.mbufs, m)) {
        const Mbuf& b = k.s.mbufs.mbufs[i];
        if (b.len < len) {
            len -= b.len;
            continue;
        }
        const MbufId rest = b.next;
        k.emit(EventKind::m_set, me, no_id, i, b.flags, len);
        if (rest != no_id) k.emit(EventKind::m_link, me, no_id, i, no_id);
        m_freem(k, me, rest);
        return;
    }
}

MbufId m_prepend(KernelBase& k, TaskId me, MbufId m) {
    const MbufId h = m_get(k, me, M_PKTHDR);
    k.emit(EventKind::m_link, me, no_id, h, m);
    if (const Mbuf& b = k.s.mbufs.mbufs[m]; b.flags & M_PKTHDR) k.emit(EventKind::m_set, me, no_id, m, b.flags & ~std::uint32_t{M_PKTHDR}, b.len);
    return h;
}

ClusterId take(KernelBase& k, TaskId me, std::uint32_t n) {
    const auto& all = k.s.mbufs.clusters;
    const auto it = std::search_n(all.begin(), all.end(), static_cast<std::ptrdiff_t>(n), 0u, [](const Cluster& c, std::uint32_t refs) { return c.refs == refs; });
    if (n == 0 || it == all.end()) return no_id;
    const auto first = static_cast<ClusterId>(it - all.begin());
    for (std::uint32_t i = 0; i < n; ++i) k.emit(EventKind::mcl_take, me, no_id, first + i);
    return first;
}

} // namespace pipescope::bsd

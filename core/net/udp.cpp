// SPDX-License-Identifier: MIT
// A datagram from user memory to the card: sosend, udp_output, ip_output and if_start, as RTEMS 4.6 had them from a BSD.
#include "core/net/mbuf.hpp"
#include <algorithm>

namespace pipescope::bsd {
namespace {

constexpr std::uint32_t udp_header = 8, frame_payload = 1480; // bytes of IP payload in a frame
constexpr std::uint32_t udp_maxdgram = 9216;                  // net.inet.udp.maxdgram, bytes

// The first mbuf of the chain so far, and its last.
struct Chain {
    MbufId head = no_id, last = no_id;
    void add(KernelBase& k, TaskId me, MbufId m) {
        if (last == no_id) head = m;
        else k.emit(EventKind::m_link, me, no_id, last, m);
        last = m;
    }
};

Co<long> sosend_copy(Kernel& k, TaskId me, IovIter& from, MbufId& head) {
    Kernel::FnScope fn(k, me, Fn::sosend);
    Chain chain;
    bool clusters = false;
    while (from.count) {
        clusters = clusters || from.count > minclsize;
        co_await k.stage(me, Stage::b_get, no_id, {.c = static_cast<std::uint32_t>(from.count), .y = clusters});
        const MbufId m = m_get(k, me, chain.head == no_id ? std::uint32_t{M_PKTHDR} : 0);
        chain.add(k, me, m);
        long fault = clusters && !m_clget(k, me, m) ? -ENOBUFS : 0;
        const Mbuf& b = k.s.mbufs.mbufs[m];
        const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(b.room(), from.count));
        if (!fault) co_await k.stage(me, Stage::b_copy, no_id, {.a = m, .b = b.cluster, .c = n, .x = from.addr()});
        for (std::uint32_t left = n; left && !fault;) {
            const auto at = static_cast<std::uint32_t>(from.addr() & (page_size - 1));
            const auto part = static_cast<std::uint32_t>(std::min<std::uint64_t>({left, page_size - at, from.seg_left()}));
            const PageId page = k.user_page(me, from.addr(), false);
            if (page == no_page) fault = -EFAULT;
            else k.emit(EventKind::m_copyin, me, no_id, m, page, part, at);
            from.advance(part), left -= part;
        }
        if (fault) {
            m_freem(k, me, chain.head);
            co_return fault;
        }
    }
    head = chain.head;
    co_return 0;
}

ClusterId cluster_at(const State& s, PageId page, std::uint32_t offset) {
    for (ClusterId c = 0; c < s.mbufs.clusters.size(); ++c)
        if (const Cluster& l = s.mbufs.clusters[c]; l.page == page && l.offset == offset && l.taken) return c;
    return no_id;
}

Co<long> sosend_share(Kernel& k, TaskId me, IovIter& from, MbufId& head) {
    Kernel::FnScope fn(k, me, Fn::sosend);
    Chain chain;
    while (from.count) {
        const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(mclbytes, from.seg_left()));
        const PageId page = k.user_page(me, from.addr(), false);
        const ClusterId c = page == no_page ? no_id : cluster_at(k.s, page, static_cast<std::uint32_t>(from.addr() & (page_size - 1)));
        if (c == no_id) {
            m_freem(k, me, chain.head);
            co_return page == no_page ? -EFAULT : -EINVAL; // no unit of 2 KiB begins there
        }
        const MbufId m = m_get(k, me, chain.head == no_id ? std::uint32_t{M_PKTHDR} : 0);
        chain.add(k, me, m);
        co_await k.stage(me, Stage::b_ext, no_id, {.a = m, .b = c, .c = n});
        k.emit(EventKind::m_ext, me, no_id, m, c, 0, n);
        from.advance(n);
    }
    head = chain.head;
    co_return 0;
}

// One frame or several; the UDP header travels in the first.
Co<long> ip_output(Kernel& k, TaskId me, MbufId chain, MbufId first) {
    Kernel::FnScope fn(k, me, Fn::ip_output);
    const std::uint32_t bytes = chain_length(k.s.mbufs, chain), in_first = frame_payload - udp_header;
    MbufId last = first;
    for (std::uint32_t at = in_first; at < bytes; at += frame_payload) {
        const std::uint32_t n = std::min(frame_payload, bytes - at);
        co_await k.stage(me, Stage::b_frag, no_id, {.c = n, .x = at});
        const MbufId packet = m_prepend(k, me, m_copym(k, me, chain, at, n));
        k.emit(EventKind::m_link, me, no_id, last, packet, 1);
        last = packet;
    }
    if (bytes > in_first) m_adj(k, me, chain, in_first);
    const std::vector<MbufId> packets = chain_of(k.s.mbufs, first, true);
    co_await k.stage(me, Stage::b_queue, no_id, {.a = first, .x = packets.size()});
    for (const MbufId m : packets) {
        if (k.s.mbufs.mbufs[m].nextpkt != no_id) k.emit(EventKind::m_link, me, no_id, m, no_id, 1);
        k.emit(EventKind::if_queue, me, no_id, m);
    }
    co_return 0;
}

} // namespace

Co<long> sendto(Kernel& k, TaskId me, const Call& c) {
    IovIter from(c.iov, max_rw_count);
    const auto bytes = static_cast<long>(from.count);
    if (from.count > udp_maxdgram) co_return -EMSGSIZE;
    MbufId chain = no_id;
    long fault = 0;
    if (c.flags & send_share) fault = co_await sosend_share(k, me, from, chain);
    else fault = co_await sosend_copy(k, me, from, chain);
    if (fault || chain == no_id) co_return fault;
    Kernel::FnScope fn(k, me, Fn::udp_output);
    co_await k.stage(me, Stage::b_header, no_id, {.a = chain, .c = static_cast<std::uint32_t>(bytes)});
    co_await ip_output(k, me, chain, m_prepend(k, me, chain));
    co_return bytes;
}

Co<long> if_start(Kernel& k, TaskId me) {
    Kernel::FnScope fn(k, me, Fn::if_start);
    co_await k.stage(me, Stage::b_look, no_id, {.a = k.s.mbufs.queue});
    const MbufId m = k.s.mbufs.queue;
    if (m == no_id) co_return -EAGAIN;
    const std::uint32_t bytes = chain_length(k.s.mbufs, m);
    co_await k.stage(me, Stage::b_fetch, no_id, {.a = m, .c = bytes});
    k.emit(EventKind::if_fetch, me, no_id, m);
    co_await k.stage(me, Stage::b_free, no_id, {.a = m, .c = bytes});
    m_freem(k, me, m);
    co_return static_cast<long>(bytes);
}

} // namespace pipescope::bsd

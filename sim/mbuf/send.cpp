// SPDX-License-Identifier: MIT
// Building chains, cutting them into packets, and counting ticks for what that took.
#include "sim/mbuf/send.hpp"
#include <algorithm>
#include <stdexcept>

namespace pipescope::bsd {
namespace {

constexpr std::uint32_t udp_header = 8, frame_payload = 1480; // bytes of IP payload in a frame

constexpr Measured table[] = {
    {1400, 20, 163746, 136385},
    {1400, 16, 140729, 115516},
    {1400, 12, 119433, 94695},
    {1400, 8, 92039, 73620},
    {1400, 4, 68828, 54885},
    {1400, 1, 43856, 37571},
    {150, 20, 104327, 91405},
    {150, 1, 38516, 36704},
    {4096, 1, 68695, 50816},
    {5120, 1, 74778, 54426},
};

constexpr CostInfo costs[] = {
    {"first_call", "ticks", "the first send of a series: everything is cold"},
    {"mbuf", "ticks", "taking an mbuf and taking it through the layers down to the card"},
    {"cluster", "ticks", "taking a cluster"},
    {"reference", "ticks", "sharing a cluster: one reference more"},
    {"device_wait", "ticks/byte", "each further message waits for the card to fetch the one before"},
    {"copy_cold", "ticks/byte", "copying the first message"},
    {"copy_warm", "ticks/byte", "copying when everything is in the caches"},
    {"copy_warming", "1", "what is left of the difference from one message to the next"},
};

} // namespace

Costs costs_load(const std::string& path) {
    const CostTable t = cost_table_load(path, costs);
    const auto& v = t.value;
    return {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]};
}

std::span<const Measured> measured() { return table; }

MbufId sosend_copy(Pool& pool, std::span<const std::uint8_t> user) {
    MbufId head = none, last = none;
    while (!user.empty()) {
        const MbufId m = pool.m_get(head == none ? std::uint32_t{M_PKTHDR} : 0);
        (last == none ? head : pool.at(last).next) = m;
        last = m;
        std::uint32_t room = head == m ? mhlen : mlen;
        if (user.size() > minclsize || (pool.at(head).flags & M_EXT)) {
            pool.m_clget(m);
            if (!(pool.at(m).flags & M_EXT)) {
                pool.m_freem(head);
                return none;
            }
            room = mclbytes;
        }
        const auto k = static_cast<std::uint32_t>(std::min<std::size_t>(room, user.size()));
        pool.at(m).len = k;
        std::ranges::copy(user.first(k), pool.data(m).begin());
        pool.counts.copied += k;
        user = user.subspan(k);
    }
    return head;
}

MbufId sosend_share(Pool& pool, std::span<const ClusterId> clusters, std::uint32_t bytes) {
    MbufId head = none, last = none;
    for (const ClusterId c : clusters) {
        if (bytes == 0) break;
        const MbufId m = pool.m_get(head == none ? std::uint32_t{M_PKTHDR} : 0);
        (last == none ? head : pool.at(last).next) = m;
        last = m;
        const std::uint32_t k = std::min(bytes, mclbytes);
        pool.m_ext(m, c, k);
        bytes -= k;
    }
    return head;
}

MbufId udp_send(Pool& pool, MbufId chain) {
    const std::uint32_t bytes = pool.length(chain);
    const MbufId first = pool.m_prepend(chain);
    MbufId last = first;
    std::uint32_t at = frame_payload - udp_header; // the UDP header travels in the first packet
    for (; at < bytes; at += frame_payload) {
        const MbufId packet = pool.m_prepend(pool.m_copym(chain, at, std::min(frame_payload, bytes - at)));
        pool.at(last).nextpkt = packet;
        last = packet;
    }
    if (bytes > frame_payload - udp_header) pool.m_adj(chain, frame_payload - udp_header);
    return first;
}

void transmitted(Pool& pool, MbufId packets) {
    while (packets != none) {
        const MbufId next = pool.at(packets).nextpkt;
        pool.m_freem(packets);
        packets = next;
    }
}

Measured simulate(const Costs& c, std::uint32_t bytes, std::uint32_t messages) {
    const auto run = [&](bool share) {
        Pool pool(256);
        const std::uint32_t n = (bytes + mclbytes - 1) / mclbytes;
        const std::vector<ClusterId> mine = pool.take(n);
        const std::vector<std::uint8_t> user(bytes, 'X');
        double ticks = c.first_call, copy = c.copy_cold;
        for (std::uint32_t i = 0; i < messages; ++i) {
            const Counts before = pool.counts;
            const MbufId chain = share ? sosend_share(pool, mine, bytes) : sosend_copy(pool, user);
            if (chain == none) throw std::length_error("a message has no bytes, or more than there are clusters for");
            const MbufId packets = udp_send(pool, chain);
            const auto of = [&](std::uint64_t Counts::*what) { return static_cast<double>(pool.counts.*what - before.*what); };
            ticks +=
                of(&Counts::mbufs) * c.mbuf + of(&Counts::clusters) * c.cluster + of(&Counts::references) * c.reference + of(&Counts::copied) * copy;
            if (i) ticks += c.device_wait * bytes;
            copy = c.copy_warm + (copy - c.copy_warm) * c.copy_warming;
            transmitted(pool, packets);
        }
        return ticks;
    };
    return {bytes, messages, run(false), run(true)};
}

} // namespace pipescope::bsd

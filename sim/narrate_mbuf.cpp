// SPDX-License-Identifier: MIT
// The sentences of a BSD's mbufs: what their stages and events do; core/stages.def says what a stage's operands are.
#include "core/describe.hpp"
#include "sim/narrate.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace pipescope {
namespace {

using fmt::format;

std::string count(std::uint64_t n, const char* one, const char* more) { return format("{} {}", n, n == 1 ? one : more); }

std::string bytes(std::uint64_t n) { return count(n, "byte", "bytes"); }

// The cluster that these bytes of a page are in, while a packet in the card's queue points at some of them; no_id: none does.
ClusterId waiting_cluster(const State& s, PageId page, std::uint32_t offset, std::uint32_t n) {
    for (const MbufId packet : chain_of(s.mbufs, s.mbufs.queue, true))
        for (const MbufId i : chain_of(s.mbufs, packet)) {
            const Mbuf& m = s.mbufs.mbufs[i];
            if (!(m.flags & M_EXT)) continue;
            const Cluster& c = s.mbufs.clusters[m.cluster];
            const std::uint32_t from = c.offset + m.off;
            if (c.page == page && from < offset + n && offset < from + m.len) return m.cluster;
        }
    return no_id;
}

} // namespace

std::string narrate_mbuf_stage(const State& s, const StringTable& names, const Event& e) {
    switch (e.stage) {
    case Stage::b_get:
        return e.y ? format("{} are to go, more than {}: takes an mbuf and a cluster for it.", bytes(e.c), minclsize)
                   : format("{} are to go: takes a small mbuf.", bytes(e.c));
    case Stage::b_copy:
        return e.b == no_id ? format("Copies {} from {} into mbuf {}.", bytes(e.c), user_place(s, names, e.task, e.x), e.a)
                            : format("Copies {} from {} into cluster {}.", bytes(e.c), user_place(s, names, e.task, e.x), e.b);
    case Stage::b_ext: return format("Points mbuf {} at the program's cluster {}, {} from its start: nothing is copied.", e.a, e.b, bytes(e.c));
    case Stage::b_header: return format("Puts an mbuf for the headers in front of {}.", bytes(e.c));
    case Stage::b_frag: return format("More than a frame holds: makes a frame of {} from byte {} on; clusters are shared once more.", bytes(e.c), e.x);
    case Stage::b_queue: return format("Puts {} into the card's queue. The call will return before the card has fetched anything.", count(e.x, "frame", "frames"));
    case Stage::b_look: return e.a == no_id ? "The card's queue is empty." : "A packet waits in the card's queue.";
    case Stage::b_fetch: return format("The card reads {} where the chain says they are, as they are now.", bytes(e.c));
    case Stage::b_free: return "It is on the wire: the chain is freed, and each cluster has one reference less.";
    default: return "";
    }
}

std::string narrate_mbuf(const State& s, const StringTable&, const Event& e) {
    switch (e.kind) {
    case EventKind::mcl_new: return "One more cluster of 2048 bytes is in the pool.";
    case EventKind::mcl_take: return format("Cluster {} is the program's.", e.a);
    case EventKind::m_get: return e.b & M_PKTHDR ? format("Mbuf {} is taken; a packet begins with it.", e.a) : format("Mbuf {} is taken.", e.a);
    case EventKind::m_clget: return format("Mbuf {} gets cluster {} for itself.", e.a, e.b);
    case EventKind::m_ext: return format("Mbuf {} points at {} at offset {} of cluster {}, which has one reference more.", e.a, bytes(e.x), e.c, e.b);
    case EventKind::m_link:
        return e.b == no_id ? format("Mbuf {} is the last of its {}.", e.a, e.c ? "queue" : "packet")
                            : format("{} of mbuf {} is mbuf {}.", e.c ? "m_nextpkt" : "m_next", e.a, e.b);
    case EventKind::m_set: return format("Mbuf {} holds {}{}.", e.a, bytes(e.c), e.b & M_PKTHDR ? ", and begins a packet" : "");
    case EventKind::m_copyin: return format("{} from offset {} of a page go into mbuf {}.", bytes(e.c), e.x, e.a);
    case EventKind::m_copydata: return format("{} go from mbuf {} into mbuf {}.", bytes(e.c), e.b, e.a);
    case EventKind::m_free: return format("Mbuf {} is free.", e.a);
    case EventKind::if_queue: return format("The packet of mbuf {} is the last in the card's queue.", e.a);
    case EventKind::if_fetch: return format("The card has fetched the packet of mbuf {}.", e.a);
    case EventKind::store:
        if (const ClusterId c = s.mbufs.queue == no_id ? no_id : waiting_cluster(s, e.a, e.b, e.c); c != no_id)
            return format("{} are stored into cluster {} while the card has not fetched it: they are what will be sent.", bytes(e.c), c);
        return "";
    default: return "";
    }
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Sorts mbufs into chains, and finds where a rule of shared clusters is broken.
#include "app/mbuf_picture.hpp"
#include "core/mm/walk.hpp"
#include <algorithm>
#include <cerrno>
#include <fmt/format.h>

namespace pipescope {
namespace {

bool holds(const std::vector<MbufId>& chain, MbufId m) { return std::find(chain.begin(), chain.end(), m) != chain.end(); }

// Some task frees what the card has fetched, and no other is about to queue this chain.
bool being_freed(const State& s, const std::vector<MbufId>& chain) {
    bool freed = false;
    for (const Task& t : s.tasks) {
        if (t.sys == Sys::if_start && (t.at.stage == Stage::b_fetch || t.at.stage == Stage::b_free)) freed = true;
        if (t.sys == Sys::sendto && (t.at.stage == Stage::b_header || t.at.stage == Stage::b_queue) && holds(chain, t.at.a)) return false;
    }
    return freed;
}

// A chain's first mbuf that holds bytes: the one of the headers holds none.
MbufId first_data(const State& s, const std::vector<MbufId>& chain) {
    for (const MbufId m : chain)
        if (s.mbufs.mbufs[m].len) return m;
    return no_id;
}

std::string letter(std::uint8_t byte) { return byte > 32 && byte < 127 ? std::string(1, static_cast<char>(byte)) : std::to_string(byte); }

void add_overwritten(const State& s, const MbufChain& chain, std::vector<MbufFault>& out) {
    for (const MbufId m : chain.mbufs)
        if (const Mbuf& b = s.mbufs.mbufs[m]; mbuf_overwritten(s, m)) out.push_back({b.cluster, b.off, m, fmt::format("m{}: stored into meanwhile", m)});
}

// The last byte of one cluster and the first of another were stored in one go, as far as can be seen.
bool stored_across(const Timeline& t, std::size_t n, const Cluster& one, const Cluster& other) {
    constexpr std::size_t farthest = 4096; // events looked back
    const auto holds_byte = [](const Event& e, PageId page, std::uint32_t at) { return e.a == page && e.b <= at && at - e.b < e.c; };
    const Event* first_of_other = nullptr; // the last store into it
    TaskId by = no_id;
    for (std::size_t i = std::min(n, t.size()), looks = 0; i-- > 0 && looks < farthest; ++looks) {
        const Event& e = t[i];
        if (e.kind == EventKind::store) {
            if (!first_of_other && holds_byte(e, other.page, other.offset)) first_of_other = &e, by = e.task;
            if (holds_byte(e, one.page, one.offset + mclbytes - 1)) return first_of_other && e.task == by; // of the same going
            if (first_of_other && first_of_other != &e) return false;
        } else if (first_of_other && e.kind != EventKind::tlb_hit && e.kind != EventKind::tlb_fill) return false;
    }
    return false;
}

// A program's cluster that goes out from its start, which lies within what was stored in one go: a message cut in two.
void add_cut(const State& s, const Timeline& t, std::size_t n, const MbufChain& chain, std::vector<MbufFault>& out) {
    const MbufId m = first_data(s, chain.mbufs);
    if (m == no_id) return;
    const Mbuf& b = s.mbufs.mbufs[m];
    const auto& all = s.mbufs.clusters;
    if (!(b.flags & M_EXT) || b.off || b.cluster == 0 || !all[b.cluster].taken || !all[b.cluster - 1].taken) return;
    if (!stored_across(t, n, all[b.cluster - 1], all[b.cluster])) return;
    const std::uint8_t before = cluster_bytes(s, b.cluster - 1).back(), first = cluster_bytes(s, b.cluster).front();
    out.push_back({b.cluster, 0, m, fmt::format("m{} begins in the middle of {}", m, first == before ? letter(first) : "a message")});
}

// The call of the moment sends from where no cluster begins: refused when it is to share, else copied.
void add_between(const State& s, const Focus& f, std::vector<MbufFault>& out) {
    if (f.task >= s.tasks.size()) return;
    const Task& t = s.tasks[f.task];
    const bool copies = t.sys == Sys::sendto && t.at.stage == Stage::b_copy;
    if (!copies && !(t.sys == Sys::none && t.last_sys == Sys::sendto && t.result == -EINVAL)) return;
    std::uint32_t at = 0;
    const ClusterId c = cluster_at(s, t.mm, copies ? t.at.x : t.call.x, at);
    if (c == no_id || !s.mbufs.clusters[c].taken || at == 0) return;
    out.push_back({c, at, no_id, fmt::format("starts at byte {}: {}", digits_grouped(at), copies ? "copied" : "EINVAL")});
}

} // namespace

std::vector<MbufChain> mbuf_chains(const State& s) {
    const Mbufs& b = s.mbufs;
    std::vector<bool> queued(b.mbufs.size()), led(b.mbufs.size()); // led: another mbuf leads to it
    for (const Mbuf& m : b.mbufs)
        for (const MbufId next : {m.next, m.nextpkt})
            if (m.used && next < led.size()) led[next] = true;
    std::vector<MbufChain> fetched, waiting, making;
    std::size_t budget = 2 * b.mbufs.size(); // each mbuf is in one chain; in a forged recording it can be in all
    const auto add = [&](ChainPlace place, MbufId head) {
        MbufChain c{place, chain_of(b, head), 0};
        for (const MbufId m : c.mbufs) c.bytes += b.mbufs[m].len;
        budget -= std::min(budget, c.mbufs.size());
        if (place == ChainPlace::making && being_freed(s, c.mbufs)) c.place = ChainPlace::fetched;
        (c.place == ChainPlace::queued ? waiting : c.place == ChainPlace::making ? making : fetched).push_back(std::move(c));
    };
    for (const MbufId packet : chain_of(b, b.queue, true)) {
        if (budget == 0) break;
        add(ChainPlace::queued, packet);
        queued[packet] = true;
    }
    for (MbufId m = 0; m < b.mbufs.size() && budget; ++m) {
        if (!b.mbufs[m].used || led[m] || queued[m]) continue;
        for (const MbufId packet : chain_of(b, m, true)) {
            if (queued[packet] || budget == 0) break;
            add(ChainPlace::making, packet);
        }
    }
    fetched.insert(fetched.end(), waiting.begin(), waiting.end());
    fetched.insert(fetched.end(), making.begin(), making.end());
    return fetched;
}

std::vector<ByteRun> byte_runs(std::span<const std::uint8_t> bytes, std::size_t most) {
    std::vector<ByteRun> out;
    for (std::uint32_t i = 0; i < bytes.size();) {
        std::uint32_t n = 1;
        while (i + n < bytes.size() && bytes[i + n] == bytes[i]) ++n;
        if (out.size() == most) return {{0, static_cast<std::uint32_t>(bytes.size()), 0, true}};
        out.push_back({i, i + n, bytes[i], false});
        i += n;
    }
    return out;
}

std::string byte_text(const ByteRun& r) { return r.mixed ? "mixed" : letter(r.byte); }

std::vector<std::uint8_t> cluster_bytes(const State& s, ClusterId id) {
    const Cluster& c = s.mbufs.clusters[id];
    const auto it = s.pages.contains(c.page) && s.pages[c.page].has_bytes ? s.bytes.find(c.page) : s.bytes.end();
    if (it == s.bytes.end()) return std::vector<std::uint8_t>(mclbytes);
    return {it->second->begin() + c.offset, it->second->begin() + c.offset + mclbytes};
}

ClusterId cluster_at(const State& s, MmId mm, std::uint64_t addr, std::uint32_t& offset) {
    if (mm >= s.mms.size() || addr == 0) return no_id;
    const Walk w = walk(s, mm, addr);
    if (!w.present && !w.protnone) return no_id;
    const auto in_page = static_cast<std::uint32_t>(addr & (page_size - 1));
    for (ClusterId c = 0; c < s.mbufs.clusters.size(); ++c) {
        const Cluster& l = s.mbufs.clusters[c];
        if (l.page != w.page || in_page < l.offset || in_page >= l.offset + mclbytes) continue;
        offset = in_page - l.offset;
        return c;
    }
    return no_id;
}

std::vector<MbufFault> mbuf_faults(const State& s, const Timeline& t, std::size_t n, const Focus& f) {
    std::vector<MbufFault> out;
    for (const MbufChain& chain : mbuf_chains(s)) add_overwritten(s, chain, out), add_cut(s, t, n, chain, out);
    add_between(s, f, out);
    return out;
}

} // namespace pipescope

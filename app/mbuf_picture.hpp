// SPDX-License-Identifier: MIT
// What the view of mbufs shows, as data: chains, the clusters they point into, the bytes in there, and which rule is broken.
#pragma once
#include "app/focus.hpp"
#include "app/layout.hpp"
#include <span>

namespace pipescope {

enum class ChainPlace { fetched, queued, making };
struct MbufChain {
    ChainPlace place = ChainPlace::making;
    std::vector<MbufId> mbufs; // by m_next
    std::uint32_t bytes = 0;
};
// First what the card has fetched and not freed yet, then its queue from the front, then what a call still works on.
std::vector<MbufChain> mbuf_chains(const State& s);

struct ByteRun {
    std::uint32_t from = 0, to = 0;
    std::uint8_t byte = 0;
    bool mixed = false; // different bytes
};
// Runs of equal bytes; a single mixed one where they are more than `most`.
std::vector<ByteRun> byte_runs(std::span<const std::uint8_t> bytes, std::size_t most = 8);
std::string byte_text(const ByteRun& r);                              // "A", "0", "mixed"
std::vector<std::uint8_t> cluster_bytes(const State& s, ClusterId c); // 2048
ClusterId cluster_at(const State& s, MmId mm, std::uint64_t addr, std::uint32_t& offset); // that maps an address; no_id: none does

// Where a rule of shared clusters is broken: stored into before it was fetched, or not begun where a cluster begins.
struct MbufFault {
    ClusterId cluster = no_id;
    std::uint32_t at = 0; // the byte in it
    MbufId mbuf = no_id;  // that sends it; no_id: none, the call was refused or copies
    std::string words;
};
// At a state that is `n` events into the timeline, which tells what was stored in one go.
std::vector<MbufFault> mbuf_faults(const State& s, const Timeline& t, std::size_t n, const Focus& f);

struct MbufBox {
    MbufId id = no_id;
    Rect r;
    Rect hdr, pkthdr, data, filled; // of its 128 bytes, to scale; filled lies in data
};
struct MbufRow {
    MbufChain chain;
    Rect caption;
    std::vector<MbufBox> boxes;
    std::size_t hidden = 0; // mbufs without room
};
struct ClusterPart { // that an mbuf points at
    MbufId mbuf = no_id;
    Rect r;
};
struct ClusterBox {
    ClusterId id = no_id;
    Rect r, bar; // the bar is its 2048 bytes
    std::vector<ClusterPart> parts;
    std::vector<MbufFault> faults;
};
struct MbufPicture {
    Rect wire, column, memory; // frames on the wire above; clusters on the right; buffers of programs below the chains
    std::vector<MbufRow> rows;
    std::size_t hidden_rows = 0; // packets of the queue, behind those shown
    std::vector<ClusterBox> clusters;
    std::size_t free_hidden = 0, used_hidden = 0; // clusters without room
    float rest_y = 0;                             // below the last cluster shown
    const ClusterBox* cluster(ClusterId c) const; // null: not shown
};
// Into `area`, at a scale; `memory_h` is what the buffers below take.
MbufPicture mbuf_layout(const State& s, const std::vector<MbufFault>& faults, const Rect& area, float scale, float memory_h);

} // namespace pipescope

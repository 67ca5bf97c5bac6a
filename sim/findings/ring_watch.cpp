// SPDX-License-Identifier: MIT
// Slots as they are filled and grow, and what else happens to the pages that they hold.
#include "sim/findings/ring_watch.hpp"
#include <algorithm>

namespace pipescope {
namespace {

constexpr std::uint32_t small_piece = page_size / 2;

bool overlap(std::uint64_t a, std::uint64_t a_len, std::uint64_t b, std::uint64_t b_len) { return a < b + b_len && b < a + a_len; }

void count(PipeFigures::Fills& f, std::uint64_t number, std::uint32_t bytes) {
    f.seen.at(number);
    f.bytes += bytes;
}

} // namespace

void RingWatch::close(Newest& newest, PipeFigures& out) {
    if (!newest.open) return;
    newest.open = false;
    count(out.all, newest.number, newest.bytes);
    if (newest.bytes < small_piece) count(out.small, newest.number, newest.bytes);
}

void RingWatch::filled(std::uint64_t number, const Pipe& p, std::uint32_t index, const Fillers& inside, PipeFigures& out, Newest& newest) {
    const PipeBuffer& b = p.bufs[p.slot(index)];
    const State& s = summarizer_.state();
    close(newest, out);
    const bool by_vmsplice = b.ops == BufOps::user_page && inside.vmsplices;
    if (by_vmsplice && (b.page == zero_page || (s.pages.contains(b.page) && s.pages[b.page].owner == PageOwner::zero))) {
        out.zero.at(number);
    } else if (by_vmsplice) {
        for (std::uint32_t i = p.tail; i != index; ++i) {
            const PipeBuffer& other = p.bufs[p.slot(i)];
            if (other.page != b.page || other.ops != BufOps::user_page || !overlap(other.offset, other.len, b.offset, b.len)) continue;
            out.twice.at(number);
            break;
        }
    }
    if (b.ops == BufOps::anon && inside.vmsplices && !inside.writes) out.vmsplice_copied.at(number);
    if (b.ops == BufOps::anon && b.flags & PIPE_BUF_FLAG_CAN_MERGE) { // what it holds in the end the next filling tells
        newest = {index, b.offset + b.len, number, true};
        return;
    }
    if (!b.len) return; // a version that counts a slot before it fills it
    count(out.all, number, b.len);
    if (b.len >= small_piece) return;
    count(out.small, number, b.len);
    if (b.flags & PIPE_BUF_FLAG_PACKET) count(out.packets, number, b.len);
    else if (b.ops == BufOps::user_page) count(out.fragments, number, b.len);
    else count(out.unmergeable, number, b.len);
}

void RingWatch::pipe_event(std::uint64_t number, const Event& e, const Fillers& inside, PipeFigures& out) {
    const State& s = summarizer_.state();
    const Pipe& p = s.pipes[e.pipe];
    if (newest_.size() <= e.pipe) newest_.resize(e.pipe + 1);
    Newest& newest = newest_[e.pipe];
    switch (e.kind) {
    case EventKind::ring_end:
        if (p.torn) return;
        handed_over(e.pipe, out, e);
        break;
    case EventKind::ring_resize: close(newest, out); break;
    case EventKind::head_set:
    case EventKind::buf_set:
    case EventKind::buf_move: break;
    default: return;
    }
    if (p.bufs.empty()) return;
    if (newest.open && newest.index - p.tail < p.occupancy()) {
        const PipeBuffer& b = p.bufs[p.slot(newest.index)];
        newest.bytes = std::max(newest.bytes, b.offset + b.len);
    }
    for (const std::uint32_t index : summarizer_.ring(e.pipe).filled())
        if (index - p.tail < p.occupancy()) filled(number, p, index, inside, out, newest);
    const std::uint64_t bytes = p.bytes();
    out.most_bytes = std::max(out.most_bytes, bytes);
    if (p.max_usage && p.full() && (e.kind == EventKind::ring_end || e.kind == EventKind::head_set)) {
        out.full.at(number);
        out.full_bytes += bytes, out.full_slots += p.occupancy();
    }
}

void RingWatch::handing_over(std::uint64_t number, const Event& enter) { offers_[enter.task] = {number, enter}; }

// A look between the call's entry and its first wait, or its end, is one of before it; the one at its end holds its own pages.
void RingWatch::handed_over(PipeId pipe, PipeFigures& out, const Event& look) {
    const auto offer = offers_.find(look.task);
    if (offer == offers_.end()) return;
    const auto [number, enter] = offer->second;
    offers_.erase(offer);
    if (enter.pipe != pipe || look.t_ns != enter.t_ns) return;
    const Pipe& p = summarizer_.state().pipes[pipe];
    for (std::uint32_t i = p.tail; i != p.head && !p.bufs.empty(); ++i) {
        const PipeBuffer& b = p.bufs[p.slot(i)];
        if (b.ops != BufOps::user_page || b.page == zero_page) continue;
        const auto it = place_.find(b.page);
        if (it == place_.end() || it->second.task != enter.task) continue;
        if (overlap(it->second.addr + b.offset, b.len, enter.x, enter.y)) return out.early.at(number);
    }
}

void RingWatch::stored(std::uint64_t number, const Event& e, std::vector<PipeFigures>& pipes) const {
    const State& s = summarizer_.state();
    const PageId page = e.kind == EventKind::copy ? e.b : e.a;
    if (!s.pages.contains(page) || s.pages[page].owner != PageOwner::user) return;
    std::uint64_t offset = 0, n = page_size;
    if (e.kind == EventKind::store) offset = e.b, n = e.c;
    if (e.kind == EventKind::copy) offset = e.y, n = e.c & ~copy_tlb_hit;
    for (PipeId id = 0; id < pipes.size(); ++id) {
        const Pipe& p = s.pipes[id];
        for (std::uint32_t i = p.tail; i != p.head && !p.bufs.empty(); ++i) {
            const PipeBuffer& b = p.bufs[p.slot(i)];
            if (b.page == page && b.ops == BufOps::user_page && overlap(b.offset, b.len, offset, n)) return pipes[id].stored.at(number);
        }
    }
}

void RingWatch::finish(std::vector<PipeFigures>& pipes) {
    for (PipeId id = 0; id < newest_.size() && id < pipes.size(); ++id) close(newest_[id], pipes[id]);
}

} // namespace pipescope

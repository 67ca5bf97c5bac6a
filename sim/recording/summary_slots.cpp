// SPDX-License-Identifier: MIT
// Fillings of slots. Each has a free-running index, so that it is counted once however often it is seen.
#include "sim/recording/summary_slots.hpp"

namespace pipescope {
namespace {

// Indices wrap; of two that are less than half the range apart, whether a comes before b.

} // namespace

void SlotCounter::changed(const Event& e, const State& s) {
    const Pipe& p = s.pipes[e.pipe];
    filled_.clear();
    switch (e.kind) {
    case EventKind::ring_end: snapshot(p, s); break;
    case EventKind::head_set: advance(p, s); break;
    case EventKind::buf_set:
        set_.resize(p.bufs.size()), awaited_.resize(p.bufs.size());
        // Some kernels advance head before they fill the slot, others after.
        if (awaited_[e.a]) {
            count(p.bufs[e.a], s, p.source);
            // Its index is the newest one below head that falls on this slot.
            filled_.push_back(p.head - 1 - ((p.head - 1 - e.a) & (p.ring_size - 1)));
        }
        else set_[e.a] = true;
        awaited_[e.a] = false;
        break;
    case EventKind::ring_resize: // the filled slots moved: nothing was filled
        set_.assign(p.bufs.size(), false);
        awaited_.assign(p.bufs.size(), false);
        counted_ = p.head;
        ring_size_ = p.ring_size;
        break;
    default: break;
    }
}

void SlotCounter::advance(const Pipe& p, const State& s) {
    set_.resize(p.bufs.size()), awaited_.resize(p.bufs.size());
    if (!begun_) counted_ = p.tail;
    begun_ = true;
    ring_size_ = p.ring_size;
    for (; before(counted_, p.head); ++counted_) {
        const std::uint32_t slot = p.slot(counted_);
        if (set_[slot]) {
            count(p.bufs[slot], s, p.source);
            filled_.push_back(counted_);
        } else {
            awaited_[slot] = true;
        }
        set_[slot] = false;
    }
    counted_ = p.head; // also where it went back: a copy failed
}

void SlotCounter::snapshot(const Pipe& p, const State& s) {
    ++snapshots_;
    if (p.torn) { // it changed while it was read: the next one tells
        ++torn_;
        return;
    }
    if (!begun_) counted_ = p.tail;                                                           // what was before the recording is not its business
    else if (ring_size_ != p.ring_size && counts_.seen() + counts_.unseen) counted_ = p.head; // resized, the indices began afresh
    begun_ = true;
    ring_size_ = p.ring_size;
    if (before(counted_, p.tail)) {
        counts_.unseen += p.tail - counted_;
        counted_ = p.tail;
    }
    for (; before(counted_, p.head); ++counted_) {
        const PipeBuffer& b = p.bufs[p.slot(counted_)];
        if (b.page == no_page && b.ops == BufOps::null) ++counts_.unseen; // beyond what the capture reads of a large ring
        else count(b, s, p.source), filled_.push_back(counted_);
    }
}

void SlotCounter::count(const PipeBuffer& b, const State& s, RingSource source) {
    static const Page nothing;
    const Page& tail = s.pages.contains(b.page) ? s.pages[b.page] : nothing;
    const Page& page = tail.owner == PageOwner::free && s.pages.contains(tail.compound_head) ? s.pages[tail.compound_head] : tail;
    std::uint64_t* owner = nullptr;
    bool by_kind = false;
    switch (page.owner) {
    case PageOwner::kernel: owner = &counts_.kernel; break;
    case PageOwner::user: owner = &counts_.user; break;
    case PageOwner::page_cache: owner = &counts_.page_cache; break;
    case PageOwner::zero: owner = &counts_.zero; break;
    case PageOwner::socket: owner = &counts_.socket; break;
    case PageOwner::free:
    case PageOwner::table:
    case PageOwner::unknown: break;
    }
    if (!owner) { // the operations of a slot tell how its page came into it
        by_kind = true;
        switch (b.ops) {
        case BufOps::anon:
        case BufOps::default_: owner = &counts_.kernel; break;
        case BufOps::user_page: owner = &counts_.user; break;
        case BufOps::page_cache: owner = &counts_.page_cache; break;
        case BufOps::nosteal: owner = &counts_.socket; break;
        case BufOps::zero: owner = &counts_.zero; break;
        case BufOps::null:
        case BufOps::unknown: ++counts_.unknown; return;
        }
    }
    ++*owner;
    if (owner == &counts_.user) {
        if (counts_.user == 1) user_ = page.user_task;
        else several_users_ |= user_ != page.user_task;
    }
    if (source == RingSource::inferred || page.seen & seen_inferred) ++counts_.inferred;
    else if (page.seen & seen_by_pfn && !by_kind) ++counts_.by_frame;
    else ++(source == RingSource::model ? counts_.by_model : counts_.by_slot_kind);
}

void SlotCounter::fill_in(PipeSummary& out, const State& s, const StringTable& strings) const {
    out.slots = counts_;
    out.snapshots = snapshots_, out.torn = torn_;
    if (!several_users_ && user_ < s.tasks.size()) out.user_pages_of = strings[s.tasks[user_].name];
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Rings of records to events: pages and their owners, and what is told once.
#include "sim/live/convert.hpp"
#include <algorithm>

namespace pipescope {

void RecordConverter::ring(const bpf_ring& ring, PipeId pipe, const Thread& t, std::vector<Event>& out) {
    ++snapshots_;
    slots_ += ring.slots;
    const std::uint32_t filled = ring.head - ring.tail;
    const bool usable = ring.ring_size && !(ring.ring_size & (ring.ring_size - 1)) && filled <= ring.ring_size;
    const bool torn = ring.torn || !usable || ring.slots < filled; // the last: more slots than a record holds
    if (torn) ++torn_;
    if (!usable) return; // head and tail of two different moments say nothing at all

    std::vector<Event> now;
    now.reserve(ring.slots + 2);
    Event& begin = emit(now, EventKind::ring_begin, &t, pipe);
    begin.a = ring.head, begin.b = ring.tail, begin.c = ring.ring_size;
    begin.x = ring.max_usage, begin.y = torn ? std::uint64_t{ring_torn} : 0;
    for (std::uint32_t i = 0; i < std::min(ring.slots, std::uint32_t{ring_window}); ++i) {
        const bpf_slot& s = ring.slot[i];
        const PageId id = page(s, t, out);
        Event& e = emit(now, EventKind::ring_slot, &t, pipe);
        e.a = (ring.tail + i) & (ring.ring_size - 1), e.b = id, e.c = s.flags;
        e.x = std::uint64_t{s.offset} << 32 | s.len;
        e.y = static_cast<std::uint64_t>(facts_.ops_at(s.ops));
    }
    Event& end = emit(now, EventKind::ring_end, &t, pipe);
    end.a = ring.readers, end.b = ring.writers, end.c = ring.owner_tid ? task_of(ring.owner_tid) : no_id;

    // Most calls begin with the ring that the last one left: it is told once.
    const auto same = [](const Event& x, const Event& y) {
        return x.kind == y.kind && x.a == y.a && x.b == y.b && x.c == y.c && x.x == y.x && x.y == y.y;
    };
    std::vector<Event>& last = rings_[pipe];
    if (now.size() == last.size() && std::equal(now.begin(), now.end(), last.begin(), same)) return;
    out.insert(out.end(), now.begin(), now.end());
    last = std::move(now);
}

// Most slots say by their kind whose page it is. One of vmsplice holds user memory: whose goes by the frame, and a page that
// nobody is known to map stays unknown.
PageOwner RecordConverter::owner_of(std::uint64_t pfn, BufOps ops) const {
    switch (ops) {
    case BufOps::anon:
    case BufOps::default_: return PageOwner::kernel;
    case BufOps::page_cache: return PageOwner::page_cache;
    case BufOps::nosteal: return PageOwner::socket;
    case BufOps::zero: return PageOwner::zero;
    default: break;
    }
    if (pfn && pfn == facts_.zero_pfn) return PageOwner::zero;
    return pfn && users_.contains(pfn) ? PageOwner::user : PageOwner::unknown;
}

PageId RecordConverter::page(const bpf_slot& slot, const Thread& t, std::vector<Event>& out) {
    if (!slot.page) return no_page;
    const std::uint64_t pfn = facts_.pfn_of(slot.page);
    KnownPage& known = pages_[slot.page];
    // A slot of a torn ring may have been emptied just then: that says nothing of the page.
    const PageOwner owner = !slot.ops && known.id != no_page ? known.owner : owner_of(pfn, facts_.ops_at(slot.ops));
    if (known.id == no_page) known.id = owner == PageOwner::zero ? zero_page : next_page_++;
    if (known.owner == owner && known.refcount == slot.refcount && known.order == slot.order && known.flags == slot.page_flags) return known.id;

    const bool claimed = known.owner != PageOwner::user && owner == PageOwner::user;
    known.owner = owner, known.refcount = slot.refcount, known.order = slot.order, known.flags = slot.page_flags;
    const bool by_frame = owner == PageOwner::user || (owner == PageOwner::zero && pfn == facts_.zero_pfn);
    Event& e = emit(out, EventKind::page_seen, &t, no_id);
    e.a = known.id, e.b = static_cast<std::uint32_t>(slot.refcount);
    e.c = static_cast<std::uint32_t>(owner) | std::uint32_t{slot.order} << 8 | std::uint32_t{seen_by_bpf} << 16;
    if (by_frame) e.c |= std::uint32_t{seen_by_pfn} << 16;
    e.x = pfn, e.y = slot.page_flags;
    if (claimed) {
        const FrameUser& user = users_.at(pfn);
        if (const TaskId whose = task_of(user.tid); whose != no_id) {
            Event& u = emit(out, EventKind::page_user, &t, no_id);
            u.a = known.id, u.b = whose, u.c = user.index, u.x = user.address;
        }
    }
    return known.id;
}

} // namespace pipescope

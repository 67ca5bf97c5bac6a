// SPDX-License-Identifier: MIT
// Rings of records to events: pages and their owners, and what is told once.
#include "sim/live/convert.hpp"
#include <algorithm>
#include <cstring>

namespace pipescope {
namespace {
constexpr std::uint32_t most_slots = 1 << 20; // pipe-max-size is an int
} // namespace

void RecordConverter::learn_slots(const rec_ring& ring, KnownRing& known, const Thread& t, std::vector<Event>& out) {
    if (known.slots.size() != ring.ring_size) known.slots.assign(ring.ring_size, {});
    const std::uint32_t words = std::min(ring.words, std::uint32_t{ring_words});
    std::uint32_t index = ring.first;
    for (std::uint32_t w = 0; w + words_of_slot <= words;) {
        rec_slot s;
        std::memcpy(&s, &ring.word[w], sizeof s);
        w += words_of_slot;
        const BufOps ops = facts_.ops_at_low(s.ops);
        bpf_slot one{s.page, s.ops, s.offset, s.len, s.flags, s.page_flags, s.refcount, static_cast<bpf_u8>(s.order & ~rec_slot_tail),
            static_cast<bpf_u8>(s.order & rec_slot_tail ? 1 : 0), 0};
        const bool listed = s.more & rec_listed;
        for (std::uint32_t left = s.more & ~rec_listed;; --left) {
            if (index - ring.first >= ring.ring_size) return;
            known.slots[index & (ring.ring_size - 1)] = {index, s.offset, s.len, s.flags, page(one, ops, t, out), ops, true};
            ++index;
            if (!left || (listed && w >= words)) break;
            one.page = listed ? ring.word[w++] : one.page + facts_.page_bytes;
            one.tail = !listed;
        }
    }
}

void RecordConverter::KnownRing::amend(std::uint32_t index, const bpf_u32 (&extent)[2]) {
    KnownSlot& s = slots[index & (slots.size() - 1)];
    if (s.known && s.index == index) s.offset = extent[0], s.len = extent[1];
}

// Slots that were told before are as they were.
void RecordConverter::ring(const rec_ring& ring, PipeId pipe, const Thread& t, std::vector<Event>& out) {
    ++snapshots_;
    slots_ += ring.slots;
    KnownRing& known = rings_[pipe];
    const std::uint32_t filled = ring.head - ring.tail;
    if (!ring.ring_size || ring.ring_size & (ring.ring_size - 1) || ring.ring_size > most_slots || filled > ring.ring_size || ring.first - ring.tail > filled) {
        ++torn_; // head and tail of two different moments say nothing at all
        return;
    }
    learn_slots(ring, known, t, out);
    if (filled) known.amend(ring.head - 1, ring.newest), known.amend(ring.tail, ring.oldest);
    known.max_usage = ring.max_usage, known.readers = ring.readers, known.writers = ring.writers;
    tell_ring({ring.head, ring.tail, ring.owner_tid, ring.torn != 0}, known, pipe, t, out);
}

void RecordConverter::ring_at_enter(const rec_call_info& call, PipeId pipe, const Thread& t, std::vector<Event>& out) {
    KnownRing& known = rings_[pipe];
    const auto size = static_cast<std::uint32_t>(known.slots.size());
    const std::uint32_t filled = call.enter_head - call.enter_tail;
    if (!size || filled > size) return; // the record that told of its slots was lost
    ++snapshots_;
    if (filled) known.amend(call.enter_head - 1, call.enter_newest), known.amend(call.enter_tail, call.enter_oldest);
    tell_ring({call.enter_head, call.enter_tail, call.enter_owner_tid, call.enter_owner_tid != 0}, known, pipe, t, out);
}

void RecordConverter::tell_ring(const RingMoment& at, KnownRing& ring, PipeId pipe, const Thread& t, std::vector<Event>& out) {
    const auto size = static_cast<std::uint32_t>(ring.slots.size());
    std::vector<Event> now;
    now.reserve(at.head - at.tail + 2);
    Event& begin = emit(now, EventKind::ring_begin, &t, pipe);
    begin.a = at.head, begin.b = at.tail, begin.c = size;
    begin.x = ring.max_usage;
    std::uint32_t index = at.tail;
    for (; index != at.head; ++index) {
        const KnownSlot& s = ring.slots[index & (size - 1)];
        if (!s.known || s.index != index) break; // more slots than a record holds, or a record that was lost
        Event& e = emit(now, EventKind::ring_slot, &t, pipe);
        e.a = index & (size - 1), e.b = s.page, e.c = s.flags;
        e.x = std::uint64_t{s.offset} << 32 | s.len;
        e.y = static_cast<std::uint64_t>(s.ops);
    }
    const bool torn = at.torn || index != at.head;
    if (torn) ++torn_;
    now.front().y = torn ? std::uint64_t{ring_torn} : 0;
    Event& end = emit(now, EventKind::ring_end, &t, pipe);
    end.a = ring.readers, end.b = ring.writers, end.c = at.owner_tid ? task_of(at.owner_tid) : no_id;

    // Most calls begin with the ring that the last one left: it is told once.
    const auto same = [](const Event& x, const Event& y) {
        return x.kind == y.kind && x.a == y.a && x.b == y.b && x.c == y.c && x.x == y.x && x.y == y.y;
    };
    if (now.size() == ring.told.size() && std::equal(now.begin(), now.end(), ring.told.begin(), same)) return;
    out.insert(out.end(), now.begin(), now.end());
    ring.told = std::move(now);
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

PageId RecordConverter::page(const bpf_slot& slot, BufOps ops, const Thread& t, std::vector<Event>& out) {
    if (!slot.page) return no_page;
    const std::uint64_t pfn = facts_.pfn_of(slot.page);
    KnownPage& known = pages_[slot.page];
    // A slot of a torn ring may have been emptied just then: that says nothing of the page.
    const PageOwner owner = ops == BufOps::null && known.id != no_page ? known.owner : owner_of(pfn, ops);
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

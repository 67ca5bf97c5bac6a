// SPDX-License-Identifier: MIT
// The BPF recorder's records as events: order, owners of pages, what is told once, waits.
#include "core/describe.hpp"
#include "sim/live/convert.hpp"
#include "sim/live/record_queue.hpp"
#include <doctest/doctest.h>
#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <sys/syscall.h>

using namespace pipescope;

namespace {

constexpr std::uint64_t start = 1'000'000, vmemmap = 0xffffea0000000000, anon_ops = 0xffffffff81000001, user_ops = 0xffffffff81000002,
                        cache_ops = 0xffffffff81000003, foreign_ops = 0xffffffff81000009, address = 0xffff888000001000;
constexpr std::uint64_t user_pfn = 0x500, zero_pfn = 0x33;

struct Slot {
    std::uint64_t pfn, ops;
    std::uint32_t offset = 0, len = 4096, flags = 0;
    std::int32_t refcount = 1;
    std::uint8_t order = 0;
    std::uint16_t more = 0;
    std::vector<std::uint64_t> listed = {};
};

struct Rig {
    LiveFacts facts;
    FrameUsers users;
    RecordedWorld world;
    StringTable strings;
    std::vector<Event> events;
    State state;
    std::unique_ptr<RecordConverter> converter;
    bool refused = false;

    Rig() {
        facts.vmemmap = vmemmap;
        facts.zero_pfn = zero_pfn;
        facts.ops = {{anon_ops, BufOps::anon}, {user_ops, BufOps::user_page}, {cache_ops, BufOps::page_cache}};
        users[user_pfn] = {100, 7, 0x7000};
        users[zero_pfn] = {100, 8, 0x8000}; // untouched memory shows it; it is nobody's own
        world.slots = 16;
        world.address = address, world.inode = 7;
        world.tasks = {{"writer", 100, 0, 0x1000, 0x10000, 4, false}, {"reader", 101, 1, 0x1000, 0x10000, 3, true}};
        world_events(world, strings, events);
        fold();
        converter = std::make_unique<RecordConverter>(facts, users, world, strings, start);
    }
    void fold() {
        for (const Event& e : events) refused = !apply(state, e) || refused;
    }
    std::vector<EventKind> kinds() const {
        std::vector<EventKind> k;
        for (const Event& e : events) k.push_back(e.kind);
        return k;
    }
    long count(EventKind kind) const {
        return std::count_if(events.begin(), events.end(), [&](const Event& e) { return e.kind == kind; });
    }
    // One record; `events` then holds what it became.
    void call(rec_kind kind, std::uint64_t t, std::uint32_t tid, std::uint32_t nr, std::int64_t result, std::uint32_t head, std::uint32_t tail,
        const std::vector<Slot>& slots, bool torn = false, bool has_ring = true) {
        const auto c = std::make_unique<rec_call>();
        rec_call_info& i = c->info;
        i.head = {start + t, tid, static_cast<std::uint16_t>(kind), 0};
        i.nr = nr, i.fd = tid == 100 ? 4 : 3, i.len = 4096, i.addr = 0x1000, i.result = result;
        i.pipe = address, i.ino = 7, i.file_flags = tid == 100 ? O_WRONLY : O_RDONLY;
        i.has_ring = has_ring;
        c->ring.head = head, c->ring.tail = tail, c->ring.ring_size = c->ring.max_usage = 16, c->ring.readers = c->ring.writers = 1;
        c->ring.torn = torn;
        c->ring.first = first == whole ? tail : first;
        c->ring.slots = static_cast<std::uint32_t>(slots.size());
        for (std::size_t n = 0; n < slots.size(); ++n) {
            const Slot& s = slots[n];
            const rec_slot told{vmemmap + s.pfn * 64, s.offset, s.len, static_cast<std::uint32_t>(s.ops), 0x8, s.refcount, s.more,
                static_cast<std::uint8_t>(s.flags), s.order};
            std::memcpy(&c->ring.word[c->ring.words], &told, sizeof told);
            c->ring.words += words_of_slot;
            for (const std::uint64_t pfn : s.listed) c->ring.word[c->ring.words++] = vmemmap + pfn * 64;
        }
        const bool from_tail = c->ring.first == tail && !slots.empty();
        c->ring.newest[0] = slots.empty() ? oldest_offset : slots.back().offset, c->ring.newest[1] = slots.empty() ? 4096 - oldest_offset : slots.back().len;
        c->ring.oldest[0] = from_tail ? slots[0].offset : oldest_offset, c->ring.oldest[1] = from_tail ? slots[0].len : 4096 - oldest_offset;
        events.clear();
        converter->add(c->info.head, events);
        fold();
    }
    static constexpr std::uint32_t whole = ~0u;
    std::uint32_t first = whole, oldest_offset = 0; // of the next records' rings
    void small(rec_kind kind, std::uint64_t t, std::uint32_t tid, std::uint32_t what) {
        const rec_small r{{start + t, tid, static_cast<std::uint16_t>(kind), 0}, what, 0};
        events.clear();
        converter->add(r.head, events);
        fold();
    }
    PageOwner owner(std::uint32_t slot) const { return state.pages[state.pipes[0].bufs[slot].page].owner; }
};

} // namespace

TEST_CASE("convert: at an exit the ring comes first, at an enter the call does") {
    Rig r;
    r.call(rec_enter, 10, 100, SYS_write, 0, 0, 0, {});
    CHECK(r.kinds() == std::vector{EventKind::sys_enter, EventKind::ring_begin, EventKind::ring_end});
    CHECK(r.events[0].t_ns == 10);
    CHECK(r.events[0].a == static_cast<std::uint32_t>(Sys::write));
    r.call(rec_exit, 20, 100, SYS_write, 4096, 1, 0, {{0x200, anon_ops, 0, 4096, PIPE_BUF_FLAG_CAN_MERGE}});
    CHECK(r.kinds() == std::vector{EventKind::page_seen, EventKind::ring_begin, EventKind::ring_slot, EventKind::ring_end, EventKind::sys_exit});
    CHECK(ring_string(r.state, r.strings, 0) == "head=1 tail=0 | 0:k1@0+4096 M");
    CHECK(r.state.tasks[0].bytes == 4096);
    CHECK(!r.refused);
}

TEST_CASE("convert: whose a page is goes by its frame, then by its kind of slot, and is never made up") {
    Rig r;
    r.call(rec_enter, 1, 100, SYS_vmsplice, 0, 5, 0,
        {
            {user_pfn, user_ops},
            {0x201, user_ops},
            {zero_pfn, user_ops},
            {0x202, anon_ops},
            {0x203, cache_ops},
        });
    CHECK(r.owner(0) == PageOwner::user);
    CHECK(r.owner(1) == PageOwner::unknown); // user memory, but of no buffer that was told of
    CHECK(r.owner(2) == PageOwner::zero);
    CHECK(r.owner(3) == PageOwner::kernel);
    CHECK(r.owner(4) == PageOwner::page_cache);
    CHECK(r.count(EventKind::page_user) == 1);
    CHECK(r.state.pipes[0].bufs[2].page == zero_page);
    const Page& mine = r.state.pages[r.state.pipes[0].bufs[0].page];
    CHECK(mine.seen == (seen_by_bpf | seen_by_pfn));
    CHECK(mine.user_task == 0);
    CHECK(mine.user_index == 7);
    CHECK(r.state.pages[r.state.pipes[0].bufs[3].page].seen == seen_by_bpf);
    CHECK(r.state.pipes[0].bufs[1].page == 3); // dense, in the order met: 2, 3, zero, 4, 5
    CHECK(r.state.pipes[0].bufs[4].page == 5);
    r.call(rec_exit, 2, 100, SYS_vmsplice, 4096, 6, 5, {{0x204, foreign_ops}});
    CHECK(r.owner(5) == PageOwner::unknown);
    CHECK(r.state.pipes[0].bufs[5].ops == BufOps::unknown);
    CHECK(!r.refused);
}

TEST_CASE("convert: a page is told of again when it changed, a ring only when it did") {
    Rig r;
    r.call(rec_enter, 1, 100, SYS_vmsplice, 0, 1, 0, {{user_pfn, user_ops, 0, 4096, 0, 2}});
    CHECK(r.count(EventKind::page_seen) == 1);
    r.call(rec_exit, 2, 100, SYS_vmsplice, 4096, 1, 0, {{user_pfn, user_ops, 0, 4096, 0, 2}});
    CHECK(r.kinds() == std::vector{EventKind::sys_exit});
    r.call(rec_enter, 3, 101, SYS_read, 0, 1, 0, {{user_pfn, user_ops, 0, 4096, 0, 3}});
    CHECK(r.kinds() == std::vector{EventKind::sys_enter, EventKind::page_seen});
    CHECK(r.state.pages[2].refcount == 3);
    CHECK(r.count(EventKind::page_user) == 0); // that was told already
    r.call(rec_exit, 4, 101, SYS_read, 100, 1, 0, {{user_pfn, user_ops, 100, 3996, 0, 3}});
    CHECK(r.count(EventKind::ring_slot) == 1);
    CHECK(!r.refused);
}

TEST_CASE("convert: torn rings say so, impossible ones are left out") {
    Rig r;
    r.call(rec_enter, 1, 100, SYS_write, 0, 1, 0, {{0x200, anon_ops}}, true);
    CHECK(r.state.pipes[0].torn);
    r.call(rec_exit, 2, 100, SYS_write, 1, 3, 9, {});
    CHECK(r.kinds() == std::vector{EventKind::sys_exit});
    CHECK(r.converter->torn() == 2);
    CHECK(!r.refused);
}

TEST_CASE("convert: a wait for the lock is one, however often the kernel tells of it") {
    Rig r;
    r.call(rec_enter, 1, 100, SYS_write, 0, 0, 0, {});
    r.small(rec_lock_begin, 2, 100, 0x21);
    CHECK(r.state.tasks[0].run == RunState::lock_spin);
    r.small(rec_lock_begin, 3, 100, 0x20);
    CHECK(r.state.tasks[0].run == RunState::lock_sleep);
    CHECK(r.state.pipes[0].mutex.waiters.size() == 1);
    r.small(rec_off_cpu, 4, 100, 2);
    r.small(rec_waking, 5, 100, 101);
    CHECK(r.count(EventKind::wake) == 0); // not from a wait queue of the pipe
    CHECK(r.state.tasks[0].run == RunState::runnable);
    r.small(rec_lock_end, 6, 100, 0);
    CHECK(r.state.pipes[0].mutex.waiters.empty());
    CHECK(r.state.tasks[0].run == RunState::running);
    CHECK(!r.refused);
}

TEST_CASE("convert: sleep for data and the wake-up, and what is lost of them") {
    Rig r;
    r.call(rec_enter, 1, 101, SYS_read, 0, 0, 0, {});
    r.small(rec_off_cpu, 2, 101, 1);
    CHECK(r.state.tasks[1].run == RunState::sleep);
    CHECK(r.state.tasks[1].wait_for == WaitFor::data);
    CHECK(r.state.pipes[0].wait[0].size() == 1);
    r.small(rec_waking, 3, 101, 100);
    CHECK(r.events[0].kind == EventKind::wake);
    CHECK(r.events[0].task == 0);
    CHECK(r.state.pipes[0].wait[0].empty());
    r.small(rec_on_cpu, 4, 101, 0);
    CHECK(r.state.tasks[1].run == RunState::running);
    r.small(rec_off_cpu, 5, 101, 1);
    r.call(rec_exit, 6, 101, SYS_read, 1, 0, 0, {}); // neither its wake-up nor its return to the CPU was seen
    CHECK(r.state.pipes[0].wait[0].empty());
    CHECK(r.state.tasks[1].run == RunState::user);
    r.small(rec_off_cpu, 7, 101, 1); // outside a call
    CHECK(r.events.empty());
    r.call(rec_exit, 8, 101, SYS_read, 1, 0, 0, {}); // its enter was lost
    CHECK(r.events.empty());
    CHECK(!r.refused);
}

TEST_CASE("convert: time never runs backwards") {
    Rig r;
    r.call(rec_enter, 50, 100, SYS_write, 0, 0, 0, {});
    r.call(rec_enter, 40, 101, SYS_read, 0, 0, 0, {}, false, false); // sent late
    CHECK(r.events[0].t_ns == 50);
    r.call(rec_enter, 60, 999, SYS_read, 0, 0, 0, {}); // a stranger
    CHECK(r.events.empty());
}

TEST_CASE("record queue: handed out in order of time, the newest kept back") {
    RecordQueue queue;
    const auto put = [&](std::uint64_t t, std::uint32_t what) {
        const rec_small r{{t, 1, rec_on_cpu, 0}, what, 0};
        queue.keep(&r, sizeof r);
    };
    for (const std::uint64_t t : {50, 10, 40, 20, 20, 30}) put(t, static_cast<std::uint32_t>(queue.bytes()));
    std::vector<std::uint64_t> times;
    std::vector<std::uint32_t> equal; // records of one time stay as they came
    const auto use = [&](const rec_head& r, RecordPart) {
        times.push_back(r.t_ns);
        if (r.t_ns == 20) equal.push_back(reinterpret_cast<const rec_small&>(r).what);
        if (r.t_ns == 30) put(5, 0); // late: too late for this round
    };
    queue.take(40, use);
    CHECK((times == std::vector<std::uint64_t>{10, 20, 20, 30}));
    CHECK(equal[0] < equal[1]);
    CHECK(queue.bytes() == 3 * sizeof(rec_small));
    times.clear();
    queue.take(1000, use);
    CHECK((times == std::vector<std::uint64_t>{5, 40, 50}));
    CHECK(queue.bytes() == 0);
}

TEST_CASE("convert: slots that were told before are as they were, but for the oldest") {
    Rig r;
    r.call(rec_exit, 1, 100, SYS_write, 0, 0, 0, {}); // its enter was not seen
    r.call(rec_enter, 2, 100, SYS_write, 0, 2, 0, {{0x200, anon_ops}, {0x201, anon_ops, 0, 10}});
    r.first = 1; // told again: it was about to be filled
    r.call(rec_exit, 3, 100, SYS_write, 5000, 3, 0, {{0x201, anon_ops, 0, 4096}, {0x202, anon_ops, 0, 914}});
    const Pipe& pipe = r.state.pipes[0];
    CHECK(pipe.head == 3);
    CHECK(pipe.bufs[0].len == 4096);
    CHECK(pipe.bufs[1].len == 4096);
    CHECK(pipe.bufs[2].len == 914);
    CHECK(!r.state.pipes[0].torn);
    r.first = 2, r.oldest_offset = 100;
    r.call(rec_enter, 4, 101, SYS_read, 0, 3, 1, {{0x202, anon_ops, 0, 914}});
    CHECK(pipe.tail == 1);
    CHECK(pipe.bufs[1].offset == 100);
    CHECK(pipe.bufs[1].len == 3996);
    r.first = 7; // slots 3 to 6 were in a record that was lost
    r.call(rec_exit, 5, 101, SYS_read, 1, 8, 1, {{0x203, anon_ops}});
    CHECK(pipe.torn);
    CHECK(!r.refused);
}

TEST_CASE("convert: slots that differ in nothing but their page are told in one") {
    Rig r;
    r.call(rec_enter, 1, 100, SYS_vmsplice, 0, 0, 0, {});
    r.call(rec_exit, 2, 100, SYS_vmsplice, 3 * 4096, 3, 0, {{0x600, user_ops, 0, 4096, 0, 9, 9, 2}});
    const Pipe& pipe = r.state.pipes[0];
    for (std::uint32_t i = 0; i < 3; ++i) {
        CHECK(pipe.bufs[i].len == 4096);
        CHECK(r.state.pages[pipe.bufs[i].page].pfn == 0x600 + i);
        CHECK(r.state.pages[pipe.bufs[i].page].order == 9);
    }
    CHECK(!pipe.torn);
    r.call(rec_enter, 3, 100, SYS_vmsplice, 0, 3, 3, {});
    r.call(rec_exit, 4, 100, SYS_vmsplice, 3 * 4096, 6, 3, {{0x700, user_ops, 0, 4096, 0, 2, 0, rec_listed | 2, {0x650, 0x720}}});
    CHECK(r.state.pages[pipe.bufs[3].page].pfn == 0x700);
    CHECK(r.state.pages[pipe.bufs[4].page].pfn == 0x650);
    CHECK(r.state.pages[pipe.bufs[5].page].pfn == 0x720);
    CHECK(!pipe.torn);
}

TEST_CASE("convert: a call that did not wait has one record for its enter, its wait for the mutex and its exit") {
    Rig r;
    r.call(rec_enter, 1, 100, SYS_write, 0, 0, 0, {});
    r.call(rec_exit, 2, 100, SYS_write, 4096, 1, 0, {{0x200, anon_ops}});
    rec_call c{};
    c.info.head = {start + 9, 101, rec_exit, 0};
    c.info.nr = SYS_read, c.info.fd = 3, c.info.result = 100, c.info.pipe = address, c.info.ino = 7, c.info.file_flags = O_RDONLY;
    c.info.enter_ns = start + 5, c.info.lock_begin_ns = start + 6, c.info.lock_end_ns = start + 7, c.info.lock_flags = 1;
    c.info.enter_known = 1, c.info.enter_head = 1, c.info.enter_owner_tid = 100;
    c.info.enter_oldest[1] = c.info.enter_newest[1] = 4096;
    c.info.has_ring = 1;
    c.ring.head = c.ring.first = 1, c.ring.ring_size = c.ring.max_usage = 16, c.ring.readers = c.ring.writers = 1;
    c.ring.tail = 0;
    c.ring.oldest[0] = c.ring.newest[0] = 100, c.ring.oldest[1] = c.ring.newest[1] = 3996;
    RecordQueue queue;
    queue.keep(&c, sizeof c.info + sizeof c.ring - sizeof c.ring.word);
    r.events.clear();
    queue.take(~0ull, [&](const rec_head& record, RecordPart part) { r.converter->add(record, part, r.events); });
    r.fold();
    std::vector<std::pair<std::uint64_t, EventKind>> seen;
    for (const Event& e : r.events)
        if (e.kind != EventKind::run_state) seen.emplace_back(e.t_ns, e.kind);
    CHECK((seen == std::vector<std::pair<std::uint64_t, EventKind>>{{5, EventKind::sys_enter}, {5, EventKind::ring_begin}, {5, EventKind::ring_slot},
                       {5, EventKind::ring_end}, {6, EventKind::mutex_wait}, {7, EventKind::mutex_leave}, {9, EventKind::ring_begin},
                       {9, EventKind::ring_slot}, {9, EventKind::ring_end}, {9, EventKind::sys_exit}}));
    CHECK(r.state.pipes[0].bufs[0].offset == 100);
    CHECK(!r.refused);
}

TEST_CASE("record queue: a brief record is spelled out by the last long one of its task") {
    RecordQueue queue;
    rec_call full{};
    full.info.head = {100, 7, rec_exit, 0};
    full.info.nr = SYS_vmsplice, full.info.fd = 4, full.info.flags = 2, full.info.pipe = address, full.info.ino = 9, full.info.faults = 3;
    full.info.has_ring = 1;
    full.ring.ring_size = 32, full.ring.max_usage = 32, full.ring.readers = 1, full.ring.writers = 2;
    queue.keep(&full, sizeof full.info + sizeof full.ring - sizeof full.ring.word);
    struct {
        rec_brief_call call{};
        std::uint64_t word[words_of_slot] = {};
    } brief;
    brief.call.head = {200, 7, rec_brief, 1};
    brief.call.addr = 0x7000, brief.call.call_ns = 50, brief.call.lock_at_ns = 10, brief.call.lock_ns = 5, brief.call.len = 4096;
    brief.call.result = 4096, brief.call.ring_head = 11, brief.call.ring_tail = 10, brief.call.slots = 1, brief.call.words = words_of_slot;
    brief.word[0] = 0xabc;
    queue.keep(&brief, sizeof brief);
    brief.call.head.tid = 8, brief.call.brief = brief_enter_told; // nothing long is known of that one
    queue.keep(&brief, sizeof brief);
    std::vector<std::pair<std::uint32_t, RecordPart>> parts;
    queue.take(~0ull, [&](const rec_head& r, RecordPart part) {
        parts.emplace_back(r.tid, part);
        if (r.tid != 7 || r.t_ns != 200) return;
        const auto& c = reinterpret_cast<const rec_call&>(r);
        CHECK(r.kind == rec_exit);
        CHECK(c.info.nr == SYS_vmsplice);
        CHECK(c.info.pipe == address);
        CHECK(c.info.faults == 0);
        CHECK(c.info.enter_ns == 150);
        CHECK(c.info.lock_begin_ns == 160);
        CHECK(c.info.lock_end_ns == 165);
        CHECK(c.ring.ring_size == 32);
        CHECK(c.ring.first == 10);
        CHECK(c.ring.word[0] == 0xabc);
    });
    using P = RecordPart;
    CHECK((parts == std::vector<std::pair<std::uint32_t, P>>{{7, P::own}, {7, P::enter}, {7, P::lock_begin}, {7, P::lock_end},
                        {7, P::own}}));
}

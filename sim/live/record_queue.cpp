// SPDX-License-Identifier: MIT
// Keeps records in large chunks, sorts pointers to them.
#include "sim/live/record_queue.hpp"
#include "core/types.hpp"
#include <algorithm>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace pipescope {
namespace {
constexpr std::size_t chunk_bytes = 16 << 20; // far more than the largest record
constexpr std::size_t most_spare = 16;
static_assert(sizeof(rec_call) * 16 < chunk_bytes);
} // namespace

void RecordQueue::Unmap::operator()(std::byte* memory) const { ::munmap(memory, chunk_bytes); }

// Huge pages where they are to be had: taking a fault for each small one is dearer than filling it.
RecordQueue::Chunk RecordQueue::new_chunk() {
    void* memory = ::mmap(nullptr, chunk_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    ::madvise(memory, chunk_bytes, MADV_HUGEPAGE);
    return {std::unique_ptr<std::byte, Unmap>(static_cast<std::byte*>(memory)), 0};
}

void RecordQueue::prepare(std::size_t bytes) {
    for (std::size_t n = 0; n < bytes; n += chunk_bytes) {
        Chunk& chunk = spare_.emplace_back(new_chunk());
        for (std::size_t at = 0; at < chunk_bytes; at += page_size) chunk.memory.get()[at] = std::byte{1};
    }
}

// Nothing but a copy: this has to keep up with the programs. What is in it is looked at in take().
void RecordQueue::keep(const void* record, std::size_t size) {
    const std::size_t room = (size + sizeof(std::uint64_t) + 7) & ~std::size_t{7};
    if (chunks_.empty() || chunks_.back().used + room > chunk_bytes) {
        if (spare_.empty()) spare_.push_back(new_chunk());
        chunks_.push_back(std::move(spare_.back()));
        chunks_.back().used = 0;
        spare_.pop_back();
    }
    Chunk& chunk = chunks_.back();
    std::byte* at = chunk.memory.get() + chunk.used;
    const std::uint64_t length = size;
    std::memcpy(at, &length, sizeof length);
    std::memcpy(at + sizeof length, record, size);
    chunk.used += room;
    bytes_ += size;
}

void RecordQueue::list_parts(const std::byte* at, std::uint32_t n, std::vector<Waiting>& list) {
    const rec_head& head = *reinterpret_cast<const rec_head*>(at);
    if (head.kind == rec_exit) {
        const rec_call_info& call = *reinterpret_cast<const rec_call_info*>(at);
        if (call.enter_ns) list.push_back({call.enter_ns, at, n, RecordPart::enter});
        if (call.enter_ns && call.lock_begin_ns) list.push_back({call.lock_begin_ns, at, n, RecordPart::lock_begin});
        if (call.enter_ns && call.lock_end_ns) list.push_back({call.lock_end_ns, at, n, RecordPart::lock_end});
    }
    if (head.kind == rec_brief) {
        const rec_brief_call& call = *reinterpret_cast<const rec_brief_call*>(at);
        const std::uint64_t enter = head.t_ns - call.call_ns, lock = enter + call.lock_at_ns;
        if (!(call.brief & brief_enter_told)) list.push_back({enter, at, n, RecordPart::enter});
        if (call.lock_ns) list.push_back({lock, at, n, RecordPart::lock_begin});
        if (call.lock_ns) list.push_back({lock + call.lock_ns, at, n, RecordPart::lock_end});
    }
    list.push_back({head.t_ns, at, n, RecordPart::own});
}

// A brief record with what the last long one of its task had; nothing when that was lost. A long one is kept for that.
const rec_head* RecordQueue::spelled_out(const Waiting& w) {
    const rec_head& head = *reinterpret_cast<const rec_head*>(w.record);
    if (head.kind == rec_exit && w.part == RecordPart::own && w.size > sizeof(rec_call_info)) {
        const rec_call& call = *reinterpret_cast<const rec_call*>(w.record);
        last_exit_[head.tid] = {call.info, call.ring.ring_size, call.ring.max_usage, call.ring.readers, call.ring.writers};
    }
    if (head.kind != rec_brief) return &head;
    const rec_brief_call& brief = *reinterpret_cast<const rec_brief_call*>(w.record);
    const auto known = last_exit_.find(head.tid);
    if (known == last_exit_.end()) return nullptr; // its long record was lost
    const Exit& last = known->second;
    rec_call_info& call = scratch_->info;
    call = last.info;
    call.head = head, call.head.kind = rec_exit;
    call.addr = brief.addr, call.len = brief.len, call.result = brief.result, call.again = brief.again;
    call.has_ring = 1, call.enter_known = 0;
    call.allocs = call.pages = brief.pages, call.faults = call.slow = 0;
    std::fill(std::begin(call.stage_ns), std::end(call.stage_ns), 0);
    call.enter_ns = head.t_ns - brief.call_ns;
    call.lock_begin_ns = brief.lock_ns ? call.enter_ns + brief.lock_at_ns : 0;
    call.lock_end_ns = brief.lock_ns ? call.lock_begin_ns + brief.lock_ns : 0;
    call.lock_flags = brief.lock_flags;
    rec_ring& ring = scratch_->ring;
    ring.head = brief.ring_head, ring.tail = brief.ring_tail, ring.owner_tid = brief.owner_tid, ring.torn = brief.brief & brief_torn;
    ring.ring_size = last.ring_size, ring.max_usage = last.max_usage, ring.readers = last.readers, ring.writers = last.writers;
    ring.first = ring.head - brief.slots, ring.slots = brief.slots;
    ring.words = static_cast<std::uint32_t>(std::min<std::size_t>(brief.words, (w.size - sizeof brief) / 8));
    std::copy_n(brief.oldest, 2, ring.oldest), std::copy_n(brief.newest, 2, ring.newest);
    std::memcpy(ring.word, w.record + sizeof brief, ring.words * std::size_t{8});
    return &call.head;
}

void RecordQueue::take(std::uint64_t before_ns, const std::function<void(const rec_head&, RecordPart)>& use) {
    std::vector<Waiting> taken = std::exchange(left_, {});
    std::vector<Chunk> chunks = std::exchange(chunks_, {});
    for (const Chunk& chunk : chunks)
        for (std::size_t at = 0; at < chunk.used;) {
            std::uint64_t size = 0;
            std::memcpy(&size, chunk.memory.get() + at, sizeof size);
            list_parts(chunk.memory.get() + at + sizeof size, static_cast<std::uint32_t>(size), taken);
            at += (size + sizeof size + 7) & ~std::size_t{7};
        }
    bytes_ = 0;
    std::stable_sort(taken.begin(), taken.end(), [](const Waiting& a, const Waiting& b) { return a.t_ns < b.t_ns; });
    const auto end = std::partition_point(taken.begin(), taken.end(), [&](const Waiting& w) { return w.t_ns < before_ns; });
    for (auto w = taken.begin(); w != end; ++w)
        if (const rec_head* record = spelled_out(*w)) use(*record, w->part);
    std::size_t left = 0;
    for (auto w = end; w != taken.end(); ++w) left += (w->size + 7) & ~std::size_t{7};
    auto arena = std::make_unique_for_overwrite<std::byte[]>(left);
    left = 0;
    for (auto w = end; w != taken.end(); ++w) {
        std::memcpy(arena.get() + left, w->record, w->size);
        left_.push_back({w->t_ns, arena.get() + left, w->size, w->part});
        left += (w->size + 7) & ~std::size_t{7};
        bytes_ += w->size;
    }
    left_bytes_ = std::move(arena);
    for (Chunk& chunk : chunks)
        if (spare_.size() < most_spare) spare_.push_back(std::move(chunk));
}

} // namespace pipescope

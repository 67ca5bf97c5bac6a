// SPDX-License-Identifier: MIT
// Keeps records in large chunks, sorts pointers to them.
#include "sim/live/record_queue.hpp"
#include <algorithm>
#include <cstring>
#include <utility>

namespace pipescope {
namespace {
constexpr std::size_t chunk_bytes = 16 << 20; // far more than the largest record
static_assert(sizeof(rec_call) * 16 < chunk_bytes);
} // namespace

std::byte* RecordQueue::room(std::size_t bytes) {
    bytes = (bytes + 7) & ~std::size_t{7};
    if (chunks_.empty() || chunk_used_ + bytes > chunk_bytes) {
        chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(chunk_bytes));
        chunk_used_ = 0;
    }
    std::byte* at = chunks_.back().get() + chunk_used_;
    chunk_used_ += bytes;
    return at;
}

void RecordQueue::keep(const void* record, std::size_t size) {
    std::byte* at = room(size);
    std::memcpy(at, record, size);
    waiting_.push_back({static_cast<const rec_head*>(record)->t_ns, at, size});
    bytes_ += size;
}

void RecordQueue::take(std::uint64_t before_ns, const std::function<void(const rec_head&)>& use) {
    std::vector<Waiting> taken = std::exchange(waiting_, {});
    const auto chunks = std::exchange(chunks_, {}); // what `taken` points into
    chunk_used_ = bytes_ = 0;
    std::stable_sort(taken.begin(), taken.end(), [](const Waiting& a, const Waiting& b) { return a.t_ns < b.t_ns; });
    for (const Waiting& w : taken) {
        if (w.t_ns < before_ns) use(*reinterpret_cast<const rec_head*>(w.record));
        else keep(w.record, w.size);
    }
}

} // namespace pipescope

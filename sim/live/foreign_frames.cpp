// SPDX-License-Identifier: MIT
// ForeignFrames by /proc/PID/pagemap.
#include "sim/live/foreign_frames.hpp"
#include "sim/live/pagemap.hpp"
#include <algorithm>
#include <sys/syscall.h>

namespace pipescope {
namespace {
constexpr std::uint64_t fresh_ns = 250'000'000; // memory is given up and got anew, but not with every call
constexpr std::uint64_t most_pages = 1024;      // of one call
} // namespace

void ForeignFrames::look(const rec_head& record) {
    std::uint64_t addr = 0, len = 0;
    if (record.kind == rec_brief) { // as the last long one of its task
        const auto& call = reinterpret_cast<const rec_brief_call&>(record);
        if (vmsplicing_.contains(record.tid)) addr = call.addr, len = call.len;
    } else if (record.kind == rec_enter || record.kind == rec_exit) {
        const auto& call = reinterpret_cast<const rec_call_info&>(record);
        if (call.nr == SYS_vmsplice) vmsplicing_.insert(record.tid), addr = call.addr, len = call.len;
        else vmsplicing_.erase(record.tid);
    }
    if (!len) return;
    const std::uint64_t first = addr >> page_shift, end = (addr + len + page_size - 1) >> page_shift;
    const std::uint64_t pages = std::min(end - first, most_pages);
    Seen& seen = looked_up_[{record.tid, first}];
    if (seen.pages >= pages && record.t_ns - seen.t_ns < fresh_ns) return;
    seen = {record.t_ns, pages};
    std::uint64_t& base = first_.try_emplace(record.tid, first).first->second;
    base = std::min(base, first);
    const auto frames = frame_numbers(first << page_shift, pages, record.tid);
    for (std::uint64_t i = 0; i < frames.size(); ++i)
        if (frames[i]) users_[frames[i]] = {record.tid, static_cast<std::uint32_t>(first + i - base), (first + i) << page_shift};
}

} // namespace pipescope

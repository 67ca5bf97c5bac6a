// SPDX-License-Identifier: MIT
// EventStream.
#include "sim/live/event_stream.hpp"
#include <algorithm>
#include <sys/utsname.h>

namespace pipescope {

void EventStream::flush(std::size_t at_least) {
    if (events.size() < at_least || events.empty()) return;
    summary_.duration_ns = std::max(summary_.duration_ns, events.back().t_ns);
    summary_.events += events.size();
    if (good_) good_ = target_.append(events, strings);
    events.clear();
}

void EventStream::save() {
    flush(1);
    if (good_ && target_.flush) good_ = target_.flush();
}

Event& EventStream::at_end(EventKind kind, TaskId task) {
    if (!events.empty()) summary_.duration_ns = std::max(summary_.duration_ns, events.back().t_ns);
    Event& e = events.emplace_back();
    e.t_ns = summary_.duration_ns, e.kind = kind, e.task = task;
    return e;
}

void EventStream::tell(const RecordWish& wish, std::uint64_t lost, std::uint64_t bytes) {
    const std::uint64_t now = clock_ns(CLOCK_MONOTONIC);
    if (!wish.progress || now - told_ns_ <= 500'000'000) return;
    wish.progress({summary_.events, lost, bytes});
    told_ns_ = now;
}

TraceMeta meta_of_now(const RecordSummary& summary, std::uint64_t& start_ns) {
    TraceMeta meta;
    utsname name{};
    ::uname(&name);
    meta.kernel = name.release;
    meta.capture = summary.capture;
    meta.capture_reason = summary.capture_reason;
    meta.start_unix_ns = clock_ns(CLOCK_REALTIME);
    start_ns = clock_ns(CLOCK_MONOTONIC);
    return meta;
}

} // namespace pipescope

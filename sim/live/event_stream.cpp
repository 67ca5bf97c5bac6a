// SPDX-License-Identifier: MIT
// EventStream, and the clock of the recorders.
#include "sim/live/event_stream.hpp"
#include <algorithm>
#include <sys/utsname.h>
#include <time.h>

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

std::uint64_t clock_ns(int clock) {
    timespec t{};
    ::clock_gettime(clock, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

void nap_ms(long ms) {
    const timespec t{ms / 1000, ms % 1000 * 1'000'000};
    ::nanosleep(&t, nullptr);
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

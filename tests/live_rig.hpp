// SPDX-License-Identifier: MIT
// What tests of recordings share: a recording in memory, and what becomes of a test where BPF is not to be had.
#pragma once
#include "sim/live/event_stream.hpp"
#include <doctest/doctest.h>

namespace pipescope {

inline RecordTarget target_of(Trace& trace) {
    RecordTarget target;
    target.begin = [&trace](const TraceMeta& meta) {
        trace.meta = meta;
        return true;
    };
    target.append = [&trace](std::span<const Event> events, const StringTable& strings) {
        trace.events.insert(trace.events.end(), events.begin(), events.end());
        trace.strings = strings;
        return true;
    };
    return target;
}

template <class Run> bool permitted(const Run& r) { // false, and said so, where this user or kernel has no BPF
    if (r.ok) return true;
    CHECK(!r.error.empty());
    CHECK(r.trace.events.empty());
    MESSAGE("skipped: " << r.error);
    return false;
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Records the built-in pair with the best capture that is to be had.
#pragma once
#include "sim/live/pair.hpp"
#include "sim/trace.hpp"
#include <functional>
#include <span>
#include <string>

namespace pipescope {

enum class CaptureChoice { automatic, bpf, syscalls };

struct RecordOptions {
    PairOptions pair;
    CaptureChoice capture = CaptureChoice::automatic;
    std::function<bool()> interrupted;                 // asked now and then: true ends the run early
    std::function<void(std::uint64_t bytes)> progress; // now and then: what the reader has got so far
};

// Where a recording goes, as it comes. Either may end it by false.
struct RecordTarget {
    std::function<bool(const TraceMeta&)> begin; // before the run
    std::function<bool(std::span<const Event>, const StringTable&)> append;
};

struct RecordSummary {
    std::string capture, capture_reason;
    std::uint64_t events = 0, lost = 0;
    std::uint64_t snapshots = 0, torn = 0; // rings read from the kernel; of them those that changed meanwhile
    std::uint64_t bytes = 0, duration_ns = 0;
    bool interrupted = false;
};

// False with `error`, one sentence, when there is no recording.

bool record_pair(const RecordOptions& options, const RecordTarget& target, RecordSummary& summary, std::string& error);

} // namespace pipescope

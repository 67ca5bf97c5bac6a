// SPDX-License-Identifier: MIT
// What a recorder is asked for, and the way of its events to where the recording goes.
#pragma once
#include "sim/live/clock.hpp"
#include "sim/trace.hpp"
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace pipescope {

enum class CaptureChoice { automatic, bpf, syscalls };

// How much is seen, and how much memory there is between the kernel and the recorder.
// Of a sampled run the ring is looked at now and then, and what happened in between is counted: every so many calls of a
// task on a descriptor, or after so many nanoseconds. Neither: every call is recorded.
struct Sampling {
    std::uint32_t calls = 0;
    std::uint64_t ns = 0;
    std::uint64_t buffer_bytes = 0; // of the BPF ring buffer; 0: what the programs were built with
    bool on() const { return calls || ns; }
};

// Where a recording goes, as it comes. Either may end it by false.
struct RecordTarget {
    std::function<bool(const TraceMeta&)> begin; // before the run
    std::function<bool(std::span<const Event>, const StringTable&)> append;
    std::function<bool()> flush; // what was appended is to be on disk from now on; may be left out
};

struct RecordProgress {
    std::uint64_t events = 0, lost = 0, bytes = 0;
};

// What every recording is asked for.
struct RecordWish {
    CaptureChoice capture = CaptureChoice::automatic;
    Sampling sampling;
    std::function<bool()> interrupted;                   // asked now and then: true ends the recording early
    std::function<void(const RecordProgress&)> progress; // now and then
    bool bpf_only() const { return capture == CaptureChoice::bpf || sampling.on(); }
};

struct RecordSummary {
    std::string capture, capture_reason;
    std::uint64_t events = 0, lost = 0;
    std::uint64_t snapshots = 0, torn = 0; // rings read from the kernel; of them those that changed meanwhile
    std::uint64_t bytes = 0, duration_ns = 0;
    bool interrupted = false;
    // For those who measure: the built-in pair's own time, records and slots read, and what the BPF programs spent, where
    // the kernel keeps count (BPF_ENABLE_STATS).
    struct Program {
        std::string name;
        std::uint64_t runs = 0, ns = 0;
    };
    std::uint64_t pair_ns = 0, records = 0, slots = 0;
    std::vector<Program> programs;
};

// Events in batches to the target, until it takes no more.
class EventStream {
public:
    EventStream(const RecordTarget& target, RecordSummary& summary) : target_(target), summary_(summary) {}
    std::vector<Event> events;
    StringTable strings;

    bool good() const { return good_; }
    bool begin(const TraceMeta& meta) { return good_ = target_.begin(meta); }
    void flush(std::size_t at_least = 1 << 16); // events
    void save();                                // flushes all, as far as the disk
    Event& at_end(EventKind kind, TaskId task = no_id); // at the end of the run, and not before what was told already
    void tell(const RecordWish& wish, std::uint64_t lost, std::uint64_t bytes); // of the progress, twice a second

private:
    const RecordTarget& target_;
    RecordSummary& summary_;
    bool good_ = true;
    std::uint64_t told_ns_ = clock_ns(CLOCK_MONOTONIC);
};

// Kernel and times of a recording that begins now, at *start_ns of CLOCK_MONOTONIC.
TraceMeta meta_of_now(const RecordSummary& summary, std::uint64_t& start_ns);

} // namespace pipescope

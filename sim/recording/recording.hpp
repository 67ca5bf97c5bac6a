// SPDX-License-Identifier: MIT
// Recording files: append-only, chunked, checked. FORMAT.md beside this file describes the bytes.
#pragma once
#include "sim/trace.hpp"
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pipescope {

// Writes a recording. What was appended up to the last chunk survives the death of the writer.
class RecordingWriter {
public:
    // Nothing when the file cannot be made; `error` is then one sentence that names it.
    static std::unique_ptr<RecordingWriter> create(const std::string& path, const TraceMeta& meta, std::string& error);
    ~RecordingWriter(); // without finish(): the file stays readable, as one that is cut off
    // Events must come in order of time. `strings` may have grown since the last call. False after a write error.
    bool append(std::span<const Event> events, const StringTable& strings);
    // Writes what is buffered so far, so that the death of the writer does not cost it.
    bool flush();
    // Writes what is buffered, the footer index and the trailer. False with `error` on failure (disk full …).
    bool finish(std::string& error);
    std::uint64_t bytes_written() const;

private:
    RecordingWriter();
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

bool recording_write(const std::string& path, const Trace& trace, std::string& error);

struct ReadReport {
    bool footer_ok = false; // false: cut off, the chunks were scanned instead
    std::uint64_t chunks = 0, bad_chunks = 0, bytes = 0;
    std::uint64_t lost_events = 0; // between good chunks; what followed the last one nobody knows
};

// A recording opened for reading in parts. What it holds besides events is read at once, events chunk by chunk.
class RecordingReader {
public:
    struct Part {                              // one chunk of events
        std::uint64_t offset = 0, first = 0;   // where in the file; position of its first event
        std::uint32_t count = 0;               // events that read() gives
        std::uint64_t lost = 0;                // salvage: events missing before it; read() gives one `lost` event for them
        std::uint64_t t_first = 0, t_last = 0; // ns
    };
    static std::unique_ptr<RecordingReader> open(const std::string& path, std::string& error, bool salvage = false);
    ~RecordingReader();
    const TraceMeta& meta() const;
    const StringTable& strings() const;
    std::uint64_t events() const;           // in all parts
    const std::vector<Part>& parts() const; // in order
    // Appends the events of one part to `out`. False with `error`, and `out` as it was, when it is damaged.
    bool read(std::size_t part, std::vector<Event>& out, std::string& error) const;
    const ReadReport& report() const;

private:
    RecordingReader();
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// Reads a whole recording. Nothing with `error` (one sentence that names the file and the fault) for a missing, empty,
// foreign or damaged file; with `salvage` the good chunks of a damaged one are read. A file that was only cut off gives its
// whole chunks, and meta.cut.
std::optional<Trace> recording_read(const std::string& path, std::string& error, bool salvage = false, ReadReport* report = nullptr);
// Whether the file begins as a recording does; false too when it cannot be read.
bool recording_is(const std::string& path);

} // namespace pipescope

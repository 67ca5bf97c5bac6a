// SPDX-License-Identifier: MIT
// Recordings put together by hand, with true checksums over whatever a test wants.
#pragma once
#include "sim/recording/columns.hpp"
#include "sim/recording/payload.hpp"
#include "sim/recording/recording.hpp"
#include "tests/recording_events.hpp"
#include <algorithm>
#include <doctest/doctest.h>

namespace pipescope::test {

inline bool one_sentence_about(const std::string& error, const std::string& path) {
    return error.starts_with(path + ": ") && error.size() > path.size() + 5 && error.find('\n') == std::string::npos;
}

// A file put together by hand, with true checksums.
class Forged {
public:
    explicit Forged(std::string_view tables = rec::own_tables()) : bytes_(rec::file_header(rec::fingerprint(tables))) {
        chunk(rec::tag_tables, tables, 4);
    }
    Forged& meta(const TraceMeta& m = {}) {
        std::string raw;
        const auto n = rec::put_meta(raw, m);
        return chunk(rec::tag_meta, raw, n);
    }
    Forged& chunk(
        std::uint32_t type, std::string_view raw, std::uint32_t count, std::uint64_t first = 0, std::uint64_t t0 = 0, std::uint64_t t1 = 0) {
        rec::ChunkHeader h;
        h.type = type, h.count = count, h.first = first, h.t_first = t0, h.t_last = t1;
        const std::size_t at = bytes_.size();
        rec::put_chunk(bytes_, h, raw);
        entries_.push_back({type, count, at, h.length(), first, t0, t1});
        if (type == rec::tag_events) events_ = first + count, t_end_ = t1;
        return *this;
    }
    std::string end() {
        std::string raw, out = bytes_;
        rec::put_index(raw, entries_);
        rec::ChunkHeader h;
        h.type = rec::tag_index, h.count = static_cast<std::uint32_t>(entries_.size()), h.first = events_, h.t_last = t_end_;
        for (const auto& e : entries_)
            if (e.type == rec::tag_events) {
                h.t_first = e.t_first;
                break;
            }
        rec::put_chunk(out, h, raw);
        return out + rec::trailer(bytes_.size());
    }

private:
    std::string bytes_;
    std::vector<rec::IndexEntry> entries_;
    std::uint64_t events_ = 0, t_end_ = 0;
};

// What a reader says of a file behind its name; empty when it reads it.
inline std::string refusal(std::string_view bytes) {
    TempFile file;
    file.write(bytes);
    std::string error;
    const auto t = recording_read(file.path(), error);
    if (t) return "";
    CHECK(one_sentence_about(error, file.path()));
    std::string ignored;
    recording_read(file.path(), ignored, true); // whatever salvage makes of it, it comes back
    return error.substr(std::min(error.size(), file.path().size() + 2));
}

inline std::string columns_of(std::vector<Event> events) {
    std::string raw;
    rec::put_events(raw, events);
    return raw;
}

} // namespace pipescope::test

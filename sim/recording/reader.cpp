// SPDX-License-Identifier: MIT
// The reader: by the index where the file is whole, from chunk to chunk where it is cut off or to be salvaged.
#include "sim/recording/recording.hpp"
#include "sim/recording/columns.hpp"
#include "sim/recording/file.hpp"
#include "sim/recording/payload.hpp"
#include "sim/recording/tables.hpp"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <new>
#include <stdexcept>

namespace pipescope {

using namespace rec;

struct RecordingReader::Impl {
    FileHandle file;
    std::string path;
    bool salvage = false;
    std::uint32_t file_fingerprint = 0;
    TraceMeta meta;
    StringTable strings;
    std::optional<NumberMap> numbers;
    std::vector<Part> parts;
    std::uint64_t next = 0, given = 0, t_end = 0; // number of the next event in the file, events read() will give, last time
    bool has_meta = false;
    ReadReport report;

    bool fail(std::string& error, std::string_view what) const {
        error = fmt::format("{}: {}", path, what);
        return false;
    }
    static std::string chunk_name(std::uint64_t number, std::uint64_t offset) { return fmt::format("chunk {} at byte {}", number, offset); }

    std::optional<ChunkHeader> header_at(std::uint64_t offset, std::string& fault) const {
        std::array<std::uint8_t, chunk_header_size> bytes{};
        if (file.size() - offset < bytes.size()) {
            fault = "it is cut off";
            return std::nullopt;
        }
        if (!file.read_at(offset, bytes, fault)) return std::nullopt;
        return parse_chunk_header(bytes, fault);
    }
    bool unpack_at(std::uint64_t offset, const ChunkHeader& h, std::string& raw, std::string& fault) const {
        const std::uint64_t body = offset + chunk_header_size;
        if (h.stored > file.size() - body) {
            fault = "it is cut off";
            return false;
        }
        std::vector<std::uint8_t> stored(h.stored);
        return file.read_at(body, stored, fault) && unpack_chunk(h, stored, raw, fault);
    }

    bool read_file_header(std::string& error) {
        std::array<std::uint8_t, file_header_size> bytes{};
        if (file.size() == 0) return fail(error, "is empty");
        const std::size_t n = std::min<std::uint64_t>(bytes.size(), file.size());
        if (!file.read_at(0, std::span(bytes).first(n), error)) return false;
        if (!std::equal(file_magic.begin(), file_magic.begin() + static_cast<std::ptrdiff_t>(std::min(n, file_magic.size())),
                reinterpret_cast<const char*>(bytes.data())))
            return fail(error, "is not a pipescope recording");
        if (n < bytes.size()) return fail(error, fmt::format("is cut off after {} bytes, inside its header", n));
        Cursor c(std::span<const std::uint8_t>(bytes).subspan(file_magic.size()));
        const std::uint32_t version = c.u32();
        file_fingerprint = c.u32();
        if (version > format_version)
            return fail(error, fmt::format("was written by a newer pipescope (format {}, this one reads up to {})", version, format_version));
        if (version == 0) return fail(error, "has format 0, which does not exist");
        return true;
    }

    bool read_part(const Part& p, const ChunkHeader& h, std::vector<Event>& out, std::string& fault) const {
        std::string raw;
        const std::size_t before = out.size();
        if (!unpack_at(p.offset, h, raw, fault)) return false;
        if (p.lost) {
            Event lost;
            lost.kind = EventKind::lost;
            lost.t_ns = h.t_first;
            lost.x = p.lost;
            out.push_back(lost);
        }
        if (get_events(raw, h.count, h.t_first, h.t_last, *numbers, out, fault)) return true;
        out.resize(before);
        return false;
    }

    // What the chunk brings besides events. Unknown types bring nothing.
    bool take(const ChunkHeader& h, std::uint64_t offset, std::string& fault) {
        std::string raw;
        if (h.type == tag_events) {
            if (!numbers) {
                fault = "events come before the tables of names";
                return false;
            }
            // More cannot be missing than the file could have held.
            if (h.first < next || h.first - next > (salvage ? file.size() * max_count_ratio : 0)) {
                fault = fmt::format("its events begin at number {}, expected {}", h.first, next);
                return false;
            }
            if (h.t_first < t_end || h.count == 0) {
                fault = h.count ? "its times run backwards" : "it holds no events";
                return false;
            }
            const Part p{offset, given, h.count + (h.first > next ? 1 : 0), h.first - next, h.t_first, h.t_last};
            if (salvage) { // decoded now: the next chunk's number tells what is missing only if this one is good
                std::vector<Event> ignored;
                if (!read_part(p, h, ignored, fault)) return false;
            }
            parts.push_back(p);
            report.lost_events += p.lost;
            given += p.count;
            next = h.first + h.count;
            t_end = h.t_last;
            return true;
        }
        if (h.type != tag_tables && h.type != tag_meta && h.type != tag_strings) return true;
        if (!unpack_at(offset, h, raw, fault)) return false;
        if (h.type == tag_strings) return get_strings(raw, h.count, h.first, salvage ? file.size() : 0, strings, fault);
        if (h.type == tag_meta) {
            if (has_meta) fault = "what is known about the run comes twice";
            return !has_meta && (has_meta = get_meta(raw, h.count, meta, fault));
        }
        if (numbers) fault = "the tables of names come twice";
        else if (fingerprint(raw) != file_fingerprint && !salvage) fault = "the tables of names are not those that the header names";
        else numbers = parse_tables(raw, fault);
        return fault.empty();
    }

    bool open_by_index(std::string& error) {
        std::array<std::uint8_t, trailer_size> end{};
        if (!file.read_at(file.size() - end.size(), end, error)) return false;
        Cursor c(end);
        const std::uint64_t index_at = c.u64(), end_of_index = file.size() - trailer_size;
        if (c.u64() != checksum(std::span<const std::uint8_t>(end).first(8)) || index_at < file_header_size ||
            index_at > end_of_index - chunk_header_size)
            return fail(error, "its last bytes are damaged (pipescope salvage saves what is whole)");
        std::string fault, raw;
        std::vector<IndexEntry> entries;
        const auto index = header_at(index_at, fault);
        if (index && (index->type != tag_index || index_at + index->length() != end_of_index)) fault = "it is not where the file says";
        if (!fault.empty() || !unpack_at(index_at, *index, raw, fault) || !get_index(raw, index->count, index_at, entries, fault))
            return fail(error, fmt::format("index at byte {}: {}", index_at, fault));
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const IndexEntry& e = entries[i];
            const auto h = header_at(e.offset, fault);
            if (h && (h->type != e.type || h->count != e.count || h->length() != e.length || h->first != e.first ||
                         (e.type == tag_events && (h->t_first != e.t_first || h->t_last != e.t_last))))
                fault = "it is not what the index says";
            if (!fault.empty() || !take(*h, e.offset, fault)) return fail(error, fmt::format("{}: {}", chunk_name(i, e.offset), fault));
        }
        const std::uint64_t t_first = parts.empty() ? 0 : parts[0].t_first;
        if (index->first != next || index->t_first != t_first || index->t_last != t_end) return fail(error, "its index does not fit its events");
        if (!numbers || !has_meta) return fail(error, "says nothing about the run it recorded");
        report.chunks = entries.size();
        report.footer_ok = true;
        return true;
    }

    bool has_trailer() const {
        if (file.size() < file_header_size + chunk_header_size + trailer_size) return false;
        std::array<std::uint8_t, end_magic.size()> end{};
        std::string ignored;
        return file.read_at(file.size() - end.size(), end, ignored) && std::equal(end.begin(), end.end(), as_bytes(end_magic).begin());
    }

    // Whether the bytes from `offset` to the end of the file are how `whole` begins; no more than 64 of them are looked at.
    bool ends_as(std::uint64_t offset, std::string_view whole) const {
        const std::uint64_t left = file.size() - offset;
        std::array<std::uint8_t, 64> bytes{};
        std::string ignored;
        const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(left, whole.size()));
        return file.read_at(offset, std::span(bytes).first(n), ignored) &&
               std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n), as_bytes(whole).begin());
    }

    // A file whose writer died: whole chunks, then the beginning of one more, or of the trailer.
    bool open_cut(std::string& error) {
        std::uint64_t offset = file_header_size, number = 0, index_at = 0;
        for (; offset < file.size(); ++number) {
            std::string fault;
            if (index_at || file.size() - offset < chunk_header_size) {
                const bool fits = index_at ? file.size() - offset < trailer_size && ends_as(offset, trailer(index_at)) : ends_as(offset, chunk_sync);
                if (!fits) return fail(error, "its last bytes are damaged (pipescope salvage saves what is whole)");
                break;
            }
            const auto h = header_at(offset, fault);
            if (h && h->length() > file.size() - offset) break;
            if (h && h->type == tag_index) index_at = offset;
            else if (h) take(*h, offset, fault);
            if (!fault.empty()) return fail(error, fmt::format("{}: {} (pipescope salvage saves what is whole)", chunk_name(number, offset), fault));
            offset += h->length();
        }
        if (!numbers || !has_meta) return fail(error, "is cut off before it says what it recorded");
        report.chunks = number;
        meta.cut = true;
        return true;
    }

    // Offset of the next sync at or behind `offset`, or the end of the file.
    std::uint64_t next_sync(std::uint64_t offset) const {
        std::array<std::uint8_t, 4096> block;
        const auto sync = as_bytes(chunk_sync);
        std::string ignored;
        while (offset + sync.size() <= file.size()) {
            const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), file.size() - offset));
            const std::span s = std::span(block).first(n);
            if (!file.read_at(offset, s, ignored)) break;
            const auto it = std::search(s.begin(), s.end(), sync.begin(), sync.end());
            if (it != s.end()) return offset + static_cast<std::uint64_t>(it - s.begin());
            offset += n - (sync.size() - 1);
        }
        return file.size();
    }
    bool trailer_at(std::uint64_t offset, std::uint64_t index_at) const {
        std::array<std::uint8_t, trailer_size> bytes{};
        std::string ignored;
        if (file.size() - offset != bytes.size() || !file.read_at(offset, bytes, ignored)) return false;
        const std::string expected = trailer(index_at);
        return std::equal(bytes.begin(), bytes.end(), as_bytes(expected).begin());
    }

    bool open_by_scan(std::string& error) {
        bool gap = false; // in a stretch of bytes that are no chunk: counted as one bad chunk, however long
        std::uint64_t index_at = 0;
        for (std::uint64_t offset = file_header_size; offset < file.size();) {
            std::string fault;
            const auto h = header_at(offset, fault);
            if (!h) {
                if (index_at && trailer_at(offset, index_at)) {
                    report.footer_ok = true;
                    break;
                }
                report.bad_chunks += gap ? 0 : 1;
                gap = true;
                offset = next_sync(offset + 1);
                continue;
            }
            gap = false;
            if (h->type == tag_events && !numbers && file_fingerprint == own_fingerprint()) numbers = parse_tables(own_tables(), fault);
            if (h->type == tag_index) index_at = offset; // says nothing that the chunks do not say
            else ++(take(*h, offset, fault) ? report.chunks : report.bad_chunks);
            offset += h->length();
        }
        if (!numbers && !has_meta) return fail(error, "holds nothing that can be saved");
        return true;
    }
};

RecordingReader::RecordingReader() : impl_(std::make_unique<Impl>()) {}
RecordingReader::~RecordingReader() = default;
const TraceMeta& RecordingReader::meta() const { return impl_->meta; }
const StringTable& RecordingReader::strings() const { return impl_->strings; }
std::uint64_t RecordingReader::events() const { return impl_->given; }
const std::vector<RecordingReader::Part>& RecordingReader::parts() const { return impl_->parts; }
const ReadReport& RecordingReader::report() const { return impl_->report; }

std::unique_ptr<RecordingReader> RecordingReader::open(const std::string& path, std::string& error, bool salvage) {
    std::unique_ptr<RecordingReader> r(new RecordingReader);
    Impl& i = *r->impl_;
    i.path = path;
    i.salvage = salvage;
    try {
        if (!i.file.open_to_read(path, error) || !i.read_file_header(error)) return nullptr;
        i.report.bytes = i.file.size();
        if (!(salvage ? i.open_by_scan(error) : i.has_trailer() ? i.open_by_index(error) : i.open_cut(error))) return nullptr;
    } catch (const std::bad_alloc&) {
        i.fail(error, "does not fit into memory");
        return nullptr;
    }
    return r;
}

bool RecordingReader::read(std::size_t part, std::vector<Event>& out, std::string& error) const {
    const Impl& i = *impl_;
    if (part >= i.parts.size()) return i.fail(error, fmt::format("has no part {}", part));
    const Part& p = i.parts[part];
    std::string fault;
    try {
        const auto h = i.header_at(p.offset, fault);
        if (h && (h->type != tag_events || h->count + (p.lost ? 1 : 0) != p.count || h->t_first != p.t_first || h->t_last != p.t_last))
            fault = "it changed since the file was opened";
        if (fault.empty() && i.read_part(p, *h, out, fault)) return true;
    } catch (const std::bad_alloc&) {
        fault = "does not fit into memory";
    }
    return i.fail(error, fmt::format("events from number {} on, at byte {}: {}", p.first, p.offset, fault));
}

std::optional<Trace> recording_read(const std::string& path, std::string& error, bool salvage, ReadReport* report) {
    const auto r = RecordingReader::open(path, error, salvage);
    if (!r) return std::nullopt;
    Trace t;
    t.meta = r->meta();
    t.strings = r->strings();
    try {
        t.events.reserve(r->events());
    } catch (const std::exception&) {
        error = fmt::format("{}: its {} events do not fit into memory", path, r->events());
        return std::nullopt;
    }
    for (std::size_t i = 0; i < r->parts().size(); ++i)
        if (!r->read(i, t.events, error)) return std::nullopt;
    if (report) *report = r->report();
    return t;
}

bool recording_is(const std::string& path) {
    FileHandle file;
    std::string ignored;
    std::array<std::uint8_t, file_magic.size()> bytes{};
    return file.open_to_read(path, ignored) && file.size() >= bytes.size() && file.read_at(0, bytes, ignored) &&
           std::equal(bytes.begin(), bytes.end(), as_bytes(file_magic).begin());
}

} // namespace pipescope

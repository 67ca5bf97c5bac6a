// SPDX-License-Identifier: MIT
// The writer: gathers events, and appends each chunk whole as soon as it is full or old.
#include "sim/recording/recording.hpp"
#include "sim/recording/columns.hpp"
#include "sim/recording/file.hpp"
#include "sim/recording/payload.hpp"
#include "sim/recording/tables.hpp"
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pipescope {
namespace {

using namespace rec;

constexpr std::size_t chunk_events = 1 << 14;          // compresses nearly as well as more, and seeks in a millisecond
constexpr std::uint64_t chunk_span_ns = 1'000'000'000; // a quiet recording loses at most this much when its writer dies
constexpr std::size_t chunk_string_bytes = 1 << 20;

} // namespace

struct RecordingWriter::Impl {
    FileHandle file;
    std::string path, error, out, raw, strings_raw;
    std::vector<IndexEntry> index;
    std::vector<Event> pending;
    std::uint64_t events = 0, t_first = 0, t_last = 0; // written chunks and pending ones
    std::uint32_t strings = 1, strings_pending = 0;    // string 0 is known to everybody
    bool finished = false;

    bool chunk(
        std::uint32_t type, std::string_view payload, std::uint32_t count, std::uint64_t first = 0, std::uint64_t from = 0, std::uint64_t to = 0) {
        out.clear();
        return add(type, payload, count, first, from, to) && file.write(out, error);
    }
    bool add( // to what is to be written next
        std::uint32_t type, std::string_view payload, std::uint32_t count, std::uint64_t first = 0, std::uint64_t from = 0, std::uint64_t to = 0) {
        ChunkHeader h;
        h.type = type, h.count = count, h.first = first, h.t_first = from, h.t_last = to;
        const std::uint64_t at = file.size() + out.size();
        if (!put_chunk(out, h, payload)) return fail("out of memory");
        index.push_back({type, count, at, h.length(), first, from, to});
        return true;
    }
    bool fail(std::string_view what) {
        if (error.empty()) error = fmt::format("{}: {}", path, what);
        return false;
    }
    bool flush_strings() {
        if (!strings_pending) return true;
        if (!chunk(tag_strings, strings_raw, strings_pending, strings - strings_pending)) return false;
        strings_raw.clear();
        strings_pending = 0;
        return true;
    }
    bool flush() {
        if (!flush_strings()) return false;
        if (pending.empty()) return true;
        raw.clear();
        put_events(raw, pending);
        const auto count = static_cast<std::uint32_t>(pending.size());
        if (!chunk(tag_events, raw, count, events - count, pending.front().t_ns, pending.back().t_ns)) return false;
        pending.clear();
        return true;
    }
    bool take_strings(const StringTable& table) {
        for (const auto& all = table.all(); strings < all.size(); ++strings, ++strings_pending) {
            if (all[strings].size() > max_string)
                return fail(fmt::format("cannot be written: a string of {} bytes is too long", all[strings].size()));
            if ((strings_raw.size() >= chunk_string_bytes || strings_pending == max_items) && !flush_strings()) return false;
            put_string(strings_raw, all[strings]);
        }
        return true;
    }
};

RecordingWriter::RecordingWriter() : impl_(std::make_unique<Impl>()) {}
RecordingWriter::~RecordingWriter() = default;

std::unique_ptr<RecordingWriter> RecordingWriter::create(const std::string& path, const TraceMeta& meta, std::string& error) {
    std::unique_ptr<RecordingWriter> w(new RecordingWriter);
    Impl& i = *w->impl_;
    i.path = path;
    std::string fields;
    const std::uint32_t n = put_meta(fields, meta);
    if (fields.size() > max_raw) {
        error = fmt::format("{}: cannot be written: what is known about the run takes more than {} bytes", path, max_raw);
        return nullptr;
    }
    if (!i.file.create(path, error)) return nullptr;
    i.out = file_header(own_fingerprint()); // in one write with what a reader cannot do without
    if (!i.add(tag_tables, own_tables(), 4) || !i.add(tag_meta, fields, n) || !i.file.write(i.out, i.error)) {
        error = i.error;
        return nullptr;
    }
    return w;
}

bool RecordingWriter::append(std::span<const Event> events, const StringTable& strings) {
    Impl& i = *impl_;
    if (!i.error.empty() || i.finished || !i.take_strings(strings)) return false;
    for (const Event& e : events) {
        if (e.kind == EventKind::none || e.kind >= EventKind::count || e.stage >= Stage::count)
            return i.fail(fmt::format(
                "event {} is of kind {}, stage {}: there is no such thing", i.events, static_cast<int>(e.kind), static_cast<int>(e.stage)));
        if (i.events && e.t_ns < i.t_last) return i.fail(fmt::format("event {} is {} ns older than the one before", i.events, i.t_last - e.t_ns));
        if (!i.events) i.t_first = e.t_ns;
        i.t_last = e.t_ns;
        ++i.events;
        i.pending.push_back(e);
        if (i.pending.size() == chunk_events && !i.flush()) return false;
    }
    const bool old = !i.pending.empty() && i.t_last - i.pending.front().t_ns >= chunk_span_ns;
    return !old || i.flush();
}

bool RecordingWriter::flush() { return impl_->error.empty() && !impl_->finished && impl_->flush(); }

bool RecordingWriter::finish(std::string& error) {
    Impl& i = *impl_;
    if (i.finished) return true;
    bool ok = i.error.empty() && i.flush();
    if (ok) {
        const std::uint64_t at = i.file.size();
        i.raw.clear();
        put_index(i.raw, i.index);
        ok = i.chunk(tag_index, i.raw, static_cast<std::uint32_t>(i.index.size()), i.events, i.t_first, i.t_last) &&
             i.file.write(trailer(at), i.error) && i.file.close(i.error);
    }
    if (ok) i.finished = true;
    else error = i.error;
    return ok;
}

std::uint64_t RecordingWriter::bytes_written() const { return impl_->file.size(); }

bool recording_write(const std::string& path, const Trace& trace, std::string& error) {
    // Beside the file and then in its place, so that a full disk does not cost the file that was there before. What is not a
    // regular file (a device) is written to directly: it must not be replaced by one.
    struct stat st {};
    const bool direct = ::stat(path.c_str(), &st) == 0 && !S_ISREG(st.st_mode);
    const std::string part = direct ? path : path + ".tmp";
    auto w = RecordingWriter::create(part, trace.meta, error);
    const bool created = w != nullptr;
    bool ok = created;
    if (ok) {
        w->append(trace.events, trace.strings);
        ok = w->finish(error);
        w.reset();
    }
    if (ok && !direct && ::rename(part.c_str(), path.c_str()) != 0) {
        error = fmt::format("{}: cannot be written: {}", path, std::strerror(errno));
        ok = false;
    }
    if (!ok && !direct) {
        ::unlink(part.c_str());
        // The user knows the file by its own name.
        if (error.starts_with(part + ":")) error = path + error.substr(part.size());
    }
    return ok;
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Payloads of META, STRS and INDX chunks.
#include "sim/recording/payload.hpp"
#include <charconv>
#include <fmt/format.h>

namespace pipescope::rec {
namespace {

// One place that names the fields, for both directions.
template <class Meta, class Text, class Number> void meta_fields(Meta& m, Text text, Number number) {
    text("title", m.title);
    text("watch", m.watch);
    text("source", m.source);
    text("kernel", m.kernel);
    text("capture", m.capture);
    text("capture_reason", m.capture_reason);
    text("command", m.command);
    number("page_size", m.page_size);
    number("start_unix_ns", m.start_unix_ns);
}

} // namespace

std::uint32_t put_meta(std::string& raw, const TraceMeta& meta) {
    std::uint32_t n = 0;
    const auto put = [&](const char* name, std::string_view value) {
        put_string(raw, name);
        put_string(raw, value);
        ++n;
    };
    meta_fields(meta, put, [&](const char* name, std::uint64_t v) { put(name, fmt::to_string(v)); });
    return n;
}

bool get_meta(std::string_view raw, std::uint32_t count, TraceMeta& meta, std::string& fault) {
    fault.clear();
    Cursor c(as_bytes(raw));
    for (std::uint32_t i = 0; i < count && c.ok(); ++i) {
        const std::string_view name = c.string(), value = c.string();
        const auto text = [&](std::string_view field, std::string& into) {
            if (name == field) into = value;
        };
        const auto number = [&](std::string_view field, auto& into) {
            if (name != field) return;
            const auto r = std::from_chars(value.data(), value.data() + value.size(), into);
            if (r.ec != std::errc{} || r.ptr != value.data() + value.size()) fault = fmt::format("its {} is not a number", field);
        };
        meta_fields(meta, text, number);
    }
    if (fault.empty() && (!c.ok() || !c.at_end())) fault = "it does not hold as many fields as it says";
    if (fault.empty() && (meta.page_size < 512 || meta.page_size > (1u << 20) || (meta.page_size & (meta.page_size - 1))))
        fault = fmt::format("{} bytes are no page", meta.page_size);
    return fault.empty();
}

bool get_strings(std::string_view raw, std::uint32_t count, std::uint64_t first, std::uint64_t most_lost, StringTable& table, std::string& fault) {
    const std::uint64_t known = table.all().size();
    const bool salvage = most_lost > 0;
    if (first < known || first - known > most_lost) {
        fault = fmt::format("its strings begin at number {}, expected {}", first, known);
        return false;
    }
    // Checked whole before the table is touched.
    std::vector<std::string_view> strings;
    Cursor c(as_bytes(raw));
    for (std::uint32_t i = 0; i < count && c.ok(); ++i) strings.push_back(c.string());
    if (!c.ok() || !c.at_end()) {
        fault = "it does not hold as many strings as it says";
        return false;
    }
    for (std::uint64_t n = known; n < first; ++n) table.intern(fmt::format("(lost string {})", n));
    for (const std::string_view s : strings) {
        const std::size_t n = table.all().size();
        if (s.size() <= max_string && table.intern(s) == n) continue;
        if (salvage) {
            table.intern(fmt::format("(lost string {})", n));
            continue;
        }
        fault = s.size() > max_string ? fmt::format("string {} is too long", n) : fmt::format("string {} occurs twice", n);
        return false;
    }
    return true;
}

void put_index(std::string& raw, const std::vector<IndexEntry>& entries) {
    std::uint64_t t = 0;
    for (const IndexEntry& e : entries) {
        const bool timed = e.type == tag_events;
        put_u32(raw, e.type);
        put_varint(raw, e.length);
        put_varint(raw, e.count);
        put_varint(raw, e.first);
        put_varint(raw, timed ? e.t_first - t : 0);
        put_varint(raw, timed ? e.t_last - e.t_first : 0);
        if (timed) t = e.t_last;
    }
}

bool get_index(std::string_view raw, std::uint32_t count, std::uint64_t end, std::vector<IndexEntry>& entries, std::string& fault) {
    Cursor c(as_bytes(raw));
    std::uint64_t offset = file_header_size, t = 0;
    for (std::uint32_t i = 0; i < count && c.ok(); ++i) {
        IndexEntry e;
        e.offset = offset;
        e.type = c.u32();
        e.length = c.varint();
        const std::uint64_t items = c.varint();
        e.first = c.varint();
        const std::uint64_t gap = c.varint(), span = c.varint();
        if (e.length < chunk_header_size || e.length > end - offset || items > max_items || gap > ~t || span > ~(t + gap)) {
            fault = fmt::format("its entry {} is not possible", i);
            return false;
        }
        e.count = static_cast<std::uint32_t>(items);
        if (e.type == tag_events) {
            e.t_first = t + gap;
            e.t_last = t = e.t_first + span;
        }
        offset += e.length;
        entries.push_back(e);
    }
    if (!c.ok() || !c.at_end() || offset != end) {
        fault = "its entries do not add up to the file";
        return false;
    }
    return true;
}

} // namespace pipescope::rec

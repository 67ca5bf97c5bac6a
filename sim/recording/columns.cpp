// SPDX-License-Identifier: MIT
// Events to columns and back.
#include "sim/recording/columns.hpp"
#include <array>
#include <fmt/format.h>

namespace pipescope::rec {
namespace {

enum Column { c_kind, c_changed, c_spare, c_time, c_stage, c_task, c_pipe, c_a, c_b, c_c, c_x, c_y, columns };

// What the event before of the same kind held; stages are like kinds of their own, each has its own operands. The stage
// itself is predicted from the kind alone: it has to be known before its operands can be.
class Contexts {
public:
    explicit Contexts(std::uint8_t stage_kind) : stage_kind_(stage_kind), last_(128 + 256) {}
    Event& of(std::uint8_t kind, std::uint16_t stage) { return last_[kind == stage_kind_ && stage < 256 ? 128u + stage : kind & 0x7fu]; }
    std::uint16_t& stage(std::uint8_t kind) { return stage_[kind & 0x7fu]; }

private:
    std::uint8_t stage_kind_;
    std::vector<Event> last_; // Event{}: nothing yet
    std::array<std::uint16_t, 128> stage_{};
};

template <class T> std::uint64_t difference(T now, T before) { return zigzag(static_cast<std::make_signed_t<T>>(static_cast<T>(now - before))); }

} // namespace

void put_events(std::string& raw, std::span<const Event> events) {
    thread_local std::array<std::string, columns> col; // keeps its memory from chunk to chunk
    for (std::string& c : col) c.clear();
    Contexts contexts(static_cast<std::uint8_t>(EventKind::stage));
    std::uint64_t t = events.empty() ? 0 : events[0].t_ns;
    for (const Event& e : events) {
        const auto kind = static_cast<std::uint8_t>(e.kind);
        const auto stage = static_cast<std::uint16_t>(e.stage);
        col[c_kind].push_back(static_cast<char>(e.spare ? kind | 0x80 : kind));
        if (e.spare) col[c_spare].push_back(static_cast<char>(e.spare));
        put_varint(col[c_time], e.t_ns - t);
        t = e.t_ns;
        Event& last = contexts.of(kind, stage);
        unsigned changed = 0;
        const auto field = [&](unsigned bit, Column c, auto now, auto before) {
            if (now == before) return;
            changed |= 1u << bit;
            put_varint(col[c], difference(now, before));
        };
        field(0, c_stage, stage, contexts.stage(kind));
        field(1, c_task, e.task, last.task);
        field(2, c_pipe, e.pipe, last.pipe);
        field(3, c_a, e.a, last.a);
        field(4, c_b, e.b, last.b);
        field(5, c_c, e.c, last.c);
        field(6, c_x, e.x, last.x);
        field(7, c_y, e.y, last.y);
        col[c_changed].push_back(static_cast<char>(changed));
        last = e;
        contexts.stage(kind) = stage;
    }
    for (const std::string& c : col) put_string(raw, c);
}

bool get_events(std::string_view raw, std::uint32_t count, std::uint64_t t_first, std::uint64_t t_last, const NumberMap& numbers,
    std::vector<Event>& out, std::string& fault) {
    const std::size_t before = out.size();
    std::array<Cursor, columns> col;
    Cursor all(as_bytes(raw));
    for (Cursor& c : col) c = Cursor(all.bytes(all.varint()));
    // Each event has its byte in the first two columns: this bounds what is allocated below by what was really there.
    bool ok = all.ok() && all.at_end() && col[c_kind].left() == count && col[c_changed].left() == count;
    if (!ok) {
        fault = "its columns are not well formed";
        return false;
    }
    out.reserve(before + count);
    Contexts contexts(numbers.stage_kind);
    std::uint64_t t = t_first;
    std::string why;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint8_t kind_byte = col[c_kind].u8(), kind = kind_byte & 0x7f, changed = col[c_changed].u8();
        const std::uint64_t dt = col[c_time].varint();
        ok = dt <= t_last - t; // in order, and no wrap; t never passes t_last
        t += ok ? dt : 0;
        const auto field = [&](unsigned bit, Column c, auto& value) {
            using T = std::remove_reference_t<decltype(value)>;
            if (changed & 1u << bit) value = static_cast<T>(value + static_cast<T>(unzigzag(col[c].varint())));
        };
        std::uint16_t& stage = contexts.stage(kind);
        field(0, c_stage, stage);
        Event& last = contexts.of(kind, stage);
        field(1, c_task, last.task);
        field(2, c_pipe, last.pipe);
        field(3, c_a, last.a);
        field(4, c_b, last.b);
        field(5, c_c, last.c);
        field(6, c_x, last.x);
        field(7, c_y, last.y);
        Event e = last;
        e.t_ns = t;
        e.kind = static_cast<EventKind>(kind);
        e.stage = static_cast<Stage>(stage);
        e.spare = kind_byte & 0x80 ? col[c_spare].u8() : 0;
        if (!ok) why = "its times do not fit its header";
        if (!ok || !numbers.translate(e, why)) {
            fault = fmt::format("event {}: {}", i, why);
            out.resize(before);
            return false;
        }
        out.push_back(e);
    }
    for (const Cursor& c : col) ok &= c.ok() && c.at_end();
    if (!ok || t != t_last) {
        fault = ok ? "its times do not fit its header" : "its columns do not hold as many events as it says";
        out.resize(before);
        return false;
    }
    return true;
}

} // namespace pipescope::rec

// SPDX-License-Identifier: MIT
// Tables of names: what this program's numbers are called, and what a file's numbers mean here.
#include "sim/recording/tables.hpp"
#include "sim/recording/chunk.hpp"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <unordered_map>

namespace pipescope::rec {
namespace {

constexpr std::size_t max_kinds = 128; // the top bit of a kind byte is taken
constexpr std::size_t max_names = 1 << 16;
constexpr std::size_t max_name = 64;
static_assert(static_cast<std::size_t>(EventKind::count) <= max_kinds);

using Names = std::vector<std::string>;

Names names(std::size_t count, const auto& name) {
    Names v;
    for (std::size_t i = 0; i < count; ++i) v.emplace_back(name(i));
    return v;
}
const std::array<Names, 4>& own_names() {
    static const std::array<Names, 4> all{
        names(static_cast<std::size_t>(EventKind::count), [](std::size_t i) { return event_name(static_cast<EventKind>(i)); }),
        names(static_cast<std::size_t>(Stage::count), [](std::size_t i) { return stage_info(static_cast<Stage>(i)).id; }),
        names(static_cast<std::size_t>(Sys::count), [](std::size_t i) { return sys_name(static_cast<Sys>(i)); }),
        names(static_cast<std::size_t>(Fn::count), [](std::size_t i) { return fn_name(static_cast<Fn>(i)); }),
    };
    return all;
}

std::vector<std::uint32_t> map_names(const Names& theirs, const Names& ours) {
    std::unordered_map<std::string, std::uint32_t> number;
    for (std::uint32_t i = 0; i < ours.size(); ++i) number.emplace(ours[i], i);
    std::vector<std::uint32_t> map;
    for (const std::string& s : theirs) {
        const auto it = number.find(s);
        map.push_back(it == number.end() ? no_id : it->second);
    }
    return map;
}

bool translate_one(const std::vector<std::uint32_t>& map, std::uint32_t v, std::uint32_t& out) {
    if (v >= map.size() || map[v] == no_id) return false;
    out = map[v];
    return true;
}

} // namespace

const std::string& own_tables() {
    static const std::string payload = [] {
        std::string out;
        for (const Names& table : own_names()) {
            put_varint(out, table.size());
            for (const std::string& s : table) put_string(out, s);
        }
        return out;
    }();
    return payload;
}

std::uint32_t fingerprint(std::string_view tables) { return static_cast<std::uint32_t>(checksum(as_bytes(tables))); }
std::uint32_t own_fingerprint() { return fingerprint(own_tables()); }

std::optional<NumberMap> parse_tables(std::string_view payload, std::string& fault) {
    Cursor c(as_bytes(payload));
    std::array<Names, 4> theirs;
    for (Names& table : theirs) {
        const std::uint64_t count = c.varint();
        if (count > c.left() || count > (&table == theirs.data() ? max_kinds : max_names)) {
            fault = "a table of names is too long";
            return std::nullopt;
        }
        for (std::uint64_t i = 0; i < count && c.ok(); ++i) {
            table.emplace_back(c.string());
            // Names get into messages, which are to stay one line of text.
            if (table.back().size() > max_name ||
                !std::all_of(table.back().begin(), table.back().end(), [](char ch) { return ch >= ' ' && ch <= '~'; })) {
                fault = "a name in its tables is no name";
                return std::nullopt;
            }
        }
    }
    if (!c.ok() || !c.at_end()) {
        fault = "its tables of names are not well formed";
        return std::nullopt;
    }
    NumberMap m;
    m.same = payload == own_tables();
    const auto& ours = own_names();
    m.kinds = map_names(theirs[0], ours[0]);
    m.stages = map_names(theirs[1], ours[1]);
    m.calls = map_names(theirs[2], ours[2]);
    m.functions = map_names(theirs[3], ours[3]);
    m.stage_kind = 0xff; // a file without stages
    for (std::size_t i = 0; i < m.kinds.size(); ++i)
        if (m.kinds[i] == static_cast<std::uint32_t>(EventKind::stage)) m.stage_kind = static_cast<std::uint8_t>(i);
    m.kind_names = std::move(theirs[0]);
    m.stage_names = std::move(theirs[1]);
    return m;
}

bool NumberMap::translate(Event& e, std::string& fault) const {
    const auto unknown = [&](const char* what, std::uint32_t n, const Names& known) {
        fault = n < known.size() && !known[n].empty() ? fmt::format("{} \"{}\" is not known", what, known[n])
                                                      : fmt::format("{} {} is not known", what, n);
        return false;
    };
    std::uint32_t n = 0;
    const auto kind = static_cast<std::uint32_t>(e.kind), stage = static_cast<std::uint32_t>(e.stage);
    if (same && kind != 0 && kind < kinds.size() && stage < stages.size()) return true; // the usual case, without a look-up
    if (!translate_one(kinds, kind, n) || n == 0) return unknown("event kind", kind, kind_names);
    e.kind = static_cast<EventKind>(n);
    if (!translate_one(stages, stage, n)) return unknown("stage", stage, stage_names);
    e.stage = static_cast<Stage>(n);
    if ((e.kind == EventKind::sys_enter || e.kind == EventKind::sys_exit) && !translate_one(calls, e.a, e.a)) return unknown("system call", e.a, {});
    if ((e.kind == EventKind::fn_enter || e.kind == EventKind::fn_exit) && !translate_one(functions, e.a, e.a))
        return unknown("kernel function", e.a, {});
    return true;
}

} // namespace pipescope::rec

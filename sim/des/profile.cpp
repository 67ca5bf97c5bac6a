// SPDX-License-Identifier: MIT
// Cost profiles as TOML: each number with its unit and where it is from.
#include "sim/des/profile.hpp"
#include "core/version.hpp"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <stdexcept>
#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

namespace pipescope {

const CostInfo& cost_info(Cost c) {
    static constexpr CostInfo infos[] = {
#define COST(id, unit, what) {#id, unit, what},
#include "sim/des/costs.def"
#undef COST
    };
    return infos[static_cast<std::size_t>(c)];
}

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& what) { throw std::runtime_error(path + ": " + what); }

void read_cost(const std::string& path, const toml::table& costs, const CostInfo& info, CostTable& into) {
    const toml::table* t = costs[info.name].as_table();
    if (!t) refuse(path, fmt::format("costs.{} is missing", info.name));
    const auto value = (*t)["value"].value<double>();
    const auto unit = (*t)["unit"].value<std::string>();
    const auto source = (*t)["source"].value<std::string>();
    if (!value || !std::isfinite(*value) || *value < 0 || *value > 1e9)
        refuse(path, fmt::format("costs.{}: value must be a number from 0 to 1e9", info.name));
    if (!unit || *unit != info.unit) refuse(path, fmt::format("costs.{}: unit must be \"{}\"", info.name, info.unit));
    if (!source || source->empty()) refuse(path, fmt::format("costs.{}: source is missing", info.name));
    into.value.push_back(*value);
    into.source.push_back(*source);
}

} // namespace

static CostTable cost_table(const toml::table& file, const std::string& path, std::span<const CostInfo> wanted) {
    CostTable t;
    t.name = file["name"].value_or(std::string());
    t.kernel = file["kernel"].value_or(std::string());
    t.base = file["base"].value_or(std::string());
    if (t.name.empty() || t.kernel.empty()) refuse(path, "name or kernel is missing");
    const toml::table* costs = file["costs"].as_table();
    if (!costs) refuse(path, "the table costs is missing");
    for (const CostInfo& info : wanted) read_cost(path, *costs, info, t);
    for (const auto& [key, node] : *costs)
        if (std::ranges::none_of(wanted, [&](const CostInfo& info) { return key.str() == info.name; }))
            refuse(path, fmt::format("costs.{} is not a cost", key.str()));
    return t;
}

static toml::table parsed(const std::string& path) {
    try {
        return toml::parse_file(path);
    } catch (const toml::parse_error& e) {
        const auto line = e.source().begin.line; // 0: there is no such file
        refuse(path, line ? fmt::format("line {}: {}", line, e.description()) : std::string("cannot be opened"));
    }
}

CostTable cost_table_load(const std::string& path, std::span<const CostInfo> wanted) { return cost_table(parsed(path), path, wanted); }

// The table wake, if there is one: its rows' numbers are like any cost.
static void read_wake(const toml::table& file, const std::string& path, Profile& into) {
    if (!file.contains("wake")) return;
    const auto number = [&](const toml::node* n, const char* what) {
        const auto v = n ? n->value<double>() : std::nullopt;
        if (!v || !std::isfinite(*v) || *v < 0 || *v > 1e9) refuse(path, fmt::format("wake: {} must be a number from 0 to 1e9", what));
        return *v;
    };
    const toml::table* t = file["wake"].as_table();
    const toml::array* rows = t ? (*t)["rows"].as_array() : nullptr;
    if (!rows || rows->empty()) refuse(path, "wake.rows must be a list of rows");
    if ((*t)["unit"].value_or(std::string()) != "ns") refuse(path, "wake: unit must be \"ns\"");
    into.wake_source = (*t)["source"].value_or(std::string());
    if (into.wake_source.empty()) refuse(path, "wake: source is missing");
    for (const toml::node& n : *rows) {
        const toml::table* row = n.as_table();
        const toml::array* seen = row ? (*row)["seen"].as_array() : nullptr;
        if (!seen || seen->empty() || seen->size() > 1000) refuse(path, "wake: a row must have from 1 to 1000 pairs in seen");
        WakeRow r{number(row->get("idle"), "idle"), {}};
        if (!into.wake.empty() && r.idle_ns <= into.wake.back().idle_ns) refuse(path, "wake: idle must rise from row to row");
        for (const toml::node& pair : *seen) {
            const toml::array* two = pair.as_array();
            if (!two || two->size() != 2) refuse(path, "wake: seen must be pairs of a cost and a latency");
            r.seen.push_back({number(two->get(0), "a cost"), number(two->get(1), "a latency")});
        }
        into.wake.push_back(std::move(r));
    }
}

static std::array<CostInfo, cost_count> all_costs() {
    std::array<CostInfo, cost_count> all;
    for (std::size_t i = 0; i < cost_count; ++i) all[i] = cost_info(static_cast<Cost>(i));
    return all;
}

static Profile profile_of(const CostTable& t, const std::string& path) {
    if (!kernel_version(t.kernel)) refuse(path, fmt::format("kernel \"{}\" is not one the model knows", t.kernel));
    Profile p;
    p.name = t.name;
    p.kernel = t.kernel;
    std::ranges::copy(t.value, p.value.begin());
    std::ranges::copy(t.source, p.source.begin());
    return p;
}

Profile profile_load(const std::string& path) {
    const toml::table file = parsed(path);
    Profile p = profile_of(cost_table(file, path, all_costs()), path);
    read_wake(file, path, p);
    return p;
}

const Profile& profile_builtin() {
    static constexpr char text[] =
#include "builtin_profile.inc"
        ;
    static const Profile p = profile_of(cost_table(toml::parse(std::string_view(text)), "the built-in profile", all_costs()), "the built-in profile");
    return p;
}

void profile_save(const Profile& p, const std::string& path) {
    std::ofstream out(path);
    out << "# SPDX-License-Identifier: MIT\n# Costs of kernel stages; docs/COSTS.md says what was fitted and what came out.\n";
    out << "name = \"" << p.name << "\"\nkernel = \"" << p.kernel << "\"\n\n[costs]\n";
    for (std::size_t i = 0; i < cost_count; ++i) {
        const CostInfo& info = cost_info(static_cast<Cost>(i));
        out << fmt::format(
            "{} = {{ value = {:.6g}, unit = \"{}\", source = \"{}\" }} # {}\n", info.name, p.value[i], info.unit, p.source[i], info.what);
    }
    if (!p.wake.empty()) out << fmt::format("\n[wake]\nunit = \"ns\"\nsource = \"{}\"\nrows = [\n", p.wake_source);
    for (const WakeRow& r : p.wake) {
        out << fmt::format("    {{ idle = {:.6g}, seen = [", r.idle_ns);
        for (const auto& [cost, latency] : r.seen) out << fmt::format("[{:.6g}, {:.6g}], ", cost, latency);
        out << "] },\n";
    }
    if (!p.wake.empty()) out << "]\n";
    out.close();
    if (!out) refuse(path, "could not be written");
}

} // namespace pipescope

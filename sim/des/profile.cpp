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

CostTable cost_table_load(const std::string& path, std::span<const CostInfo> wanted) {
    toml::table file;
    try {
        file = toml::parse_file(path);
    } catch (const toml::parse_error& e) {
        const auto line = e.source().begin.line; // 0: there is no such file
        refuse(path, line ? fmt::format("line {}: {}", line, e.description()) : std::string("cannot be opened"));
    }
    return cost_table(file, path, wanted);
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

Profile profile_load(const std::string& path) { return profile_of(cost_table_load(path, all_costs()), path); }

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
    out.close();
    if (!out) refuse(path, "could not be written");
}

} // namespace pipescope

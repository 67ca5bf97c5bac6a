// SPDX-License-Identifier: MIT
// Cost profiles as TOML: each number with its unit and where it is from.
#include "sim/des/profile.hpp"
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

void read_cost(const std::string& path, const toml::table& costs, Cost c, Profile& p) {
    const CostInfo& info = cost_info(c);
    const toml::table* t = costs[info.name].as_table();
    if (!t) refuse(path, fmt::format("costs.{} is missing", info.name));
    const auto value = (*t)["value"].value<double>();
    const auto unit = (*t)["unit"].value<std::string>();
    const auto source = (*t)["source"].value<std::string>();
    if (!value || !std::isfinite(*value) || *value < 0 || *value > 1e9)
        refuse(path, fmt::format("costs.{}: value must be a number from 0 to 1e9", info.name));
    if (!unit || *unit != info.unit) refuse(path, fmt::format("costs.{}: unit must be \"{}\"", info.name, info.unit));
    if (!source || source->empty()) refuse(path, fmt::format("costs.{}: source is missing", info.name));
    p.at(c) = *value;
    p.source[static_cast<std::size_t>(c)] = *source;
}

} // namespace

Profile profile_load(const std::string& path) {
    toml::table file;
    try {
        file = toml::parse_file(path);
    } catch (const toml::parse_error& e) {
        refuse(path, fmt::format("line {}: {}", e.source().begin.line, e.description()));
    }
    Profile p;
    p.name = file["name"].value_or(std::string());
    p.kernel = file["kernel"].value_or(std::string());
    if (p.name.empty() || p.kernel.empty()) refuse(path, "name or kernel is missing");
    const toml::table* costs = file["costs"].as_table();
    if (!costs) refuse(path, "the table costs is missing");
    for (std::size_t i = 0; i < cost_count; ++i) read_cost(path, *costs, static_cast<Cost>(i), p);
    for (const auto& [key, node] : *costs) {
        bool known = false;
        for (std::size_t i = 0; i < cost_count; ++i) known = known || key.str() == cost_info(static_cast<Cost>(i)).name;
        if (!known) refuse(path, fmt::format("costs.{} is not a cost", key.str()));
    }
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

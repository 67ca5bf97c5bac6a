// SPDX-License-Identifier: MIT
// Reading a forwarder's profile.
#include "sim/des/net_profile.hpp"
#include "core/types.hpp"
#include "core/version.hpp"
#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace pipescope {
namespace {

constexpr CostInfo infos[] = {
#define NET(id, unit, what) {#id, unit, what},
#include "sim/des/net.def"
#undef NET
};

} // namespace

NetProfile net_profile_load(const std::string& path) {
    const CostTable t = cost_table_load(path, infos);
    if (t.base.empty()) throw std::runtime_error(path + ": base is missing");
    if (!kernel_version(t.kernel)) throw std::runtime_error(path + ": kernel \"" + t.kernel + "\" is not one the model knows");
    NetProfile p;
    p.base = profile_load(std::filesystem::path(path).parent_path() / (t.base + ".toml"));
    p.base.name = t.name;
    p.base.kernel = t.kernel;
    std::ranges::copy(t.value, p.value.begin());
    for (const Net n : {Net::cpus, Net::connections, Net::line_rate, Net::segment, Net::read_buffer})
        if (p[n] < 1) throw std::runtime_error(path + ": costs." + infos[static_cast<std::size_t>(n)].name + " must be at least 1");
    if (p[Net::segment] > page_size) throw std::runtime_error(path + ": costs.segment must fit in a page");
    if (p[Net::cpus] > 64 || p[Net::connections] > 1024) throw std::runtime_error(path + ": more than 64 CPUs or 1024 connections");
    if (p[Net::window] < 2 * p[Net::segment] || p[Net::request] < p[Net::segment])
        throw std::runtime_error(path + ": costs.window must hold two segments and costs.request one");
    return p;
}

} // namespace pipescope

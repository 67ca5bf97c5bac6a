// SPDX-License-Identifier: MIT
// A cost profile: what each stage takes on one machine under one kernel; assets/profiles/*.toml.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pipescope {

enum class Cost : std::uint8_t {
#define COST(id, unit, what) id,
#include "sim/des/costs.def"
#undef COST
    count
};
struct CostInfo {
    const char* name;
    const char* unit;
    const char* what;
};
const CostInfo& cost_info(Cost c);
inline constexpr std::size_t cost_count = static_cast<std::size_t>(Cost::count);

struct CostTable { // of a file; values and sources in the order they were asked for
    std::string name, kernel, base; // base: another profile that the rest is from, or empty
    std::vector<double> value;
    std::vector<std::string> source;
};
// Throws std::runtime_error that names the file and what is wrong: a number missing, unknown, negative or of another unit.
CostTable cost_table_load(const std::string& path, std::span<const CostInfo> wanted);

// What waking a task cost its waker that had slept for `idle_ns`, and how long after that wake-up its CPU began to switch:
// wake-ups that were seen, 1 to 1000, none more likely than another.
struct WakeRow {
    double idle_ns = 0;
    std::vector<std::array<double, 2>> seen; // ns: cost, latency
};

struct Profile {
    std::string name, kernel; // "i7-8550u-5.17", "5.17"
    std::array<double, cost_count> value{};
    std::array<std::string, cost_count> source; // where each number is from
    std::vector<WakeRow> wake; // by idle_ns, rising; if any, they stand for wake_idle and latency_* of a task that sleeps on a CPU of its own
    std::string wake_source;

    double operator[](Cost c) const { return value[static_cast<std::size_t>(c)]; }
    double& at(Cost c) { return value[static_cast<std::size_t>(c)]; }
};

Profile profile_load(const std::string& path);
const Profile& profile_builtin(); // i7-8550u-5.17, as it was when the program was built
void profile_save(const Profile& p, const std::string& path);

} // namespace pipescope

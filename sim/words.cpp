// SPDX-License-Identifier: MIT
// Sizes and times with the unit that leaves few digits.
#include "sim/words.hpp"
#include <fmt/format.h>
#include <iterator>

namespace pipescope {

std::string bytes_text(std::uint64_t n) {
    static constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double v = static_cast<double>(n);
    std::size_t u = 0;
    for (; v >= 1024 && u + 1 < std::size(units); ++u) v /= 1024;
    return u ? fmt::format("{:.2f} {}", v, units[u]) : fmt::format("{} {}", n, n == 1 ? "byte" : "bytes");
}

std::string ns_text(std::uint64_t ns) {
    const double v = static_cast<double>(ns);
    if (ns < 1'000) return fmt::format("{} ns", ns);
    if (ns < 1'000'000) return fmt::format("{:.2f} us", v / 1e3);
    if (ns < 1'000'000'000) return fmt::format("{:.2f} ms", v / 1e6);
    return fmt::format("{:.3f} s", v / 1e9);
}

} // namespace pipescope

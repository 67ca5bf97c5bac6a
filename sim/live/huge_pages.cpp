// SPDX-License-Identifier: MIT
// Reads /proc/self/smaps.
#include "sim/live/huge_pages.hpp"
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

namespace pipescope {

std::uint64_t huge_page_bytes(const void* addr, std::size_t len) {
    const auto from = reinterpret_cast<std::uintptr_t>(addr), to = from + len;
    std::ifstream smaps("/proc/self/smaps");
    std::uint64_t bytes = 0;
    bool inside = false;
    for (std::string line; std::getline(smaps, line);) {
        unsigned long a = 0, b = 0, kib = 0;
        if (std::sscanf(line.c_str(), "%lx-%lx ", &a, &b) == 2) inside = a < to && b > from;
        else if (inside && std::sscanf(line.c_str(), "AnonHugePages: %lu kB", &kib) == 1) bytes += std::uint64_t{kib} << 10;
    }
    return std::min<std::uint64_t>(bytes, len);
}

} // namespace pipescope

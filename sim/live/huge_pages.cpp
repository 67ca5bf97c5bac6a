// SPDX-License-Identifier: MIT
// Reads /proc/self/smaps.
#include "sim/live/huge_pages.hpp"
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

namespace pipescope {

std::uint64_t smaps_bytes(std::uint64_t addr, std::uint64_t len, std::string_view heading) {
    std::ifstream in("/proc/self/smaps");
    std::string line;
    std::uint64_t total = 0;
    bool inside = false;
    while (std::getline(in, line)) {
        char* end = nullptr;
        const std::uint64_t from = std::strtoull(line.c_str(), &end, 16);
        if (*end == '-') inside = from < addr + len && std::strtoull(end + 1, nullptr, 16) > addr;
        else if (inside && line.compare(0, heading.size(), heading) == 0) total += std::strtoull(line.c_str() + heading.size(), nullptr, 10) * 1024;
    }
    return total;
}

std::uint64_t huge_page_bytes(const void* addr, std::size_t len) {
    return std::min<std::uint64_t>(smaps_bytes(reinterpret_cast<std::uintptr_t>(addr), len, "AnonHugePages:"), len);
}

} // namespace pipescope

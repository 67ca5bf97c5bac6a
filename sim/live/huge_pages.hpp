// SPDX-License-Identifier: MIT
// Whether memory of this process really lies in huge pages, from /proc/self/smaps.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pipescope {

// What smaps says under a heading of the mappings in [addr, addr + len), in bytes; needs no privilege.
std::uint64_t smaps_bytes(std::uint64_t addr, std::uint64_t len, std::string_view heading);
// How many bytes of the mappings in [addr, addr + len) one page-table entry maps 2 MiB at a time (AnonHugePages of smaps);
// for a range that is advised as a whole, and so a mapping of its own. 0 also where smaps cannot be read.
std::uint64_t huge_page_bytes(const void* addr, std::size_t len);

} // namespace pipescope

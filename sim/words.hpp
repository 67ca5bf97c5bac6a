// SPDX-License-Identifier: MIT
// Figures for people; those for programs are plain numbers.
#pragma once
#include <cstdint>
#include <string>

namespace pipescope {

std::string bytes_text(std::uint64_t n); // "1.50 GiB", "1 byte"
std::string ns_text(std::uint64_t ns);   // "12.34 ms"

} // namespace pipescope

// SPDX-License-Identifier: MIT
// The figures of a recording in words and as JSON, both from the same summary.
#pragma once
#include "sim/recording/summary.hpp"
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace pipescope {

std::string info_text(const TraceMeta& meta, const Summary& s, const std::string& path, std::uint64_t file_bytes);
nlohmann::ordered_json info_json(const TraceMeta& meta, const Summary& s, const std::string& path, std::uint64_t file_bytes);

// "1.50 GiB", "12 ms": for people. Figures for programs are plain numbers.
std::string bytes_text(std::uint64_t n);
std::string ns_text(std::uint64_t ns);

} // namespace pipescope

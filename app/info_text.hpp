// SPDX-License-Identifier: MIT
// The figures of a recording in words and as JSON, both from the same summary, with what was found.
#pragma once
#include "app/insight.hpp"
#include "sim/words.hpp"
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace pipescope {

std::string info_text(const TraceMeta& meta, const Insight& i, const std::string& path, std::uint64_t file_bytes);
nlohmann::ordered_json info_json(const TraceMeta& meta, const Insight& i, const std::string& path, std::uint64_t file_bytes);

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Payloads of the chunks that are not events: what is known about the run, strings, the index.
#pragma once
#include "sim/recording/chunk.hpp"
#include "sim/trace.hpp"
#include <vector>

namespace pipescope::rec {

std::uint32_t put_meta(std::string& raw, const TraceMeta& meta); // gives the number of fields
bool get_meta(std::string_view raw, std::uint32_t count, TraceMeta& meta, std::string& fault);

// Strings with numbers from `first` on become part of the table. A gap of up to `most_lost` strings before them is filled
// with names that say so; 0 asks for a file without faults.
bool get_strings(std::string_view raw, std::uint32_t count, std::uint64_t first, std::uint64_t most_lost, StringTable& table, std::string& fault);

struct IndexEntry {
    std::uint32_t type = 0, count = 0;
    std::uint64_t offset = 0, length = 0, first = 0, t_first = 0, t_last = 0;
};
void put_index(std::string& raw, const std::vector<IndexEntry>& entries);
// The entries, which follow one another without gaps from the file header up to `end`.
bool get_index(std::string_view raw, std::uint32_t count, std::uint64_t end, std::vector<IndexEntry>& entries, std::string& fault);

} // namespace pipescope::rec

// SPDX-License-Identifier: MIT
// The frame around every chunk: header, checksums, compression, and the limits a reader holds a file to.
#pragma once
#include "sim/recording/bytes.hpp"
#include <optional>

namespace pipescope::rec {

constexpr std::uint32_t tag(const char (&s)[5]) {
    std::uint32_t v = 0;
    for (int i = 3; i >= 0; --i) v = v << 8 | static_cast<std::uint8_t>(s[i]);
    return v;
}
inline constexpr std::uint32_t tag_tables = tag("TABL"), tag_meta = tag("META"), tag_strings = tag("STRS"), tag_events = tag("EVTS"),
                               tag_index = tag("INDX");

inline constexpr std::string_view file_magic{"\x89PSC\r\n\x1a\n", 8};
inline constexpr std::string_view end_magic{"PSC end\n", 8};
inline constexpr std::string_view chunk_sync{"\xf5"
                                             "cnk",
    4};
inline constexpr std::uint32_t format_version = 1;
inline constexpr std::size_t file_header_size = 16, chunk_header_size = 56, trailer_size = 24;

inline constexpr std::uint32_t max_items = 1u << 16, max_raw = 16u << 20;
inline constexpr std::uint32_t max_index_items = 1u << 22, max_index_raw = 128u << 20;
inline constexpr std::uint32_t max_raw_ratio = 64, max_count_ratio = 4; // raw and count over stored
inline constexpr std::uint32_t max_string = 1u << 20;

struct ChunkHeader {
    std::uint32_t type = 0, stored = 0, raw = 0, count = 0;
    std::uint64_t first = 0, t_first = 0, t_last = 0, sum = 0;
    std::uint64_t length() const { return chunk_header_size + std::uint64_t{stored}; }
    bool operator==(const ChunkHeader&) const = default;
};

std::uint64_t checksum(std::span<const std::uint8_t> bytes);

// Compresses `raw` and appends the whole chunk to `out`; fills in stored, raw and sum of `h`. False when zstd fails.
bool put_chunk(std::string& out, ChunkHeader& h, std::string_view raw);

// The header in the first chunk_header_size bytes, when its checksum and its limits hold; else nothing and `fault` in words.
std::optional<ChunkHeader> parse_chunk_header(std::span<const std::uint8_t> bytes, std::string& fault);

// Checks and decompresses what follows the header. False with `fault` in words.
bool unpack_chunk(const ChunkHeader& h, std::span<const std::uint8_t> stored, std::string& raw, std::string& fault);

std::string file_header(std::uint32_t fingerprint);
std::string trailer(std::uint64_t index_offset);

} // namespace pipescope::rec

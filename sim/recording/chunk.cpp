// SPDX-License-Identifier: MIT
// Chunks: made and checked.
#include "sim/recording/chunk.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <xxhash.h>
#include <zstd.h>

namespace pipescope::rec {
namespace {

constexpr int zstd_level = 3; // higher levels gain under a tenth and cost a recorder its CPU

// Contexts are large and slow to make: one a thread.
ZSTD_CCtx* compressor() {
    thread_local const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> c{ZSTD_createCCtx(), ZSTD_freeCCtx};
    return c.get();
}
ZSTD_DCtx* decompressor() {
    thread_local const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> d{ZSTD_createDCtx(), ZSTD_freeDCtx};
    return d.get();
}

std::uint32_t low_half(std::uint64_t v) { return static_cast<std::uint32_t>(v); }

} // namespace

std::uint64_t checksum(std::span<const std::uint8_t> bytes) { return XXH64(bytes.data(), bytes.size(), 0); }

bool put_chunk(std::string& out, ChunkHeader& h, std::string_view raw) {
    if (!compressor()) return false;
    const std::size_t start = out.size();
    out.resize(start + chunk_header_size + ZSTD_compressBound(raw.size()));
    const std::size_t n = ZSTD_compressCCtx(
        compressor(), out.data() + start + chunk_header_size, out.size() - start - chunk_header_size, raw.data(), raw.size(), zstd_level);
    if (ZSTD_isError(n)) {
        out.resize(start);
        return false;
    }
    // Where it shrinks beyond what readers allow, zeros make up for it.
    const std::size_t least =
        std::max((raw.size() + max_raw_ratio - 1) / max_raw_ratio, (h.count + std::size_t{max_count_ratio} - 1) / max_count_ratio);
    const std::size_t stored = std::max(n, least);
    out.resize(start + chunk_header_size + n);
    out.resize(start + chunk_header_size + stored, '\0');
    h.stored = static_cast<std::uint32_t>(stored);
    h.raw = static_cast<std::uint32_t>(raw.size());
    h.sum = checksum(as_bytes(out).subspan(start + chunk_header_size));

    std::string head{chunk_sync};
    for (const std::uint32_t v : {h.type, h.stored, h.raw, h.count}) put_u32(head, v);
    for (const std::uint64_t v : {h.first, h.t_first, h.t_last, h.sum}) put_u64(head, v);
    put_u32(head, low_half(checksum(as_bytes(head))));
    std::copy(head.begin(), head.end(), out.begin() + static_cast<std::ptrdiff_t>(start));
    return true;
}

std::optional<ChunkHeader> parse_chunk_header(std::span<const std::uint8_t> bytes, std::string& fault) {
    if (bytes.size() < chunk_header_size) {
        fault = "it is cut off";
        return std::nullopt;
    }
    bytes = bytes.first(chunk_header_size);
    Cursor c(bytes);
    const auto sync = c.bytes(chunk_sync.size());
    if (!std::equal(sync.begin(), sync.end(), as_bytes(chunk_sync).begin())) {
        fault = "no chunk begins here";
        return std::nullopt;
    }
    ChunkHeader h;
    for (std::uint32_t* v : {&h.type, &h.stored, &h.raw, &h.count}) *v = c.u32();
    for (std::uint64_t* v : {&h.first, &h.t_first, &h.t_last, &h.sum}) *v = c.u64();
    if (c.u32() != low_half(checksum(bytes.first(chunk_header_size - 4)))) {
        fault = "checksum of its header does not match";
        return std::nullopt;
    }
    const bool index = h.type == tag_index;
    if (h.count > (index ? max_index_items : max_items) || h.raw > (index ? max_index_raw : max_raw) ||
        h.raw > std::uint64_t{h.stored} * max_raw_ratio || h.count > std::uint64_t{h.stored} * max_count_ratio) {
        fault = fmt::format("it claims {} items in {} bytes from {} stored, more than the format allows", h.count, h.raw, h.stored);
        return std::nullopt;
    }
    if (h.t_first > h.t_last) {
        fault = "its times run backwards";
        return std::nullopt;
    }
    return h;
}

bool unpack_chunk(const ChunkHeader& h, std::span<const std::uint8_t> stored, std::string& raw, std::string& fault) {
    if (!decompressor() || stored.size() != h.stored) {
        fault = "it is cut off";
        return false;
    }
    if (checksum(stored) != h.sum) {
        fault = "checksum does not match";
        return false;
    }
    const std::size_t frame = ZSTD_findFrameCompressedSize(stored.data(), stored.size());
    if (ZSTD_isError(frame) ||
        !std::all_of(stored.begin() + static_cast<std::ptrdiff_t>(frame), stored.end(), [](std::uint8_t b) { return b == 0; })) {
        fault = "it is not one zstd frame";
        return false;
    }
    raw.resize(h.raw);
    const std::size_t n = ZSTD_decompressDCtx(decompressor(), raw.data(), raw.size(), stored.data(), frame);
    if (ZSTD_isError(n) || n != h.raw) {
        fault = "it does not decompress to the length it claims";
        return false;
    }
    return true;
}

std::string file_header(std::uint32_t fingerprint) {
    std::string out{file_magic};
    put_u32(out, format_version);
    put_u32(out, fingerprint);
    return out;
}

std::string trailer(std::uint64_t index_offset) {
    std::string out;
    put_u64(out, index_offset);
    put_u64(out, checksum(as_bytes(out)));
    return out.append(end_magic);
}

} // namespace pipescope::rec

// SPDX-License-Identifier: MIT
// Random calls over a few pipes, files and buffers: one call as plain data, and the sequence a seed gives.
#pragma once
#include "core/types.hpp"
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

namespace pipescope::conform {

inline constexpr std::uint32_t pipes = 3, files = 2, socket_pairs = 2; // of sockets: a stream, and datagrams
inline constexpr std::uint32_t src_pages = 80, raw_pages = 16, dst_pages = 80; // each area is followed by a hole
inline constexpr std::uint32_t own_pages = 12, shared_pages = 20;              // of the files: some go beyond the end
inline constexpr std::uint32_t area_pages[] = {src_pages, raw_pages, dst_pages, own_pages, shared_pages};
inline constexpr std::uint64_t fault_around_bytes = 65536; // mappings of files begin at a multiple: which pages a fault maps hangs on it
inline constexpr std::size_t areas = std::size(area_pages);
inline constexpr std::uint64_t file_bytes[files] = {41060, 70000};             // the second one begins as a hole

enum class Kind : std::uint8_t {
    write, writev, read, readv, vmsplice, vmsplice_out, to_null, to_zero, from_zero, from_null, pipe_to_pipe, tee, from_file, to_file, sendfile_pipe,
    sendfile_file, setpipe_sz, packet_mode, close_read, close_write, make, dontneed, touch, protect,
    send, receive, to_socket, from_socket, socket_close, socket_make, count
};
// Touched and filled · untouched · touched, for reading into · the first file, mapped privately · the second one, shared.
enum class Area : std::uint8_t { src, raw, dst, own, shared };

struct Op {
    Kind kind = Kind::write;
    Area area = Area::src;
    std::uint8_t p = 0, q = 0;          // pipes
    std::uint8_t file = 0;              // or pair of sockets
    std::uint8_t end = 0;               // of the pair: 0 a, 1 b
    std::uint32_t flags = 0;            // SPLICE_F_*; packet_mode: 1 on; protect: VmaFlag; touch: the byte stored
    std::uint64_t off = 0, len = 0;     // bytes into the area, bytes; setpipe_sz: len is the argument
    std::int64_t pos = -1;              // file position, -1: the file's own
    std::uint32_t pieces = 1;           // writev, readv, vmsplice: the range in so many segments
};

constexpr bool of_sockets(Kind k) { return k >= Kind::send && k <= Kind::socket_make; }
constexpr bool reads_memory(Kind k) { return k == Kind::read || k == Kind::readv || k == Kind::vmsplice_out || k == Kind::receive; } // into it

class Generator { // the same seed gives the same operations on every machine
public:
    explicit Generator(std::uint64_t seed) : s_(seed * 0x9e3779b97f4a7c15u + 0x1234567) {}
    Op next();

private:
    std::uint32_t rnd(std::uint32_t n); // 0 … n-1
    std::uint64_t length();
    std::uint64_t s_;
};

// Lua of one operation, as in a litmus case; `result` is what the kernel gave.
std::string op_lua(const Op& op, long result);
// Declarations that the operations of a case need.
std::string prologue_lua();

} // namespace pipescope::conform

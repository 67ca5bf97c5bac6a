// SPDX-License-Identifier: MIT
// What the built-in writer and reader are to do: the options of the published pipe speed test.
#pragma once
#include <array>
#include <cstdint>
#include <string>

namespace pipescope {

struct PairOptions {
    bool vmsplice = false; // the writer's call; otherwise write
    bool splice = false;   // the reader's call, to /dev/null; otherwise read
    std::uint64_t bytes = 1ull << 30;
    std::uint64_t buffer = 256 << 10;
    std::uint64_t offset = 0;       // bytes past the beginning of a page at which each buffer begins, below 4096
    std::uint64_t pipe_size = 0;    // 0: half a buffer with vmsplice, else what the kernel gives
    bool huge_page = false;         // buffers in 2 MiB pages; looked up once they are filled, and refused when they are not
    bool gift = false;              // SPLICE_F_GIFT, and SPLICE_F_MOVE on the other side
    bool busy_loop = false;         // never block, call again
    bool poll = false;              // wait by poll() before each call; with busy_loop poll until it says yes
    bool same_buffer = false;       // vmsplice: the two halves of one buffer in turns, not two buffers
    bool lock_memory = false;       // mlock()
    bool untouched = false;         // never write to the buffers: what is sent is the kernel's zeros
    bool verify = false;            // the reader looks at each byte
    std::array<int, 2> cpu{-1, -1}; // where the writer and the reader have to run; -1: anywhere

    std::uint64_t call_bytes() const { return vmsplice && same_buffer ? buffer / 2 : buffer; } // of one call of the writer
    bool two_buffers() const { return vmsplice && !same_buffer; }
    char byte_at(std::uint64_t at) const; // that the writer sends
    std::string text() const;             // as options of the command line
    std::string fault() const;            // options that do not go together, in one sentence; empty: they do
};

} // namespace pipescope

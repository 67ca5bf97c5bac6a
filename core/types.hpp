// SPDX-License-Identifier: MIT
// Ids, constants and errno names shared by the whole model.
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace pipescope {

using PageId = std::uint32_t;   // index into State::pages; a symbolic page frame number
using PipeId = std::uint32_t;   // index into State::pipes
using TaskId = std::uint32_t;   // index into State::tasks
using FileId = std::uint32_t;   // index into State::files
using InodeId = std::uint32_t;  // index into State::inodes
using SockId = std::uint32_t;   // index into State::sockets
using MmId = std::uint32_t;     // index into State::mms
using FdTableId = std::uint32_t;// index into State::fdtables
using StringId = std::uint32_t; // index into a StringTable; 0 is the empty string

inline constexpr std::uint32_t no_id = 0xffffffffu; // "no such object" for every id but PageId
inline constexpr PageId no_page = 0;               // page frame 0 is reserved, as on real machines
inline constexpr PageId zero_page = 1;             // ZERO_PAGE(0)

inline constexpr std::uint32_t page_shift = 12;
inline constexpr std::uint32_t page_size = 1u << page_shift; // bytes
inline constexpr std::uint32_t pmd_order = 9;                // pages of a 2 MiB leaf: 1 << 9
inline constexpr std::uint32_t pud_order = 18;               // pages of a 1 GiB leaf
inline constexpr std::uint64_t huge_size = std::uint64_t{page_size} << pmd_order;
inline constexpr std::uint64_t giant_size = std::uint64_t{page_size} << pud_order;
inline constexpr std::uint64_t task_size_max = (std::uint64_t{1} << 47) - page_size; // x86-64, 4 levels
inline constexpr std::uint64_t task_size_max5 = (std::uint64_t{1} << 56) - page_size; // 5 levels
inline constexpr std::uint64_t max_rw_count = 0x7ffff000;    // MAX_RW_COUNT, bytes of one call
inline constexpr std::uint32_t pipe_def_buffers = 16;        // PIPE_DEF_BUFFERS, slots
inline constexpr std::uint32_t gup_batch = 16;               // pages iter_to_pipe asks for at a time
inline constexpr std::uint32_t max_skb_frags = 17;            // MAX_SKB_FRAGS
inline constexpr std::uint32_t wmem_default = 212992;         // net.core.wmem_default, bytes: a socket's send buffer
inline constexpr std::uint32_t uio_maxiov = 1024;            // UIO_MAXIOV

// pipe_buffer::flags, include/linux/pipe_fs_i.h
enum PipeBufFlag : std::uint32_t {
    PIPE_BUF_FLAG_LRU = 0x01,
    PIPE_BUF_FLAG_ATOMIC = 0x02,
    PIPE_BUF_FLAG_GIFT = 0x04,
    PIPE_BUF_FLAG_PACKET = 0x08,
    PIPE_BUF_FLAG_CAN_MERGE = 0x10,
    PIPE_BUF_FLAG_WHOLE = 0x20,
    PIPE_BUF_FLAG_LOSS = 0x40,
};

enum SpliceFlag : std::uint32_t {
    PS_SPLICE_F_MOVE = 1,
    PS_SPLICE_F_NONBLOCK = 2,
    PS_SPLICE_F_MORE = 4,
    PS_SPLICE_F_GIFT = 8,
    PS_SPLICE_F_ALL = 15,
};

enum RwFlag : std::uint32_t { PS_RWF_NOWAIT = 0x8, PS_RWF_NOSIGNAL = 0x100 }; // of preadv2 and pwritev2
inline constexpr std::uint32_t ps_poll_wait = 1;                              // Call::flags of poll: without a timeout

// The kernel's own restart code, never seen by a program: the engine turns it into EINTR.
inline constexpr long ERESTARTSYS_ = 512;

// "EAGAIN" for 11; "E???" for a number that the model never returns.
const char* errno_name(int err);
// 11 for "EAGAIN", 0 when unknown.
int errno_number(const char* name);

} // namespace pipescope

// SPDX-License-Identifier: MIT
// A system call as a value: which, on which descriptors, with which memory.
#pragma once
#include "core/stage.hpp"
#include "core/types.hpp"
#include <cstdint>
#include <vector>

namespace pipescope {

struct IoVec { // struct iovec
    std::uint64_t addr = 0, len = 0;
};

struct Call {
    Sys nr = Sys::none;
    int fd = -1;               // the descriptor; splice and tee: fd_in
    int fd_out = -1;           // splice, tee, sendfile
    std::vector<IoVec> iov;    // write, read: one; writev, readv, vmsplice: any number
    std::uint64_t len = 0;     // splice, tee, sendfile: bytes; F_SETPIPE_SZ: the argument; munmap, mprotect, madvise, touch: bytes
    std::uint64_t addr = 0;    // munmap, mprotect, madvise, touch
    std::int64_t off_in = -1, off_out = -1; // -1: no offset pointer
    std::uint32_t flags = 0; // SPLICE_F_*; F_SETFL: FileFlag; mprotect: VmaFlag; kill: signal; readv, writev: RwFlag; poll: ps_poll_wait
    std::uint32_t line = 0;    // of the program that makes the call; 0 unknown
};

} // namespace pipescope

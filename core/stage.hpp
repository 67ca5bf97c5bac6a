// SPDX-License-Identifier: MIT
// Kernel functions, their stages and system calls by name.
#pragma once
#include <cstdint>

namespace pipescope {

enum class Fn : std::uint16_t {
#define FN(id, name) id,
#include "core/stages.def"
#undef FN
    count
};

enum class Stage : std::uint16_t {
#define STAGE(id, fn, label, does) id,
#include "core/stages.def"
#undef STAGE
    count
};

struct StageInfo {
    const char* id;    // "w_copy"
    Fn fn;             // the kernel function it belongs to
    const char* label; // chip text: "copy"
    const char* does;  // third person: "copies from user memory into the page"
};
const StageInfo& stage_info(Stage s);
const char* fn_name(Fn f); // the kernel's name of it: "anon_pipe_write"

enum class Sys : std::uint16_t {
    none, write, read, writev, readv, vmsplice, splice, tee, sendfile, close, dup, fcntl_getpipe_sz, fcntl_setpipe_sz,
    fcntl_setfl, fionread, poll, open, pipe, fork, munmap, mprotect, madvise, touch, kill, exit,
    sendto, if_start, // of a BSD: a datagram by mbufs; its card, which fetches a packet
    count
};
const char* sys_name(Sys s); // "write", "F_SETPIPE_SZ", …

} // namespace pipescope

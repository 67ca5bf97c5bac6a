// SPDX-License-Identifier: MIT
// Published figures ("How fast are Linux pipes anyway?", F. Mazzoli, 2022) and one run of a rung.
#include "sim/des/ladder.hpp"
#include <stdexcept>

namespace pipescope {
namespace {

#define VMSPLICE "write/vmsplice/do_syscall_64/__do_sys_vmsplice"
#define PIPE_WRITE "write/write/do_syscall_64/ksys_write/pipe_write"

constexpr Share write_shares[] = {
    {"write", 0.480},
    {PIPE_WRITE, 0.474},
    {PIPE_WRITE "/copy_page_from_iter", 0.241},
    {PIPE_WRITE "/__alloc_pages", 0.118},
    {PIPE_WRITE "/schedule", 0.043},
    {PIPE_WRITE "/__wake_up_common_lock", 0.030},
    {PIPE_WRITE "/_raw_spin_lock_irq", 0.010},
};
constexpr Share splice_shares[] = {
    {"write/vmsplice", 0.496},
    {VMSPLICE "/iov_iter_get_pages", 0.179},
    {VMSPLICE "/iov_iter_get_pages/internal_get_user_pages_fast", 0.169},
    {VMSPLICE "/iov_iter_get_pages/internal_get_user_pages_fast/try_grab_compound_head", 0.112},
    {VMSPLICE "/mutex_lock", 0.166},
    {VMSPLICE "/add_to_pipe", 0.039},
    {VMSPLICE "/iov_iter_advance", 0.012},
    {"write/vmsplice/syscall_return_via_sysret", 0.0145},
};
constexpr Share huge_shares[] = {
    {"write/vmsplice", 0.469},
    {VMSPLICE "/wait_for_space", 0.149},
    {VMSPLICE "/__wake_up_common_lock", 0.083},
    {VMSPLICE "/add_to_pipe", 0.044},
    {VMSPLICE "/iov_iter_get_pages", 0.042},
    {VMSPLICE "/mutex_lock", 0.039},
    {VMSPLICE "/iov_iter_advance", 0.018},
};

constexpr Rung rungs[] = {
    {"write/read", {}, 3.7, write_shares},
    {"vmsplice/read", {.vmsplice = true}, 12.7, {}},
    {"vmsplice/splice", {.vmsplice = true, .splice = true}, 32.8, splice_shares},
    {"+huge pages", {.vmsplice = true, .splice = true, .huge_page = true}, 51.0, huge_shares},
    {"+busy loop", {.vmsplice = true, .splice = true, .huge_page = true, .busy_loop = true}, 62.5, {}},
    {"untouched pages", {.vmsplice = true, .splice = true, .touch = false}, 25.0, {}},
};
constexpr Rung more[] = {
    {"write/splice", {.splice = true}, 0, {}},
    {"write/read, huge pages", {.huge_page = true}, 0, {}},
    {"write/read, busy loop", {.busy_loop = true}, 0, {}},
    {"vmsplice/read, huge pages", {.vmsplice = true, .huge_page = true}, 0, {}},
    {"vmsplice/splice, busy loop", {.vmsplice = true, .splice = true, .busy_loop = true}, 0, {}},
    {"vmsplice/splice, one buffer in two halves", {.vmsplice = true, .splice = true, .same_buffer = true}, 0, {}},
    {"vmsplice/splice, huge pages, one buffer", {.vmsplice = true, .splice = true, .huge_page = true, .same_buffer = true}, 0, {}},
    {"vmsplice/read, buffers of malloc()", {.vmsplice = true, .offset = malloc_offset}, 0, {}},
    {"vmsplice/splice, buffers of malloc()", {.vmsplice = true, .splice = true, .offset = malloc_offset}, 0, {}},
    {"untouched pages, buffers of malloc()", {.vmsplice = true, .splice = true, .touch = false, .offset = malloc_offset}, 0, {}},
    {"vmsplice/splice, buffer of 1 MiB", {.vmsplice = true, .splice = true, .buf_size = 1 << 20}, 0, {}},
    {"vmsplice/splice, buffer of 64 KiB", {.vmsplice = true, .splice = true, .buf_size = 64 << 10}, 0, {}},
};

} // namespace

SpeedOptions placed_at(SpeedOptions o, std::uint64_t offset) {
    if (!o.huge_page && offset) o.offset = offset;
    return o;
}
std::span<const Rung> ladder_rungs() { return rungs; }
std::span<const Rung> ladder_more() { return more; }

RungResult run_rung(const Profile& profile, const SpeedOptions& options, std::uint64_t bytes, std::uint64_t seed) {
    BareSink sink;
    SpeedPair pair(sink, profile, options, bytes, 16 << 20, seed);
    if (!pair.run()) throw std::logic_error("the writer and the reader wait for each other");
    Engine& e = pair.engine();
    RungResult r;
    r.ledger = e.ledger();
    const auto moved = static_cast<double>(r.ledger.counts.bytes_moved);
    r.gib_per_s = moved / (1 << 30) / (e.elapsed_ns() * 1e-9);
    r.rings = moved / static_cast<double>(pair.ring_bytes());
    r.writer_sleeps = static_cast<double>(e.sleeps(pair.writer())) / r.rings;
    r.reader_sleeps = static_cast<double>(e.sleeps(pair.reader())) / r.rings;
    return r;
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// What the slots are filled with: small calls, small pieces, what cannot be merged, and a ring that is small itself.
#include "sim/findings/rules.hpp"
#include "sim/words.hpp"
#include <fmt/format.h>

namespace pipescope::rules {
namespace {

constexpr std::uint64_t small_call = 1024, many_calls = 64; // bytes; calls
constexpr double hardly_full = 0.5, mostly = 0.5;
constexpr std::uint64_t many_slots = 8;
constexpr std::uint64_t good_call = 64 << 10;
constexpr std::uint64_t mib = 1 << 20;

void one_side(const Figures& f, const EndFigures& e, bool in, Findings& out) {
    const std::uint64_t calls = in ? e.calls_in : e.calls_out, bytes = in ? e.bytes_in : e.bytes_out;
    if (calls < many_calls || bytes >= calls * small_call) return;
    out.push_back({"small_calls",
        fmt::format("{} {} {:.0f} bytes a call: {:.0f} calls for each MiB, {} each at work in the kernel. Calls of 64 KiB would be {} for a MiB.",
            task_of(f, e), in ? "writes" : "takes", share(bytes, calls), share(calls, bytes) * static_cast<double>(mib), ns_text(e.call_ns / e.calls),
            mib / good_call),
        e.moving.events});
}

} // namespace

void small_calls(const Figures& f, PipeId id, Findings& out) {
    if (is_counter(f, id)) return;
    for (const std::uint32_t i : f.pipes[id].ends) {
        one_side(f, f.ends[i], true, out);
        one_side(f, f.ends[i], false, out);
    }
}

void small_pieces(const Figures& f, PipeId id, Findings& out) {
    const PipeFigures& p = f.pipes[id];
    const std::uint64_t room = p.full_slots * page_size;
    if (!p.full.n || share(p.full_bytes, room) >= hardly_full) return;
    out.push_back({"small_pieces",
        fmt::format("The ring is full of small pieces: when no slot was free it held {} on average, {:.0f} bytes a slot, where {} would fit. A pipe counts "
                    "slots, not bytes.",
            bytes_text(p.full_bytes / p.full.n), share(p.full_bytes, p.full_slots), bytes_text(room / p.full.n)),
        p.full.events});
}

void merging_defeated(const Figures& f, PipeId id, Findings& out) {
    const PipeFigures& p = f.pipes[id];
    const auto say = [&](const PipeFigures::Fills& kind, const char* why) {
        if (kind.seen.n < many_slots || share(kind.seen.n, p.all.seen.n) < mostly) return;
        out.push_back({"merging_defeated",
            fmt::format("Small pieces cannot be merged: {} of {} slots hold {:.0f} bytes on average, since {}.", kind.seen.n, p.all.seen.n,
                share(kind.bytes, kind.seen.n), why),
            kind.seen.events});
    };
    say(p.packets, "the pipe is in packet mode (O_DIRECT): each write is a packet with a slot of its own");
    say(p.fragments, "vmsplice gives each piece of memory a slot of its own, however short; write() would put them behind one another into one page");
    say(p.unmergeable, "a slot that tee or splice filled is shared, and nothing may be added behind it");
}

void small_ring(const Figures& f, PipeId id, Findings& out) {
    const PipeFigures& p = f.pipes[id];
    if (p.resize_refused.n)
        out.push_back({"resize_refused",
            fmt::format("F_SETPIPE_SZ was refused with EPERM ({}): beyond pipe-max-size, or the user's pipes together take more pages than "
                        "pipe-user-pages-soft allows.",
                times(p.resize_refused.n, "time")),
            p.resize_refused.events});
    if (p.first_size > 2 || p.first_size == 0 || p.resized.n || p.ends.empty()) return;
    out.push_back({"small_ring",
        fmt::format("The pipe has {} instead of 16: so the kernel shrinks the pipes of a user who is over pipe-user-pages-soft. (Inferred: an F_SETPIPE_SZ "
                    "before the recording would look the same.)",
            times(p.first_size, "slot")),
        {}});
}

} // namespace pipescope::rules

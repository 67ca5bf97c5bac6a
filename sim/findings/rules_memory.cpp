// SPDX-License-Identifier: MIT
// Whose pages the slots hold, and what becomes of them while they are in the ring.
#include "sim/findings/rules.hpp"
#include <fmt/format.h>

namespace pipescope::rules {
namespace {

// Pages of the kernel came into the ring by vmsplice alone; where write() is used too, a slot may be one of its.
bool copies_here(const Figures& f, const PipeFigures& p) {
    for (const std::uint32_t i : p.ends)
        if (f.ends[i].copied_in) return false;
    return p.vmsplice_copied.n > 0;
}

} // namespace

void stored_in_ring(const Figures& f, PipeId id, Findings& out) {
    const Evidence& stored = f.pipes[id].stored;
    if (!stored.n) return;
    out.push_back({"stored_in_ring",
        fmt::format("A page was stored to while a slot of the ring still held it ({}): the reader gets the new bytes, not those that vmsplice handed over. Wait "
                    "until the reader has taken them.",
            times(stored.n, "store")),
        stored.events});
}

void page_reused(const Figures& f, PipeId id, Findings& out) {
    const PipeFigures& p = f.pipes[id];
    const Evidence& seen = p.twice.n ? p.twice : p.early;
    if (!seen.n) return;
    std::string text = p.twice.n ? fmt::format("vmsplice handed over the same bytes again while the ring still held them: {} in two slots at once",
                                       times(p.twice.n, "page"))
                                 : fmt::format("vmsplice was called with memory of which the ring still held pages ({})", times(p.early.n, "call"));
    text += f.stores_seen ? p.stored.n ? ", and they were stored to meanwhile." : ". Nobody stored into them meanwhile, so no byte was lost."
                          : ". If the program stored into that memory in between, the reader gets the new bytes in place of the old ones; stores are not seen "
                            "by this capture. A second buffer as large as the ring avoids it.";
    out.push_back({"page_reused", text, seen.events});
}

void untouched(const Figures& f, PipeId id, Findings& out) {
    const PipeFigures& p = f.pipes[id];
    for (const std::uint32_t i : p.ends) {
        const EndFigures& e = f.ends[i];
        if (!e.pages_made || copies_here(f, p)) continue;
        out.push_back({"untouched_buffer",
            fmt::format("{} hands over memory that was never written to: {} had to be made inside its calls of vmsplice. (Other kernels send the zero page "
                        "then, and go the slow way through the page tables each time.) Touch the buffer once before.",
                task_of(f, e), times(e.pages_made, "page")),
            e.made.events});
    }
    if (!p.zero.n) return;
    out.push_back({"zero_page",
        fmt::format("vmsplice sends the zero page ({} of {} slots seen): the buffer was never written to, so its pages do not exist yet. Each call "
                    "goes the slow way through the page tables; touching the buffer once ends that.",
            p.zero.n, p.all.seen.n),
        p.zero.events});
}

void vmsplice_copies(const Figures& f, PipeId id, Findings& out) {
    const PipeFigures& p = f.pipes[id];
    const Evidence& copied = p.vmsplice_copied;
    if (!copies_here(f, p)) return;
    out.push_back({"vmsplice_copies",
        fmt::format("vmsplice copies here: {} that it filled hold pages of the kernel, not of the caller. On this kernel ({}) it is a write() by another name.",
            times(copied.n, "slot"), f.kernel.empty() ? "unknown" : f.kernel),
        copied.events});
}

void teed(const Figures& f, PipeId id, Findings& out) {
    const PipeFigures& p = f.pipes[id];
    if (!p.teed) return;
    out.push_back({"teed",
        fmt::format("tee() took from this pipe without taking out ({}): its pages are in two rings then, copied nowhere, and free only when both have let go.",
            times(p.teed, "call")),
        {}});
}

} // namespace pipescope::rules

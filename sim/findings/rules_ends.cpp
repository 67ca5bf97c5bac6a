// SPDX-License-Identifier: MIT
// How calls ended: broken pipes, writes cut short, and several writers on one pipe.
#include "sim/findings/rules.hpp"
#include "sim/words.hpp"
#include <fmt/format.h>

namespace pipescope::rules {

void sigpipe(const Figures& f, PipeId id, Findings& out) {
    for (const std::uint32_t i : f.pipes[id].ends) {
        const EndFigures& e = f.ends[i];
        if (!e.epipe.n) continue;
        out.push_back({"sigpipe",
            fmt::format("{} wrote when nobody had the read end open any more: EPIPE{}{}", task_of(f, e),
                e.signalled ? " and SIGPIPE" : ", and SIGPIPE unless it holds that back",
                e.epipe.n == 1 && e.ended_by_epipe ? ". That was its last call: the usual end of a writer whose reader has had enough."
                                                   : fmt::format(" ({}).", times(e.epipe.n, "time"))),
            e.epipe.events});
    }
}

void cut_short(const Figures& f, PipeId id, Findings& out) {
    for (const std::uint32_t i : f.pipes[id].ends) {
        const EndFigures& e = f.ends[i];
        if (!e.cut.n) continue;
        const char* why = e.cut_nonblock ? "the descriptor is non-blocking and the ring was full" : e.epipe.n ? "the read end was closed meanwhile" : "a signal came, or the read end was closed meanwhile";
        out.push_back({"cut_short",
            fmt::format("{} by {} took less than was asked, the first {} of {}: {}. A program that does not look at the result loses the rest.",
                times(e.cut.n, "write"), task_of(f, e), e.cut_got, e.cut_asked, why),
            e.cut.events});
    }
}

void several_writers(const Figures& f, PipeId id, Findings& out) {
    const PipeFigures& p = f.pipes[id];
    std::string names;
    std::uint64_t writers = 0;
    Evidence first;
    for (const std::uint32_t i : p.ends) {
        const EndFigures& e = f.ends[i];
        if (!e.bytes_in) continue;
        ++writers;
        names += fmt::format("{}{} {}", names.empty() ? "" : ", ", task_of(f, e), bytes_text(e.bytes_in));
        if (!e.moving.events.empty()) first.at(e.moving.events.front());
    }
    if (writers < 2 || is_counter(f, id)) return;
    std::string text = fmt::format("{} tasks write into it ({}). ", writers, names);
    text += p.mixed.n ? fmt::format("{} longer than 4096 bytes while another task wrote too: their bytes may be mixed, only shorter ones stay whole.",
                            times(p.mixed.n, "write") + (p.mixed.n == 1 ? " was" : " were"))
                      : "No write longer than 4096 bytes met another one, so each stayed whole.";
    out.push_back({"several_writers", text, p.mixed.n ? p.mixed.events : first.events});
}

} // namespace pipescope::rules

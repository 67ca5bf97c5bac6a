// SPDX-License-Identifier: MIT
// Runs the rules, pipe by pipe, and words that they share.
#include "sim/findings/findings.hpp"
#include "sim/findings/rules.hpp"
#include <fmt/format.h>

namespace pipescope {

std::vector<Finding> find(const Figures& f) {
    std::vector<Finding> out;
    constexpr void (*all[])(const Figures&, PipeId, std::vector<Finding>&) = {rules::balance, rules::tokens, rules::lock_contention, rules::busy_loop,
        rules::no_cpu, rules::small_calls, rules::small_pieces, rules::merging_defeated, rules::small_ring, rules::stored_in_ring, rules::page_reused,
        rules::untouched, rules::vmsplice_copies, rules::teed, rules::several_writers, rules::sigpipe, rules::cut_short};
    for (PipeId p = 0; p < f.pipes.size(); ++p)
        for (const auto rule : all) {
            const std::size_t before = out.size();
            rule(f, p, out);
            for (std::size_t i = before; i < out.size() && f.pipes.size() > 1; ++i) out[i].text = fmt::format("pipe {}: {}", p + 1, out[i].text);
        }
    return out;
}

std::vector<Finding> find(const Trace& trace) {
    Summarizer s(trace.meta);
    FigureTaker taker(trace.meta, s);
    for (std::size_t i = 0; i < trace.events.size(); ++i)
        if (s.add(trace.events[i])) taker.add(i + 1, trace.events[i]);
    const Summary summary = s.finish(trace.strings);
    return find(taker.finish(summary, trace.strings));
}

namespace rules {

std::string percent_of(std::uint64_t part, std::uint64_t whole) {
    const double v = 100 * share(part, whole);
    return v > 0 && v < 1 ? "less than 1 %" : fmt::format("{:.0f} %", v);
}

std::string task_of(const Figures& f, const EndFigures& e) { return f.task_names[e.task]; }

std::string times(std::uint64_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

} // namespace rules
} // namespace pipescope

// SPDX-License-Identifier: MIT
// Who holds up whom: sleeps for space and for data, the lock, busy loops, a CPU that is not to be had.
#include "sim/findings/rules.hpp"
#include "sim/words.hpp"
#include <fmt/format.h>

namespace pipescope::rules {
namespace {

constexpr double waits_much = 0.1, clearly_more = 2; // a share of the time; so many times the other side's
constexpr double contention = 0.05, burning = 0.5, starved = 0.2;
constexpr std::uint64_t few = 16; // calls: fewer say nothing

struct Sides { // the end of each side that waits longest for the other one, and what that was
    const EndFigures *writer = nullptr, *reader = nullptr;
    std::uint64_t space = 0, data = 0;
};

Sides sides(const Figures& f, const PipeFigures& p) {
    Sides s;
    for (const std::uint32_t i : p.ends) {
        const EndFigures& e = f.ends[i];
        if (e.calls_in && (!s.writer || e.bytes_in > s.writer->bytes_in)) s.writer = &e;
        if (e.calls_out && (!s.reader || e.bytes_out > s.reader->bytes_out)) s.reader = &e;
        s.space = std::max(s.space, e.space_ns);
        s.data = std::max(s.data, e.data_ns);
    }
    return s;
}

// What the slower one does meanwhile.
std::string busy_with(const Figures& f, const PipeFigures& p, const EndFigures& e) {
    const std::uint64_t all = span(p), inside = e.call_ns + e.lock_ns + e.space_ns + e.data_ns;
    const std::uint64_t outside = all > inside ? all - inside : 0;
    std::string out = fmt::format("{} itself is at work in its calls on the pipe for {}", task_of(f, e), percent_of(e.call_ns, all));
    if (e.lock_ns) out += fmt::format(", waits for the lock for {}", percent_of(e.lock_ns, all));
    return out + fmt::format(" and outside them for {} (its own work, or other calls)", percent_of(outside, all));
}

void by_sleeps(const Figures& f, const PipeFigures& p, const Sides& s, Findings& out) {
    const std::uint64_t all = span(p);
    const double space = share(s.space, all), data = share(s.data, all);
    const std::string w = task_of(f, *s.writer), r = task_of(f, *s.reader);
    if (space >= waits_much && space > clearly_more * data)
        out.push_back({"reader_slower",
            fmt::format("The reader, {}, holds up the pipe: {} sleeps for {} of the time because the ring is full ({}). {}.", r, w,
                percent_of(s.space, all), times(s.writer->sleeps_space.n, "sleep"), busy_with(f, p, *s.reader)),
            s.writer->sleeps_space.events});
    else if (data >= waits_much && data > clearly_more * space)
        out.push_back({"writer_slower",
            fmt::format("The writer, {}, holds up the pipe: {} sleeps for {} of the time because the ring is empty ({}). {}.", w, r,
                percent_of(s.data, all), times(s.reader->sleeps_data.n, "sleep"), busy_with(f, p, *s.writer)),
            s.reader->sleeps_data.events});
    else if (space >= waits_much && data >= waits_much)
        out.push_back({"in_turns",
            fmt::format("{} and {} work in turns and not side by side: {} sleeps for {} of the time because the ring is full, {} for {} because it is "
                        "empty. A larger pipe, or larger pieces, lets them overlap.",
                w, r, w, percent_of(s.space, all), r, percent_of(s.data, all)),
            s.writer->sleeps_space.events});
    else
        out.push_back({"balanced",
            fmt::format("Neither side waits long for the other: {} sleeps for space for {} of the time, {} for data for {}.", w, percent_of(s.space, all), r,
                percent_of(s.data, all)),
            {}});
}

// Without sleeps: who is inside its calls for longer mostly waits there.
void by_calls(const Figures& f, const PipeFigures& p, const Sides& s, Findings& out) {
    const std::uint64_t all = span(p);
    const double w = share(s.writer->call_ns, all), r = share(s.reader->call_ns, all);
    const bool reader_slower = w >= 3 * waits_much && w > clearly_more * r, writer_slower = r >= 3 * waits_much && r > clearly_more * w;
    if (!reader_slower && !writer_slower) return;
    const EndFigures &slow = reader_slower ? *s.reader : *s.writer, &fast = reader_slower ? *s.writer : *s.reader;
    out.push_back({reader_slower ? "reader_slower" : "writer_slower",
        fmt::format("The {}, {}, probably holds up the pipe: {} is inside its calls for {} of the time, {} for {} only. Inferred from how long calls took; "
                    "sleeps were not seen.",
            reader_slower ? "reader" : "writer", task_of(f, slow), task_of(f, fast), percent_of(fast.call_ns, all), task_of(f, slow),
            percent_of(slow.call_ns, all)),
        fast.moving.events});
}

} // namespace

bool is_counter(const Figures& f, PipeId p) {
    std::uint64_t moves = 0;
    for (const std::uint32_t i : f.pipes[p].ends) {
        if (f.ends[i].most > 1) return false;
        moves += f.ends[i].moving.n;
    }
    return moves >= 2;
}

void balance(const Figures& f, PipeId id, Findings& out) {
    const PipeFigures& p = f.pipes[id];
    const Sides s = sides(f, p);
    if (!s.writer || !s.reader || s.writer == s.reader || !span(p) || is_counter(f, id)) return;
    if (s.writer->moving.n + s.reader->moving.n < 4) return; // a few bytes once: nothing is held up
    if (f.sleeps_known) {
        by_sleeps(f, p, s, out);
        if (f.sleeps_inferred) out.back().text += " Inferred: sleeps by the switches and the CPU time of each call, which recording made slower.";
    } else {
        by_calls(f, p, s, out);
    }
}

void tokens(const Figures& f, PipeId id, Findings& out) {
    const PipeFigures& p = f.pipes[id];
    if (!is_counter(f, id)) return;
    std::uint64_t puts = 0, takes = 0, data = 0;
    Evidence seen;
    for (const std::uint32_t i : p.ends) {
        const EndFigures& e = f.ends[i];
        puts += e.calls_in, takes += e.calls_out, data += e.data_ns;
        for (const std::uint64_t n : e.moving.events) seen.at(n);
    }
    std::string text = fmt::format("The pipe is a counter: every call moves one byte ({} put in, {} taken out, at most {} in it at a time), as a jobserver's "
                                   "does. Its throughput says nothing",
        puts, takes, p.most_bytes);
    if (f.sleeps_known && data) text += fmt::format("; who sleeps on it waits for a token ({} in all)", ns_text(data));
    out.push_back({"counter", text + ".", seen.events});
}

void lock_contention(const Figures& f, PipeId id, Findings& out) {
    const PipeFigures& p = f.pipes[id];
    for (const std::uint32_t i : p.ends) {
        const EndFigures& e = f.ends[i];
        if (share(e.lock_ns, span(p)) < contention || e.lock_waits.n < few) continue;
        out.push_back({"lock_contention",
            fmt::format("{} waits for the pipe's mutex for {} of the time ({}, {} each): another task holds it while it copies or takes pages.",
                task_of(f, e), percent_of(e.lock_ns, span(p)), times(e.lock_waits.n, "wait"), ns_text(e.lock_ns / e.lock_waits.n)),
            e.lock_waits.events});
    }
}

void busy_loop(const Figures& f, PipeId id, Findings& out) {
    for (const std::uint32_t i : f.pipes[id].ends) {
        const EndFigures& e = f.ends[i];
        const std::uint64_t again = e.again.n + e.again_left_out, all = e.calls + e.again_left_out;
        if (again < few || share(again, all) < burning) continue;
        out.push_back({"busy_loop",
            fmt::format("{} burns its CPU in a busy loop: {} of its {} calls gave EAGAIN ({}). It never sleeps, so no wake-up is needed; poll() would give the "
                        "CPU to others.",
                task_of(f, e), again, all, percent_of(again, all)),
            e.again.events});
    }
}

void no_cpu(const Figures& f, PipeId id, Findings& out) {
    const PipeFigures& p = f.pipes[id];
    for (const std::uint32_t i : p.ends) {
        const EndFigures& e = f.ends[i];
        if (!f.sleeps_known || share(e.runnable_ns, span(p)) < starved) continue;
        out.push_back({"no_cpu",
            fmt::format("{} was woken, or preempted, and got no CPU for {} of the time: other programs had it.", task_of(f, e),
                percent_of(e.runnable_ns, span(p))),
            {}});
    }
}

} // namespace pipescope::rules

// SPDX-License-Identifier: MIT
// Compares two runs event by event and call by call.
#include "app/compare.hpp"
#include "app/layout.hpp"
#include "core/describe.hpp"
#include "sim/narrate.hpp"
#include <algorithm>
#include <map>

namespace pipescope {
namespace {

// The time at which something happens is not compared: one difference would move all that follows.
bool same_event(Event a, const Event& b) {
    a.t_ns = b.t_ns;
    return a == b;
}

std::string event_words(Document& d, std::size_t i, std::size_t end) {
    if (i >= end) return "has ended";
    const Event e = d.timeline()[i];
    const State& before = d.timeline().seek(i);
    const std::string what = e.kind == EventKind::sys_enter ? "calls " + call_text(before, d.strings(), e) : narrate(before, d.strings(), e, d.version().anon_prefix);
    return e.task == no_id ? what : task_label(before, d.strings(), e.task) + ": " + what;
}

struct Made {
    std::size_t enter = 0, exit = ~std::size_t{0}; // events
    std::int64_t result = 0;
};
using Calls = std::map<TaskId, std::vector<Made>>;

Calls calls_of(Document& d, std::size_t end) {
    Calls out;
    for (std::size_t i = 0; i < end; ++i) {
        const Event& e = d.timeline()[i];
        if (e.kind == EventKind::sys_enter) out[e.task].push_back({i, ~std::size_t{0}, 0});
        else if (e.kind == EventKind::sys_exit && !out[e.task].empty())
            out[e.task].back().exit = i, out[e.task].back().result = static_cast<std::int64_t>(e.x);
    }
    return out;
}

std::string made_text(Document& d, const Made& m) { return call_text(d.timeline().seek(m.enter), d.strings(), d.timeline()[m.enter]); }
std::string outcome(const Made& m) { return m.exit == ~std::size_t{0} ? "does not return" : result_text(m.result); }

void compare_calls(Comparison& c, Document& here, Document& there) {
    Calls a = calls_of(here, c.events_here), b = calls_of(there, c.events_there);
    for (const auto& [task, list] : b) a.try_emplace(task);
    for (auto& [task, mine] : a) {
        const std::vector<Made>& other = b[task];
        const std::string name = task_label((mine.empty() ? there : here).timeline().state(), (mine.empty() ? there : here).strings(), task);
        for (std::size_t i = 0; i < std::max(mine.size(), other.size()); ++i) {
            const bool open_end = i >= mine.size() || i >= other.size() || mine[i].exit == ~std::size_t{0} || other[i].exit == ~std::size_t{0};
            if (open_end && !c.whole) break; // where the comparison was cut off, not a difference
            CallDifference d{name, "", "", "", 0};
            if (i >= mine.size()) d.call = made_text(there, other[i]), d.here = "not made", d.there = outcome(other[i]);
            else if (i >= other.size()) d.call = made_text(here, mine[i]), d.here = outcome(mine[i]), d.there = "not made";
            else {
                const Event x = here.timeline()[mine[i].enter], y = there.timeline()[other[i].enter];
                const bool same_call = same_event(x, y), same_end = (mine[i].exit == ~std::size_t{0}) == (other[i].exit == ~std::size_t{0});
                if (same_call && same_end && mine[i].result == other[i].result) continue;
                d.call = made_text(here, mine[i]), d.here = outcome(mine[i]), d.there = outcome(other[i]);
                if (!same_call) d.there = made_text(there, other[i]) + " " + d.there;
            }
            if (i < mine.size()) d.at = std::min(mine[i].exit == ~std::size_t{0} ? mine[i].enter : mine[i].exit, c.events_here - 1) + 1;
            if (++c.calls_different <= calls_listed) c.calls.push_back(std::move(d));
        }
    }
    std::stable_sort(c.calls.begin(), c.calls.end(), [](const CallDifference& x, const CallDifference& y) { return x.at < y.at; });
}

// The most spare pages that each pipe kept at a time.
std::vector<std::uint32_t> spares_of(Document& d, std::size_t end) {
    std::vector<std::array<PageId, 2>> now;
    std::vector<std::uint32_t> most;
    for (std::size_t i = 0; i < end; ++i) {
        const Event& e = d.timeline()[i];
        if (e.kind != EventKind::tmp_page || e.a > 1 || e.pipe == no_id) continue;
        if (e.pipe >= now.size()) now.resize(e.pipe + 1), most.resize(e.pipe + 1);
        now[e.pipe][e.a] = e.b;
        most[e.pipe] = std::max<std::uint32_t>(most[e.pipe], (now[e.pipe][0] != no_page ? 1u : 0u) + (now[e.pipe][1] != no_page ? 1u : 0u));
    }
    return most;
}

void compare_ends(Comparison& c, Document& here, Document& there) {
    const std::vector<std::uint32_t> mine = spares_of(here, c.events_here), other = spares_of(there, c.events_there);
    const State a = here.timeline().seek(c.events_here); // a copy: both are needed at once
    const State& b = there.timeline().seek(c.events_there);
    const auto ring = [](const State& s, Document& d, PipeId p) {
        return p < s.pipes.size() ? ring_string(s, d.strings(), p) + (s.pipes[p].freed ? " (freed)" : "") : std::string("no such pipe");
    };
    for (PipeId p = 0; p < std::max(a.pipes.size(), b.pipes.size()); ++p)
        c.pipes.push_back({pipe_label(p < a.pipes.size() ? a : b, here.strings(), p), ring(a, here, p), ring(b, there, p),
            p < mine.size() ? mine[p] : 0, p < other.size() ? other[p] : 0});
    for (TaskId t = 0; t < std::min(a.tasks.size(), b.tasks.size()); ++t)
        if (a.tasks[t].sleeps != b.tasks[t].sleeps || a.tasks[t].wakes != b.tasks[t].wakes)
            c.tasks.push_back({task_label(a, here.strings(), t), a.tasks[t].sleeps, b.tasks[t].sleeps, a.tasks[t].wakes, b.tasks[t].wakes});
    c.ns_here = a.t_ns, c.ns_there = b.t_ns;
}

} // namespace

Comparison compare_runs(Document& here, Document& there, std::size_t limit) {
    Comparison c;
    const bool run_on = !here.in_step(); // there it would be real calls
    if (run_on) here.ensure(limit), there.ensure(limit);
    c.here = here.meta().kernel, c.there = there.meta().kernel;
    c.whole = !here.more() && !there.more();
    c.events_here = here.timeline().size(), c.events_there = there.timeline().size();
    if (!c.whole && run_on) c.events_here = std::min(c.events_here, limit), c.events_there = std::min(c.events_there, limit);
    const std::size_t both = std::min(c.events_here, c.events_there);
    std::size_t i = 0;
    while (i < both && same_event(here.timeline()[i], there.timeline()[i])) ++i;
    if (i < both || c.events_here != c.events_there) {
        c.first = i;
        c.first_here = event_words(here, i, c.events_here);
        c.first_there = event_words(there, i, c.events_there);
    }
    compare_calls(c, here, there);
    compare_ends(c, here, there);
    return c;
}

} // namespace pipescope

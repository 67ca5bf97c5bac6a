// SPDX-License-Identifier: MIT
// Figures of a run: folds the events, and watches what each did to tasks and rings.
#include "sim/recording/summary.hpp"
#include "sim/live/world.hpp"
#include "sim/recording/direction.hpp"
#include "sim/recording/summary_slots.hpp"
#include <algorithm>
#include <map>
#include <tuple>

namespace pipescope {
namespace {

struct TaskWatch {
    TaskClock clock;
    bool writes = false;                // to some pipe, by a call that can do nothing else
    std::vector<std::uint64_t> unclear; // by pipe: bytes of splices whose direction the descriptor does not tell
};

} // namespace

struct Summarizer::Impl {
    explicit Impl(const TraceMeta& m) : syscalls_only(m.calls_only()) {}
    bool syscalls_only;
    Summary out;
    State state;
    std::vector<TaskWatch> tasks;
    std::vector<SlotCounter> rings;
    std::vector<std::uint64_t> left; // by pipe: bytes that left it
    std::uint64_t t_first = 0;
    std::map<StringId, std::uint64_t> counting_notes; // by text: the sum of what they count
    struct Noted {
        std::uint64_t x = 0, y = 0;
        bool takes = false; // the task has the pipe open for reading
    };
    std::map<std::tuple<StringId, TaskId, PipeId>, Noted> task_notes; // with two numbers, by text, task and pipe
    bool calls = false, locks = false, runs = false;  // there were events of this kind

    bool reads(TaskId task, PipeId pipe) const {
        const Task& t = state.tasks[task];
        if (t.fds >= state.fdtables.size()) return false;
        return std::any_of(state.fdtables[t.fds].begin(), state.fdtables[t.fds].end(), [&](FileId f) {
            return f < state.files.size() && state.files[f].kind == FileKind::pipe && state.files[f].pipe == pipe && state.files[f].flags & F_read;
        });
    }
    void finished_call(const Event& e) {
        const auto n = static_cast<std::int64_t>(e.x);
        TaskWatch& w = tasks[e.task];
        const auto sys = static_cast<Sys>(e.a);
        w.writes |= sys == Sys::write || sys == Sys::writev || sys == Sys::vmsplice;
        Event enter = state.tasks[e.task].call;
        if (enter.kind != EventKind::sys_enter || enter.a != e.a) enter = e, enter.b = no_id; // it was not seen
        const PipeId pipe = e.pipe < left.size() ? e.pipe : enter.pipe;
        if (n <= 0 || pipe >= left.size()) return;
        const auto bytes = static_cast<std::uint64_t>(n);
        const Way way = way_of(state, enter);
        const File* f = file_of(state, e.task, enter.b);
        if (way == Way::out) left[f && f->pipe < left.size() ? f->pipe : pipe] += bytes;
        if (way != Way::unclear) return;
        if (w.unclear.size() <= pipe) w.unclear.resize(pipe + 1);
        w.unclear[pipe] += bytes;
    }
    TaskTimes times(const TaskWatch& w) const {
        TaskTimes t;
        if (!calls) return t;
        t.user = w.clock.spent(Where::outside);
        t.in_call = w.clock.spent(Where::in_call);
        // What a capture without eyes for it reports as never is not known.
        if (locks || !syscalls_only) t.lock_wait = w.clock.spent(Where::lock_wait);
        if (runs || !syscalls_only) {
            t.sleep_space = w.clock.spent(Where::sleep_space), t.sleep_data = w.clock.spent(Where::sleep_data);
            t.runnable = w.clock.runnable();
        }
        return t;
    }
};

Summarizer::Summarizer(const TraceMeta& meta) : impl_(std::make_unique<Impl>(meta)) {}
Summarizer::~Summarizer() = default;

bool Summarizer::add(const Event& e) {
    Impl& i = *impl_;
    if (i.out.events++ == 0) i.t_first = e.t_ns;
    i.out.duration_ns = e.t_ns - i.t_first;
    if (!apply(i.state, e)) {
        ++i.out.refused;
        return false;
    }
    if (e.kind == EventKind::task_new) i.tasks.emplace_back();
    if (e.kind == EventKind::pipe_new) {
        i.rings.emplace_back();
        i.left.push_back(0);
    }
    if (e.kind == EventKind::sys_exit) i.finished_call(e);
    i.calls |= e.kind == EventKind::sys_exit;
    i.runs |= e.kind == EventKind::run_state;
    i.locks |= e.kind == EventKind::mutex_wait;
    i.locks |= e.kind == EventKind::run_state &&
               (e.a == static_cast<std::uint32_t>(RunState::lock_spin) || e.a == static_cast<std::uint32_t>(RunState::lock_sleep));
    if (e.kind == EventKind::note && e.x) i.counting_notes[e.a] += e.x;
    if (e.kind == EventKind::note && e.y && e.task < i.tasks.size()) {
        Impl::Noted& n = i.task_notes[{e.a, e.task, e.pipe}];
        n.x += e.x, n.y += e.y, n.takes |= i.reads(e.task, e.pipe);
    }
    if (e.task < i.tasks.size()) i.tasks[e.task].clock.settle(i.state.tasks[e.task], e);
    if (e.kind == EventKind::wake && e.b < i.tasks.size()) i.tasks[e.b].clock.settle(i.state.tasks[e.b], e);
    if (e.pipe < i.rings.size()) i.rings[e.pipe].changed(e, i.state);
    return true;
}

const State& Summarizer::state() const { return impl_->state; }
const SlotCounter& Summarizer::ring(PipeId pipe) const { return impl_->rings[pipe]; }
const TaskClock& Summarizer::clock(TaskId task) const { return impl_->tasks[task].clock; }

Summary Summarizer::finish(const StringTable& strings) {
    Impl& i = *impl_;
    Summary& out = i.out;
    out.lost = i.state.lost;
    for (const auto& [text, n] : i.counting_notes)
        if (strings[text] == again_note) out.calls_left_out += n;
    std::uint64_t first = ~std::uint64_t{0}, last = 0;
    for (TaskId t = 0; t < i.tasks.size(); ++t) {
        TaskWatch& w = i.tasks[t];
        w.clock.finish(i.t_first + out.duration_ns.value_or(0));
        if (w.clock.called()) first = std::min(first, w.clock.first_ns()), last = std::max(last, w.clock.last_ns());
        // A splice of unknown direction takes, unless its task is one that writes.
        for (std::size_t p = 0; p < w.unclear.size(); ++p)
            if (!w.writes) i.left[p] += w.unclear[p];
        const Task& task = i.state.tasks[t];
        out.tasks.push_back({strings[task.name], task.pid, task.calls, task.bytes, task.sleeps, i.times(w)});
    }
    for (const auto& [key, n] : i.task_notes) { // sampled runs: what moved between two samples is counted only
        const auto& [text, task, pipe] = key;
        if (strings[text] != sample_note) continue;
        out.tasks[task].calls += n.x, out.tasks[task].bytes += n.y;
        if (n.takes && pipe < i.left.size()) i.left[pipe] += n.y;
        i.calls = true;
    }
    std::uint64_t bytes = 0;
    for (PipeId p = 0; p < i.rings.size(); ++p) {
        const Pipe& pipe = i.state.pipes[p];
        PipeSummary s;
        s.name = strings[pipe.name], s.inode = pipe.inode, s.ring_size = pipe.ring_size, s.source = pipe.source;
        s.bytes = i.left[p];
        bytes += s.bytes;
        i.rings[p].fill_in(s, i.state, strings);
        out.pipes.push_back(std::move(s));
    }
    if (i.calls) out.bytes = bytes;
    if (first < last) out.active_ns = last - first;
    const std::uint64_t ns = out.active_ns.value_or(out.duration_ns.value_or(0)); // a sampled run shows no call by itself
    if (i.calls && ns) out.gib_per_s = static_cast<double>(bytes) / static_cast<double>(ns) * 1e9 / (1u << 30);
    return std::move(out);
}

Summary summarize(const Trace& trace) {
    Summarizer s(trace.meta);
    for (const Event& e : trace.events) s.add(e);
    return s.finish(trace.strings);
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Figures of a run: folds the events, and watches what each did to tasks and rings.
#include "sim/recording/summary.hpp"
#include "sim/live/world.hpp"
#include "sim/recording/summary_slots.hpp"
#include <array>
#include <map>

namespace pipescope {
namespace {

enum Where : std::uint8_t { user, in_call, lock_wait, sleep_space, sleep_data, gone, places };

// A task asleep for another reason than the ring (a page fault, say) is in its call; so is one that waits for a CPU there.
Where where(const Task& t, bool waits_for_lock) {
    if (t.run == RunState::exited) return gone;
    if (t.run == RunState::lock_spin || t.run == RunState::lock_sleep || waits_for_lock) return lock_wait;
    if (t.run == RunState::sleep && t.wait_for == WaitFor::space) return sleep_space;
    if (t.run == RunState::sleep && t.wait_for == WaitFor::data) return sleep_data;
    return t.sys == Sys::none ? user : in_call;
}

struct TaskWatch {
    std::uint64_t since = 0;
    Where place = user;
    bool waits_for_lock = false, runnable = false;
    std::array<std::uint64_t, places> spent{};
    std::uint64_t spent_runnable = 0;
    bool writes = false;                // to some pipe, by a call that can do nothing else
    std::vector<std::uint64_t> unclear; // by pipe: bytes of splices whose direction the descriptor does not tell
};

} // namespace

struct Summarizer::Impl {
    explicit Impl(const TraceMeta& m) : syscalls_only(m.capture == "syscalls") {}
    bool syscalls_only;
    Summary out;
    State state;
    std::vector<TaskWatch> tasks;
    std::vector<SlotCounter> rings;
    std::vector<std::uint64_t> left; // by pipe: bytes that left it
    std::uint64_t t_first = 0;
    std::map<StringId, std::uint64_t> counting_notes; // by text: the sum of what they count
    bool calls = false, locks = false, runs = false;  // there were events of this kind

    const File* file(TaskId task, std::uint32_t fd) const {
        const Task& t = state.tasks[task];
        if (t.fds >= state.fdtables.size() || fd >= state.fdtables[t.fds].size()) return nullptr;
        const FileId f = state.fdtables[t.fds][fd];
        return f < state.files.size() ? &state.files[f] : nullptr;
    }
    void finished_call(const Event& e) {
        const auto n = static_cast<std::int64_t>(e.x);
        TaskWatch& w = tasks[e.task];
        const auto sys = static_cast<Sys>(e.a);
        w.writes |= sys == Sys::write || sys == Sys::writev || sys == Sys::vmsplice;
        const Event& enter = state.tasks[e.task].call;
        const bool known = enter.kind == EventKind::sys_enter && enter.a == e.a;
        const PipeId pipe = e.pipe < left.size() ? e.pipe : known ? enter.pipe : no_id;
        if (n <= 0 || pipe >= left.size()) return;
        const auto bytes = static_cast<std::uint64_t>(n);
        const File* f = known ? file(e.task, enter.b) : nullptr;
        const bool takes = sys == Sys::read || sys == Sys::readv;
        // vmsplice and splice go both ways: the descriptor in front says which.
        if (takes || (f && f->kind == FileKind::pipe && ((sys == Sys::vmsplice && !(f->flags & F_write)) || sys == Sys::splice))) {
            left[f && f->pipe < left.size() ? f->pipe : pipe] += bytes;
        } else if (sys == Sys::splice && !f) {
            if (w.unclear.size() <= pipe) w.unclear.resize(pipe + 1);
            w.unclear[pipe] += bytes;
        }
    }
    void settle(TaskId id, std::uint64_t now) {
        TaskWatch& w = tasks[id];
        const std::uint64_t dt = now > w.since ? now - w.since : 0;
        w.spent[w.place] += dt;
        if (w.runnable && (w.place == user || w.place == in_call)) w.spent_runnable += dt;
        const Task& t = state.tasks[id];
        w.place = where(t, w.waits_for_lock);
        w.runnable = t.run == RunState::runnable;
        w.since = now;
    }
    void waits(const Event& e) {
        bool& w = tasks[e.task].waits_for_lock;
        switch (e.kind) {
        case EventKind::mutex_wait: w = locks = true; break;
        case EventKind::mutex_leave:
        case EventKind::mutex_lock:
        case EventKind::sys_exit:
        case EventKind::task_exit: w = false; break;
        default: break;
        }
    }
    TaskTimes times(const TaskWatch& w) const {
        TaskTimes t;
        if (!calls) return t;
        t.user = w.spent[user];
        t.in_call = w.spent[in_call];
        // What a capture without eyes for it reports as never is not known.
        if (locks || !syscalls_only) t.lock_wait = w.spent[lock_wait];
        if (runs || !syscalls_only) t.sleep_space = w.spent[sleep_space], t.sleep_data = w.spent[sleep_data], t.runnable = w.spent_runnable;
        return t;
    }
};

Summarizer::Summarizer(const TraceMeta& meta) : impl_(std::make_unique<Impl>(meta)) {}
Summarizer::~Summarizer() = default;

void Summarizer::add(const Event& e) {
    Impl& i = *impl_;
    if (i.out.events++ == 0) i.t_first = e.t_ns;
    i.out.duration_ns = e.t_ns - i.t_first;
    if (!apply(i.state, e)) {
        ++i.out.refused;
        return;
    }
    if (e.kind == EventKind::task_new) {
        i.tasks.emplace_back();
        i.tasks.back().since = e.t_ns;
    }
    if (e.kind == EventKind::pipe_new) {
        i.rings.emplace_back();
        i.left.push_back(0);
    }
    if (e.kind == EventKind::sys_exit) i.finished_call(e);
    i.calls |= e.kind == EventKind::sys_exit;
    i.runs |= e.kind == EventKind::run_state;
    i.locks |= e.kind == EventKind::run_state &&
               (e.a == static_cast<std::uint32_t>(RunState::lock_spin) || e.a == static_cast<std::uint32_t>(RunState::lock_sleep));
    if (e.kind == EventKind::note && e.x) i.counting_notes[e.a] += e.x;
    if (e.task < i.tasks.size()) {
        i.waits(e);
        i.settle(e.task, e.t_ns);
    }
    if (e.kind == EventKind::wake && e.b < i.tasks.size()) i.settle(e.b, e.t_ns);
    if (e.pipe < i.rings.size()) i.rings[e.pipe].changed(e, i.state);
}

Summary Summarizer::finish(const StringTable& strings) {
    Impl& i = *impl_;
    Summary& out = i.out;
    out.lost = i.state.lost;
    for (const auto& [text, n] : i.counting_notes)
        if (strings[text] == again_note) out.calls_left_out += n;
    for (TaskId t = 0; t < i.tasks.size(); ++t) {
        i.settle(t, i.t_first + out.duration_ns.value_or(0));
        TaskWatch& w = i.tasks[t];
        // A splice of unknown direction takes, unless its task is one that writes.
        for (std::size_t p = 0; p < w.unclear.size(); ++p)
            if (!w.writes) i.left[p] += w.unclear[p];
        const Task& task = i.state.tasks[t];
        out.tasks.push_back({strings[task.name], task.pid, task.calls, task.bytes, task.sleeps, i.times(w)});
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
    if (i.calls && out.duration_ns.value_or(0)) out.gib_per_s = static_cast<double>(bytes) / static_cast<double>(*out.duration_ns) * 1e9 / (1u << 30);
    return std::move(out);
}

Summary summarize(const Trace& trace) {
    Summarizer s(trace.meta);
    for (const Event& e : trace.events) s.add(e);
    return s.finish(trace.strings);
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Counts calls, waits and wake-ups by task and pipe; the rings are watched beside.
#include "sim/findings/figures.hpp"
#include "sim/findings/ring_watch.hpp"
#include "sim/live/world.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace pipescope {
namespace {

constexpr std::uint32_t sigpipe = 13;
constexpr std::int64_t eperm = 1, eagain = 11, epipe = 32;

bool copies(Sys s) { return s == Sys::write || s == Sys::writev || s == Sys::read || s == Sys::readv; }
bool writes(Sys s) { return s == Sys::write || s == Sys::writev; }

} // namespace

struct FigureTaker::Impl {
    Impl(const TraceMeta& meta, const Summarizer& s) : summarizer(s), rings(s) {
        out.sleeps_known = !meta.calls_only();
        out.stores_seen = meta.simulated();
        out.kernel = meta.kernel;
    }
    struct Inside { // a call that a task is in
        std::uint64_t number = 0;
        PipeId pipe = no_id;
        Way way = Way::none;
        Event enter;
        bool on = false, overlapped = false;
    };
    const Summarizer& summarizer;
    Figures out;
    RingWatch rings;
    std::vector<Inside> inside; // by task
    std::vector<Fillers> fillers; // by pipe
    std::map<std::pair<TaskId, PipeId>, std::uint32_t> end_of;
    struct Noted {
        Evidence seen;
        std::uint64_t n = 0;
    };
    std::map<std::tuple<StringId, std::uint32_t, bool>, Noted> notes; // by text, end, and whether inside a vmsplice into the pipe

    PipeFigures* pipe_at(PipeId pipe) {
        const std::size_t n = summarizer.state().pipes.size();
        while (out.pipes.size() < n) {
            const Pipe& p = summarizer.state().pipes[out.pipes.size()];
            out.pipes.emplace_back().first_size = p.ring_size;
        }
        fillers.resize(n);
        return pipe < n ? &out.pipes[pipe] : nullptr;
    }
    std::uint32_t end_at(TaskId task, PipeId pipe) {
        const auto [it, fresh] = end_of.try_emplace({task, pipe}, static_cast<std::uint32_t>(out.ends.size()));
        if (fresh) {
            out.ends.emplace_back();
            out.ends.back().task = task, out.ends.back().pipe = pipe;
            out.pipes[pipe].ends.push_back(it->second);
        }
        return it->second;
    }
    EndFigures* now_at(TaskId task) { // the end that the task's current call is about
        return task < inside.size() && inside[task].on ? &out.ends[end_at(task, inside[task].pipe)] : nullptr;
    }
    void leave(TaskId task) {
        Inside& in = inside[task];
        if (!in.on) return;
        in.on = false;
        if (in.way != Way::in) return;
        const auto sys = static_cast<Sys>(in.enter.a);
        if (writes(sys)) --fillers[in.pipe].writes;
        if (sys == Sys::vmsplice) --fillers[in.pipe].vmsplices;
    }
    void enter(std::uint64_t number, const Event& e);
    void exit(std::uint64_t number, const Event& e);
    void moved(std::uint64_t number, const Event& e, EndFigures& end, const Inside& in);
    void waits(std::uint64_t number, const Event& e);
};

void FigureTaker::Impl::enter(std::uint64_t number, const Event& e) {
    if (inside.size() <= e.task) inside.resize(e.task + 1);
    leave(e.task); // its exit was lost
    PipeFigures* p = pipe_at(e.pipe);
    if (!p) return;
    p->first_ns = std::min(p->first_ns, e.t_ns);
    Inside& in = inside[e.task];
    in = {number, e.pipe, way_of(summarizer.state(), e), e, true, false};
    EndFigures& end = out.ends[end_at(e.task, e.pipe)];
    ++end.calls;
    if (in.way != Way::in) return;
    const auto sys = static_cast<Sys>(e.a);
    if (sys == Sys::vmsplice) {
        rings.handing_over(number, e);
        ++fillers[e.pipe].vmsplices;
    }
    if (!writes(sys)) return;
    if (fillers[e.pipe].writes++)
        for (Inside& other : inside)
            if (&other != &in && other.on && other.pipe == e.pipe && other.way == Way::in) other.overlapped = in.overlapped = true;
}

void FigureTaker::Impl::moved(std::uint64_t number, const Event& e, EndFigures& end, const Inside& in) {
    const auto sys = static_cast<Sys>(in.enter.a);
    const std::uint64_t n = e.x;
    end.moving.at(number);
    end.most = std::max(end.most, n);
    if (in.way == Way::in) {
        ++end.calls_in, end.bytes_in += n;
        if (copies(sys)) end.copied_in += n;
        if (writes(sys) && in.enter.y > page_size && in.overlapped) out.pipes[end.pipe].mixed.at(in.number);
        if (writes(sys) && n < in.enter.y) {
            if (!end.cut.n) {
                const File* f = file_of(summarizer.state(), e.task, in.enter.b);
                end.cut_asked = in.enter.y, end.cut_got = n;
                end.cut_nonblock = f && f->flags & F_nonblock;
            }
            end.cut.at(number);
        }
    } else if (in.way == Way::out) {
        ++end.calls_out, end.bytes_out += n;
        if (copies(sys) || sys == Sys::vmsplice) end.copied_out += n;
    }
}

void FigureTaker::Impl::exit(std::uint64_t number, const Event& e) {
    if (e.task >= inside.size() || !inside[e.task].on || inside[e.task].enter.a != e.a) return;
    const Inside in = inside[e.task];
    const auto result = static_cast<std::int64_t>(e.x);
    PipeFigures& p = out.pipes[in.pipe];
    EndFigures& end = out.ends[end_at(e.task, in.pipe)];
    p.last_ns = std::max(p.last_ns, e.t_ns);
    const bool broken = result == -epipe && in.way == Way::in; // a splice out of it may meet a broken pipe at its other side
    end.ended_by_epipe = broken;
    const auto sys = static_cast<Sys>(e.a);
    if (sys == Sys::fcntl_setpipe_sz) {
        if (result > 0) p.resized.at(number);
        if (result == -eperm) p.resize_refused.at(number);
    } else if (sys == Sys::tee) {
        p.teed += result > 0;
    } else if (result == -eagain) {
        end.again.at(number);
    } else if (broken) {
        end.epipe.at(number);
    } else if (result > 0 && in.way != Way::none) {
        moved(number, e, end, in);
    }
    leave(e.task);
}

void FigureTaker::Impl::waits(std::uint64_t number, const Event& e) {
    EndFigures* end = now_at(e.task);
    if (e.kind == EventKind::signal && e.a == sigpipe && end) end->signalled = true;
    if (e.kind == EventKind::mutex_wait) {
        if (end) end->lock_waits.at(number);
    }
    if (e.kind != EventKind::run_state) return;
    out.sleeps_known = true;
    out.sleeps_inferred |= e.c == 1;
    if (!end || e.a != static_cast<std::uint32_t>(RunState::sleep)) return;
    if (e.b == static_cast<std::uint32_t>(WaitFor::space)) end->sleeps_space.at(number);
    if (e.b == static_cast<std::uint32_t>(WaitFor::data)) end->sleeps_data.at(number);
}

FigureTaker::FigureTaker(const TraceMeta& meta, const Summarizer& summarizer) : impl_(std::make_unique<Impl>(meta, summarizer)) {}
FigureTaker::~FigureTaker() = default;

void FigureTaker::add(std::uint64_t number, const Event& e) {
    Impl& i = *impl_;
    switch (e.kind) {
    case EventKind::pipe_new: i.pipe_at(e.pipe); return;
    case EventKind::sys_enter: return i.enter(number, e);
    case EventKind::sys_exit: return i.exit(number, e);
    case EventKind::run_state:
    case EventKind::mutex_wait:
    case EventKind::signal: return i.waits(number, e);
    case EventKind::wake:
        if (PipeFigures* p = i.pipe_at(e.pipe)) ++p->wakes;
        return;
    case EventKind::page_user: return i.rings.page_user(e);
    case EventKind::store:
    case EventKind::fill:
    case EventKind::copy: return i.rings.stored(number, e, i.out.pipes);
    case EventKind::lost: i.out.gaps |= e.x > 0; return;
    case EventKind::note:
        if (!e.x || e.task >= i.inside.size() || e.pipe >= i.out.pipes.size()) return;
        {
            const Impl::Inside& in = i.inside[e.task];
            const bool gives = in.on && in.way == Way::in && static_cast<Sys>(in.enter.a) == Sys::vmsplice;
            Impl::Noted& noted = i.notes[{e.a, i.end_at(e.task, e.pipe), gives}];
            noted.seen.at(number);
            noted.n += e.x;
        }
        return;
    default:
        if (PipeFigures* p = i.pipe_at(e.pipe)) i.rings.pipe_event(number, e, i.fillers[e.pipe], *p);
    }
}

Figures FigureTaker::finish(const Summary& summary, const StringTable& strings) {
    Impl& i = *impl_;
    Figures& f = i.out;
    i.rings.finish(f.pipes);
    std::map<std::string, int> names;
    for (const TaskSummary& t : summary.tasks) ++names[t.name];
    for (std::size_t t = 0; t < summary.tasks.size(); ++t) {
        const TaskSummary& task = summary.tasks[t];
        f.task_names.push_back(names[task.name] < 2 ? task.name : fmt::format("{} ({})", task.name, task.pid ? task.pid : t + 1));
    }
    for (const auto& [key, noted] : i.notes) {
        const auto& [text, end, in_vmsplice] = key;
        if (strings[text] == again_note) f.ends[end].again_left_out += noted.n;
        if (strings[text] == allocs_note && in_vmsplice) f.ends[end].pages_made += noted.n, f.ends[end].made = noted.seen;
    }
    for (EndFigures& e : f.ends) {
        const TaskClock& c = i.summarizer.clock(e.task);
        e.call_ns = c.spent(Where::in_call, e.pipe), e.lock_ns = c.spent(Where::lock_wait, e.pipe);
        e.space_ns = c.spent(Where::sleep_space, e.pipe), e.data_ns = c.spent(Where::sleep_data, e.pipe);
        e.runnable_ns = c.runnable(e.pipe);
    }
    return std::move(f);
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Hands the events of a recording to the pipes that are followed.
#include "sim/beside/beside.hpp"
#include "sim/beside/followed.hpp"
#include <algorithm>

namespace pipescope {

struct Beside::Impl {
    Impl(const TraceMeta& meta, const Summarizer& s) : summarizer(s), version(kernel_of_release(meta.kernel)), live(!meta.simulated()) {}
    const Summarizer& summarizer;
    KernelVersion version;
    bool live;
    BesideReport report;
    std::vector<std::unique_ptr<Followed>> pipes;
    std::vector<PipeId> in_call; // by task: the pipe of its call
    std::uint64_t last_loss = 0; // number of the last event that tells of one

    Followed* at(PipeId pipe) {
        const State& s = summarizer.state();
        if (pipe >= s.pipes.size() || s.pipes[pipe].source != RingSource::kernel) return nullptr;
        if (pipes.size() <= pipe) pipes.resize(pipe + 1);
        if (!pipes[pipe]) pipes[pipe] = std::make_unique<Followed>(version, pipe, report);
        return pipes[pipe].get();
    }
};

Beside::Beside(const TraceMeta& meta, const Summarizer& summarizer) : impl_(std::make_unique<Impl>(meta, summarizer)) {}
Beside::~Beside() = default;

void Beside::add(std::uint64_t number, const Event& e) {
    Impl& i = *impl_;
    if (!i.live) return;
    const State& s = i.summarizer.state();
    switch (e.kind) {
    case EventKind::page_seen:
    case EventKind::page_user:
    case EventKind::ring_slot: return;
    case EventKind::ring_begin:
        if (Followed* p = i.at(e.pipe)) p->next_ring(s, e);
        return;
    case EventKind::ring_end:
        if (Followed* p = i.at(e.pipe)) {
            // A look at the other pipe of a call that concerns two: how much went over is not told.
            if (e.task < i.in_call.size() && i.in_call[e.task] != no_id && i.in_call[e.task] != e.pipe) p->give_up();
            p->ring(number, e);
        }
        return;
    default: break;
    }
    for (const auto& p : i.pipes)
        if (p) p->settle(s, e);
    switch (e.kind) {
    case EventKind::sys_enter:
        if (i.in_call.size() <= e.task) i.in_call.resize(e.task + 1, no_id);
        i.in_call[e.task] = e.pipe;
        if (Followed* p = i.at(e.pipe)) p->enter(s, e);
        return;
    case EventKind::sys_exit:
        if (e.task >= i.in_call.size()) return;
        if (Followed* p = i.at(std::exchange(i.in_call[e.task], no_id))) p->exit(number, s, e);
        return;
    case EventKind::run_state:
        if (e.task >= i.in_call.size()) return;
        if (Followed* p = i.at(i.in_call[e.task])) {
            if (e.a == static_cast<std::uint32_t>(RunState::sleep) && e.b != 0) p->asleep(e.task);
            else p->awake(e.task);
        }
        return;
    case EventKind::wake:
        if (Followed* p = i.at(e.pipe)) p->awake(e.b);
        return;
    case EventKind::lost:
        i.last_loss = number;
        for (const auto& p : i.pipes)
            if (p) p->lose();
        return;
    default: return;
    }
}

// What was lost is told of when it is noticed, and that is after it happened: no difference before that counts.
BesideReport Beside::finish() {
    Impl& i = *impl_;
    for (const auto& p : i.pipes) {
        if (p) p->finish();
        if (!p || !p->first) continue;
        if (p->first->event < i.last_loss) i.report.unexplained += p->divergences;
        else if (!i.report.first || p->first->event < i.report.first->event) i.report.first = p->first;
    }
    return i.report;
}

BesideReport compare_beside(const Trace& trace) {
    Summarizer s(trace.meta);
    Beside b(trace.meta, s);
    for (std::size_t i = 0; i < trace.events.size(); ++i)
        if (s.add(trace.events[i])) b.add(i + 1, trace.events[i]);
    return b.finish();
}

} // namespace pipescope

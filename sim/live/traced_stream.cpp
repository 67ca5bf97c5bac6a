// SPDX-License-Identifier: MIT
// TracedStream: holds calls back until their results are known, then tells converter and rings of them in order.
#include "sim/live/traced_stream.hpp"
#include <algorithm>
#include <limits>
#include <time.h>

namespace pipescope {
namespace {

constexpr std::uint64_t patience_ns = 1'000'000'000; // a call that takes longer is told of without its result
constexpr std::size_t most_held = 1 << 20;           // edges

RecordedWorld inferred_world() {
    RecordedWorld w;
    w.source = RingSource::inferred;
    return w;
}

} // namespace

TracedStream::TracedStream(EventStream& stream, std::uint64_t start_ns)
    : stream_(stream), start_ns_(start_ns), world_(inferred_world()), converter_(facts_, users_, world_, stream.strings, start_ns) {}

std::size_t TracedStream::entered(const TracedCall& call) {
    const std::size_t number = next_++;
    calls_[number].call = call;
    edges_.push_back({call.info.head.t_ns, number, enters});
    return number;
}

void TracedStream::left(std::size_t number, const TracedCall& call) {
    const auto held = calls_.find(number);
    if (held == calls_.end()) return;
    held->second.call = call;
    if (call.sleeps) {
        const SleepSpan span = sleep_span(inferred(call, false));
        edges_.push_back({span.from_ns, number, sleeps});
        edges_.push_back({span.to_ns, number, wakes});
    }
    edges_.push_back({call.exit_ns, number, returns});
}

void TracedStream::asleep(std::size_t number) {
    if (const auto held = calls_.find(number); held != calls_.end()) held->second.asleep = true;
}

void TracedStream::task(const rec_task& record) {
    const std::size_t number = next_++;
    tasks_[number] = record;
    edges_.push_back({record.head.t_ns, number, task_changes});
}

void TracedStream::tell(bool all) {
    const std::uint64_t now = clock_ns(CLOCK_MONOTONIC);
    std::uint64_t until = std::numeric_limits<std::uint64_t>::max();
    if (!all && edges_.size() < most_held)
        for (const auto& [number, held] : calls_)
            if (!held.call.exit_ns && now - held.call.info.head.t_ns < patience_ns) until = std::min(until, held.call.info.head.t_ns);
    std::stable_sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) { return a.t_ns < b.t_ns; });
    std::size_t n = 0;
    for (; n < edges_.size() && edges_[n].t_ns < until; ++n) {
        edge(edges_[n]);
        stream_.flush();
    }
    edges_.erase(edges_.begin(), edges_.begin() + static_cast<std::ptrdiff_t>(n));
}

void TracedStream::edge(const Edge& e) {
    if (e.what == task_changes) {
        converter_.add(tasks_.at(e.number).head, stream_.events);
        tasks_.erase(e.number);
        return;
    }
    const auto held = calls_.find(e.number);
    if (held == calls_.end()) return;
    rec_call record{};
    record.info = held->second.call.info;
    record.info.head.t_ns = e.t_ns;
    record.info.head.kind = e.what == enters ? rec_enter : rec_exit;
    if (e.what == sleeps || e.what == wakes) return sleep(held->second.call, e.t_ns, e.what == sleeps);
    if (e.what == enters) {
        converter_.add(record.info.head, stream_.events);
        if (held->second.call.exit_ns) begin(held->second);
        else if (held->second.asleep) sleep(held->second.call, e.t_ns, true);
        return;
    }
    if (!held->second.began) begin(held->second);
    end(held->second, e.t_ns);
    converter_.add(record.info.head, stream_.events);
    calls_.erase(held);
}

void TracedStream::sleep(const TracedCall& call, std::uint64_t t_ns, bool begins) {
    rec_small record{};
    record.head = call.info.head;
    record.head.t_ns = t_ns, record.head.kind = begins ? rec_off_cpu : rec_on_cpu;
    record.what = 1; // interruptibly
    converter_.add(record.head, stream_.events);
}

RingInference& TracedStream::ring(PipeId pipe) {
    const auto at = rings_.find(pipe);
    if (at != rings_.end()) return at->second;
    return rings_
        .try_emplace(pipe, pipe, pipe_def_buffers, std::vector<std::uint64_t>{}, stream_.strings.intern(again_note), stream_.events, &next_page_)
        .first->second;
}

InferredCall TracedStream::inferred(const TracedCall& call, bool other) const {
    InferredCall c;
    c.task = converter_.task_of(call.info.head.tid);
    c.fd = call.info.fd;
    c.call.sys = sys_of_number(call.info.nr);
    c.call.addr = call.info.addr, c.call.len = call.info.len, c.call.result = call.info.result;
    c.call.enter_ns = call.info.head.t_ns, c.call.exit_ns = call.exit_ns, c.call.asleep_ns = call.asleep_ns;
    c.call.queued = call.queued, c.call.size = call.size, c.call.observed_ns = call.observed_ns;
    c.into = call.into || other;
    return c;
}

void TracedStream::begin(Held& h) {
    h.began = true;
    const PipeId pipe = converter_.pipe_of(h.call.info.pipe);
    if (pipe == no_id) return; // a stranger's, or one that only closed its ends
    ring(pipe).begin(inferred(h.call, false));
    if (const PipeId other = h.call.other ? converter_.pipe_of(h.call.other) : no_id; other != no_id) ring(other).begin(inferred(h.call, true));
}

void TracedStream::end(Held& h, std::uint64_t t_ns) {
    const PipeId pipe = converter_.pipe_of(h.call.info.pipe);
    if (pipe == no_id) return;
    ring(pipe).end(inferred(h.call, false), since(t_ns), h.call.observed_ns != 0);
    if (const PipeId other = h.call.other ? converter_.pipe_of(h.call.other) : no_id; other != no_id)
        ring(other).end(inferred(h.call, true), since(t_ns), false);
}

} // namespace pipescope

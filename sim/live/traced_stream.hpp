// SPDX-License-Identifier: MIT
// Traced calls to events, with the rings that their results imply, while the run goes on.
#pragma once
#include "sim/live/convert.hpp"
#include "sim/live/event_stream.hpp"
#include "sim/live/infer.hpp"
#include "sim/live/tracer.hpp"
#include <deque>

namespace pipescope {

class TracedStream {
public:
    TracedStream(EventStream& stream, std::uint64_t start_ns);
    RecordConverter& converter() { return converter_; }
    std::size_t entered(const TracedCall& call);
    void left(std::size_t number, const TracedCall& call);
    void asleep(std::size_t number); // a call that has not returned
    void task(const rec_task& record);
    // Tells of what is past: a call is told of at its beginning, so as long as its result may come soon it is waited for.
    void tell(bool all = false);

private:
    enum What : std::uint8_t { enters, sleeps, wakes, returns, task_changes };
    struct Edge {
        std::uint64_t t_ns;
        std::size_t number; // of the call, or of the task record
        What what;
    };
    struct Held { // a call not told of to its end
        TracedCall call;
        bool began = false; // told to the ring, with its result
        bool asleep = false; // and has not returned
    };
    void edge(const Edge& e);
    void sleep(const TracedCall& call, std::uint64_t t_ns, bool begins);
    void begin(Held& h);
    void end(Held& h, std::uint64_t t_ns);
    RingInference& ring(PipeId pipe);
    InferredCall inferred(const TracedCall& call, bool other) const;
    std::uint64_t since(std::uint64_t t_ns) const { return t_ns > start_ns_ ? t_ns - start_ns_ : 0; }

    EventStream& stream_;
    std::uint64_t start_ns_;
    LiveFacts facts_;
    FrameUsers users_;
    RecordedWorld world_;
    RecordConverter converter_;
    std::unordered_map<std::size_t, Held> calls_;
    std::unordered_map<std::size_t, rec_task> tasks_;
    std::vector<Edge> edges_; // in order of time when told
    std::map<PipeId, RingInference> rings_;
    PageId next_page_ = zero_page + 1;
    std::size_t next_ = 0;
};

} // namespace pipescope

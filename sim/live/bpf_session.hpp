// SPDX-License-Identifier: MIT
// A recording by BPF while it goes on: loads the programs, empties the ring buffer in time, and turns records into events.
#pragma once
#include "sim/live/capture_bpf.hpp"
#include "sim/live/convert.hpp"
#include "sim/live/event_stream.hpp"

namespace pipescope {

class BpfSession {
public:
    explicit BpfSession(EventStream& stream) : stream_(stream) {}
    ~BpfSession();
    bool open(const Sampling& sampling, std::string& why); // `why` not, in one sentence
    BpfCapture& capture() { return *capture_; }
    RingReader& ring() { return *ring_; }
    RecordConverter& converter() { return *converter_; }
    std::string name() const { return capture_->stages() ? "bpf+fentry" : "bpf"; }
    std::string reason() const; // what is missing of all that this capture can show; empty for nothing

    void begin(const RecordedWorld& world, const FrameUsers& users, std::uint64_t start_ns);
    long turn(); // to be called over and over while the run goes on; gives the milliseconds until it should be again
    void end(RecordSummary& summary);

private:
    void convert(std::uint64_t before_ns);

    EventStream& stream_;
    std::unique_ptr<RingReader> ring_;
    std::unique_ptr<BpfCapture> capture_;
    std::unique_ptr<RecordConverter> converter_;
    Sampling sampling_;
    std::uint64_t converted_ns_ = 0;
    int priority_ = 0;
};

} // namespace pipescope

// SPDX-License-Identifier: MIT
// The BPF recorder's user half: loads and attaches the programs, empties the ring buffer.
#pragma once
#include "sim/live/event_stream.hpp"
#include "sim/live/record_queue.hpp"
#include <functional>
#include <memory>
#include <string>
#include <sys/types.h>

namespace pipescope {

class BpfCapture {
public:
    // Nothing with `why`, one sentence, when it is not permitted or not built.
    static std::unique_ptr<BpfCapture> open(const Sampling& sampling, std::string& why);
    ~BpfCapture();
    // This process from now on, and what it starts; with `thread` a single thread of one.
    bool record(pid_t pid, std::string& why, bool thread = false);
    bool attach(std::string& why);
    void detach();

    void drain(); // moves what the ring buffer holds to records(), some of it when it is much
    RecordQueue& records() { return records_; }
    std::uint64_t lost() const;   // records that found no room, and programs that could not run
    std::uint64_t missed() const; // tasks that were started and could not be followed
    std::uint64_t taken() const { return taken_; }           // records so far
    std::vector<RecordSummary::Program> programs() const;    // what they spent, until detach()
    // Called for each record as soon as it is taken from the ring buffer.
    void on_arrival(std::function<void(const rec_head&)> look) { look_ = std::move(look); }
    bool stages() const { return stages_; } // times inside the calls are measured: the capture bpf+fentry
    // Which of the programs are missing, each with the reason; empty: the recording has everything.
    const std::string& missing() const { return missing_; }

private:
    BpfCapture();
    struct Impl;
    std::unique_ptr<Impl> impl_;
    std::string missing_;
    RecordQueue records_;
    std::uint64_t taken_ = 0;
    bool stages_ = false;
    std::function<void(const rec_head&)> look_;
};

} // namespace pipescope

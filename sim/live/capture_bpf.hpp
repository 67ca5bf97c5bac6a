// SPDX-License-Identifier: MIT
// The BPF recorder's user half: loads and attaches the programs, empties the ring buffer.
#pragma once
#include "sim/live/record_queue.hpp"
#include <memory>
#include <string>
#include <sys/types.h>

namespace pipescope {

class BpfCapture {
public:
    // Nothing with `why`, one sentence, when it is not permitted or not built.
    static std::unique_ptr<BpfCapture> open(std::uint64_t pipe_address, std::string& why);
    ~BpfCapture();
    bool record(pid_t pid, std::string& why); // this process from now on
    bool attach(std::string& why);
    void detach();

    void drain(); // moves what the ring buffer holds to records(), some of it when it is much
    RecordQueue& records() { return records_; }
    std::uint64_t lost() const; // records that found no room
    // Which of the programs are missing, each with the reason; empty: the recording has everything.
    const std::string& missing() const { return missing_; }

private:
    BpfCapture();
    struct Impl;
    std::unique_ptr<Impl> impl_;
    std::string missing_;
    RecordQueue records_;
};

} // namespace pipescope

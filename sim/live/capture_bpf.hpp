// SPDX-License-Identifier: MIT
// The BPF recorder's user half: loads and attaches the programs, empties the ring buffer, puts records in order of time.
#pragma once
#include "sim/bpf/shared.h"
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace pipescope {

class BpfCapture {
public:
    // Nothing with `why`, one sentence, when it is not permitted or not built.
    static std::unique_ptr<BpfCapture> open(std::uint64_t pipe_address, std::string& why);
    ~BpfCapture();
    bool record(pid_t pid, std::string& why); // this process from now on
    bool attach(std::string& why);
    void detach();

    void drain(); // takes what the ring buffer holds
    // Hands out what was drained and is older than this, in order of time, and forgets it. `use` may drain.
    void take(std::uint64_t before_ns, const std::function<void(const rec_head&)>& use);
    std::size_t waiting_bytes() const { return waiting_bytes_; } // drained, not yet handed out
    std::uint64_t lost() const;                                  // records that found no room
    // Which of the programs are missing, each with the reason; empty: the recording has everything.
    const std::string& missing() const { return missing_; }

private:
    BpfCapture();
    struct Impl;
    struct Waiting {
        std::uint64_t t_ns;
        const std::byte* record;
        std::size_t size;
    };
    std::byte* room(std::size_t bytes);
    void keep(const void* record, std::size_t size);

    std::unique_ptr<Impl> impl_;
    std::string missing_;
    std::vector<Waiting> waiting_;
    std::vector<std::unique_ptr<std::byte[]>> chunks_;
    std::size_t chunk_used_ = 0, waiting_bytes_ = 0;
};

} // namespace pipescope

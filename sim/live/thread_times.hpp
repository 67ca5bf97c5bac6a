// SPDX-License-Identifier: MIT
// What the kernel counts of a thread's time and switches: in /proc, for everybody to read.
#pragma once
#include <cstdint>
#include <optional>
#include <sys/types.h>

namespace pipescope {

struct ThreadTimes {
    std::uint64_t cpu_ns = 0, ready_ns = 0; // on a CPU; able to run and waiting for one
    std::uint64_t voluntary = 0;            // switches away from the CPU that it asked for: it slept, or stopped
    bool asleep = false;                    // now, interruptibly
};

class ThreadTimesReader {
public:
    ThreadTimesReader() = default;
    explicit ThreadTimesReader(pid_t tid);
    ~ThreadTimesReader();
    ThreadTimesReader(ThreadTimesReader&& other) noexcept;
    ThreadTimesReader& operator=(ThreadTimesReader&& other) noexcept;
    bool open() const { return status_ >= 0; }
    // Nothing when the thread is gone, or this kernel does not count.
    std::optional<ThreadTimes> read() const;

private:
    int times_ = -1, status_ = -1; // schedstat and status, kept open
};

} // namespace pipescope

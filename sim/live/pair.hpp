// SPDX-License-Identifier: MIT
// The built-in writer and reader: two real processes with a real pipe between them, held at a gate until they are recorded.
#pragma once
#include "core/stage.hpp"
#include "core/types.hpp"
#include "sim/live/pair_options.hpp"
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <sys/types.h>

namespace pipescope {

// One call as its own process saw it.
struct LoggedCall {
    std::uint64_t enter_ns = 0, exit_ns = 0; // CLOCK_MONOTONIC
    std::uint64_t addr = 0, len = 0;
    std::int64_t result = 0;
    Sys sys = Sys::none;
    std::uint32_t flags = 0;
    std::uint32_t again = 0;                    // of a call that gave EAGAIN: how many more of its row did, not in the log
    std::uint32_t queued = no_id, size = no_id; // FIONREAD and F_GETPIPE_SZ right after it
    std::uint64_t observed_ns = 0;              // when these two were known; 0: they are not
    std::uint32_t sleeps = 0;                   // times it slept in it, by the switches that were counted
    std::uint64_t asleep_ns = 0;                // … in all, as far as the time on a CPU tells
};

enum Side : std::size_t { side_writer, side_reader };

// What a process tells of itself; lies in memory that all three share, each side in cache lines of its own.
struct alignas(128) SideReport {
    pid_t pid = 0;
    std::uint32_t ready = 0, done = 0, cpu = 0;
    std::uint64_t buffer = 0, buffer_bytes = 0; // whole pages, all of its buffers are in
    std::uint64_t bytes = 0;                    // moved
    std::uint64_t logged = 0, log_lost = 0;
    std::uint64_t start_ns = 0, end_ns = 0;   // CLOCK_MONOTONIC: from the gate to its last byte
    std::uint64_t sleeps = 0;                 // voluntary context switches meanwhile
    char error[160] = {};                     // why it stopped early; empty: it did not
};

class Pair {
public:
    // Forks both; they prepare their memory and wait. Nothing with `error`, one sentence, when that fails.
    static std::unique_ptr<Pair> start(const PairOptions& options, bool log_calls, std::string& error);
    ~Pair();        // ends what still runs
    void go();      // opens the gate, gives this process's own ends away
    bool running();
    void wait(); // until neither lives; for when nobody else is to be woken meanwhile // false when both have ended
    void stop();    // the writer writes no more; the reader ends when the pipe is empty

    int read_end() const { return fds_[0]; }                  // until go()
    int pipe_fd(Side side) const { return child_fds_[side]; } // its number in that process
    std::uint64_t inode() const { return inode_; }
    std::uint32_t slots() const { return slots_; }
    const SideReport& report(Side side) const;
    // Frame numbers of its buffers' pages, before the run and after it; 0 where unknown.
    std::span<const std::uint64_t> frames_before(Side side) const;
    std::span<const std::uint64_t> frames_after(Side side) const;
    std::span<const LoggedCall> log(Side side) const;
    std::string error() const; // of either process

private:
    struct Shared;
    Pair() = default;
    std::array<int, 2> fds_{-1, -1}, child_fds_{-1, -1};
    std::uint64_t inode_ = 0;
    std::uint32_t slots_ = 0;
    std::uint64_t pages_ = 0, log_capacity_ = 0, mapped_ = 0;
    Shared* shared_ = nullptr;
    std::array<bool, 2> reaped_{};

    friend class PairChild;
    std::uint64_t* frames(Side side, bool after) const;
    LoggedCall* log_of(Side side) const;
};

} // namespace pipescope

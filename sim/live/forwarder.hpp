// SPDX-License-Identifier: MIT
// The built-in forwarder: for each connection a sender, a worker and a receiver, real processes with TCP on loopback between them.
#pragma once
#include "sim/live/forward_options.hpp"
#include <array>
#include <memory>
#include <sys/types.h>
#include <vector>

namespace pipescope {

enum class ForwardRole : std::uint8_t { sender, worker, receiver };

// What one of them tells of itself; lies in memory that all share, each in cache lines of its own.
struct alignas(128) ForwardReport {
    pid_t pid = 0;
    std::uint32_t ready = 0, done = 0;
    std::uint64_t bytes = 0;     // sent, passed on, received
    std::uint64_t sum = 0;       // of a receiver that verifies: of its bytes
    std::uint64_t calls = 0, agains = 0; // that move bytes; of them those that gave EAGAIN
    std::uint64_t end_ns = 0;    // CLOCK_MONOTONIC: after its last byte
    double user_s = 0, system_s = 0;                // CPU time from the gate on
    std::uint64_t sleeps = 0, pushed = 0;           // voluntary and other context switches meanwhile
    char error[160] = {};        // why it stopped early; empty: it did not
};

class Forwarder {
public:
    // Connects everything and forks; they wait at a gate. Nothing with `error`, one sentence, when that fails.
    static std::unique_ptr<Forwarder> start(const ForwardOptions& options, std::string& error);
    ~Forwarder();       // ends what still runs
    void go();          // opens the gate; this process has no socket and no pipe any more
    bool running();
    // Until all have ended; once one of them has failed the others are ended.
    void wait();
    const ForwardReport& report(ForwardRole role, std::uint32_t connection) const;
    std::uint64_t start_ns() const { return start_ns_; } // CLOCK_MONOTONIC: the gate
    const std::string& error() const { return error_; } // of the first that failed, or what is wrong with what arrived; after wait()

private:
    struct Shared;
    friend class ForwardTask;
    Forwarder(const ForwardOptions& options) : options_(options) {}
    ForwardReport& report_of(std::size_t n) const; // by role, then by connection
    std::size_t tasks() const { return std::size_t{3} * options_.connections; }
    bool connect_all(std::string& error);
    bool open_pipes(std::string& error);
    bool fork_all(std::string& error);
    void close_all();
    void reap(std::size_t n, int flags);
    void check_arrived();

    ForwardOptions options_;
    struct Ends {
        int sender = -1, in = -1, out = -1, receiver = -1; // sockets: the sender's, the worker's two, the receiver's
        std::array<int, 2> pipe{-1, -1};                   // the worker's; a shared one is the first connection's
    };
    std::vector<Ends> ends_;
    Shared* shared_ = nullptr;
    std::size_t mapped_ = 0;
    std::vector<bool> reaped_;
    std::uint64_t start_ns_ = 0;
    std::string error_;
};

} // namespace pipescope

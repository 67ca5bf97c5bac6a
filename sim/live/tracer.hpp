// SPDX-License-Identifier: MIT
// Records without privileges: stops the tasks of a command at the system calls that they do on pipes, by ptrace.
#pragma once
#include "sim/bpf/shared.h"
#include "sim/live/command.hpp"
#include "sim/live/thread_times.hpp"
#include <functional>
#include <map>
#include <unordered_map>

namespace pipescope {

// A call as the tracer saw it. `info` as the BPF recorder has it, with a number made of device and inode for the address of
// the pipe.
struct TracedCall {
    rec_call_info info{};
    std::uint64_t exit_ns = 0;                  // 0: still inside
    std::uint32_t queued = ~0u, size = ~0u;     // FIONREAD and F_GETPIPE_SZ right after it, ~0 unknown
    std::uint64_t observed_ns = 0;              // when these two were known
    std::uint64_t other = 0;                    // the second pipe of a splice or tee, which it goes into; 0 none
    bool into = false;                          // a splice into the pipe
    std::uint32_t sleeps = 0;                   // times it slept in it, by the switches that were counted
    std::uint64_t asleep_ns = 0;                // … in all: what its CPU time and its waits for a CPU leave of the call
};

class Tracer {
public:
    struct Uses {
        std::function<std::size_t(const TracedCall&)> entered; // gives a number for it
        std::function<void(std::size_t, const TracedCall&)> left;
        std::function<void(std::size_t)> asleep; // it is still inside, and has slept since it was looked at last
        std::function<void(const rec_task&)> task;
        std::function<bool()> tick; // now and then; false ends the tracing
    };
    Tracer(Command& command, Uses uses) : command_(command), uses_(std::move(uses)) {}
    ~Tracer();
    bool seize(std::string& why); // the command at its gate, or all threads of the process
    // Until the command ends, or tick() says so. What is traced goes on as it is. False when the command could not be run.
    bool run(std::string& error);

private:
    struct Tracee {
        pid_t tgid = 0;
        bool in_call = false;
        std::size_t number = 0;
        TracedCall call;
        std::uint32_t again = 0; // EAGAIN results in a row that were not told
        std::uint32_t last_nr = 0, last_fd = 0;
        bool was_again = false;
        ThreadTimesReader times;
        std::optional<ThreadTimes> before; // at the entry of the call, or when it was looked at
        std::uint64_t before_ns = 0;
        std::uint32_t stops = 0;         // since then; each is a switch too
        bool looked_asleep = false;      // at the last look
    };
    struct Descriptor {
        std::uint64_t key = 0, ino = 0; // of device and inode, 0: no pipe
        std::uint32_t flags = 0;
    };
    void stopped(pid_t tid, int status);
    void at_call(pid_t tid, Tracee& t);
    void entered(pid_t tid, Tracee& t, std::uint64_t nr, const std::uint64_t* args);
    void left(pid_t tid, Tracee& t, std::int64_t result);
    void observe(Tracee& t);
    void count_sleeps(Tracee& t);
    void look();
    void forget(Tracee& t, std::uint64_t nr, const std::uint64_t* args);
    const Descriptor& descriptor(pid_t tid, pid_t tgid, std::uint32_t fd);
    void resume(pid_t tid, int signal);
    void tell(rec_kind kind, pid_t tid, pid_t other, pid_t tgid);
    void leave();

    Command& command_;
    Uses uses_;
    std::unordered_map<pid_t, Tracee> tracees_;
    std::map<std::pair<pid_t, std::uint32_t>, Descriptor> descriptors_; // by tgid and number
    std::unordered_map<pid_t, int> pidfds_;
    bool leaving_ = false, became_ = false;
};

} // namespace pipescope

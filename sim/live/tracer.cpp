// SPDX-License-Identifier: MIT
// The tracer's loop: who stopped and why.
#include "sim/live/tracer.hpp"
#include "sim/live/event_stream.hpp"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace pipescope {
namespace {

// Without PTRACE_O_EXITKILL: when the tracer dies the kernel lets everything it traced go on.
constexpr long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC;
constexpr suseconds_t tick_us = 200'000;
constexpr int leaving_turns = 10; // of them until what does not stop is left to itself

long trace(int request, pid_t tid, unsigned long addr, unsigned long data) {
    return ::ptrace(static_cast<__ptrace_request>(request), tid, reinterpret_cast<void*>(addr), reinterpret_cast<void*>(data));
}

pid_t status_of(pid_t tid, const char* what, pid_t otherwise) { // a number of /proc/TID/status
    std::ifstream in(fmt::format("/proc/{}/status", tid));
    for (std::string line; std::getline(in, line);)
        if (line.starts_with(what)) return std::atoi(line.c_str() + std::strlen(what));
    return otherwise;
}
pid_t tgid_of(pid_t tid) { return status_of(tid, "Tgid:", tid); }

// waitpid() comes back now and then, also while nothing happens.
class Ticks {
public:
    Ticks() {
        struct sigaction action {};
        action.sa_handler = [](int) {};
        ::sigaction(SIGALRM, &action, &old_);
        const itimerval every{{0, tick_us}, {0, tick_us}};
        ::setitimer(ITIMER_REAL, &every, nullptr);
    }
    ~Ticks() {
        const itimerval never{};
        ::setitimer(ITIMER_REAL, &never, nullptr);
        ::sigaction(SIGALRM, &old_, nullptr);
    }

private:
    struct sigaction old_ {};
};

} // namespace

Tracer::~Tracer() {
    for (const auto& [tgid, fd] : pidfds_)
        if (fd >= 0) ::close(fd);
}

bool Tracer::seize(std::string& why) {
    const pid_t pid = command_.pid();
    for (const pid_t tid : command_.own() ? std::vector<pid_t>{pid} : threads_of(pid)) {
        if (trace(PTRACE_SEIZE, tid, 0, options)) {
            if (errno == ESRCH && tid != pid) continue; // a thread that ended meanwhile
            why = fmt::format("process {} cannot be traced: {}{}", tid, std::strerror(errno),
                errno == EPERM ? " (another tracer has it, or it is not yours)" : "");
            return false;
        }
        tracees_[tid].tgid = pid;
        trace(PTRACE_INTERRUPT, tid, 0, 0);
    }
    became_ = !command_.own();
    return true;
}

bool Tracer::run(std::string& error) {
    const Ticks ticks;
    if (command_.own()) command_.open_gate();
    int turns_left = leaving_turns;
    std::uint64_t told_ns = clock_ns(CLOCK_MONOTONIC);
    const auto tick = [&] {
        told_ns = clock_ns(CLOCK_MONOTONIC);
        look();
        if (!uses_.tick() && !leaving_) leave();
        return !leaving_ || --turns_left > 0;
    };
    while (!tracees_.empty()) {
        int status = 0;
        const pid_t tid = ::waitpid(-1, &status, __WALL);
        if (tid < 0 && errno != EINTR) break;
        if (tid < 0 || clock_ns(CLOCK_MONOTONIC) - told_ns > tick_us * 1000ull)
            if (!tick()) break;
        if (tid < 0) continue;
        if (WIFSTOPPED(status)) {
            stopped(tid, status);
            continue;
        }
        const auto t = tracees_.find(tid);
        if (t != tracees_.end()) {
            tell(rec_gone, tid, tid, t->second.tgid);
            tracees_.erase(t);
        }
        if (tid != command_.pid()) continue;
        if (command_.own()) command_.ended(status);
        if (!leaving_) leave(); // with the command ends what is recorded of it
    }
    return became_ || command_.became(error);
}

// From here on each task is let go when it stops next, which is asked of it.
void Tracer::leave() {
    leaving_ = true;
    for (const auto& [tid, t] : tracees_) trace(PTRACE_INTERRUPT, tid, 0, 0);
}

void Tracer::resume(pid_t tid, int signal) {
    if (!leaving_) {
        trace(PTRACE_SYSCALL, tid, 0, static_cast<unsigned long>(signal));
        return;
    }
    trace(PTRACE_DETACH, tid, 0, static_cast<unsigned long>(signal));
    tracees_.erase(tid);
}

void Tracer::stopped(pid_t tid, int status) {
    if (!tracees_.contains(tid)) { // a child that stops before its parent tells of it
        const pid_t tgid = tracees_[tid].tgid = tgid_of(tid);
        tell(rec_fork, tgid == tid ? status_of(tid, "PPid:", tid) : tgid, tid, tgid);
    }
    const int signal = WSTOPSIG(status), event = status >> 16;
    ++tracees_[tid].stops;
    unsigned long message = 0;
    switch (event) {
    case 0:
        if (signal != (SIGTRAP | 0x80)) return resume(tid, signal);
        at_call(tid, tracees_[tid]);
        return resume(tid, 0);
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
    case PTRACE_EVENT_CLONE: {
        trace(PTRACE_GETEVENTMSG, tid, 0, reinterpret_cast<unsigned long>(&message));
        const auto child = static_cast<pid_t>(message);
        if (!tracees_.contains(child)) {
            tracees_[child].tgid = tgid_of(child);
            tell(rec_fork, tid, child, tracees_[child].tgid);
        }
        return resume(tid, 0);
    }
    case PTRACE_EVENT_EXEC: {
        trace(PTRACE_GETEVENTMSG, tid, 0, reinterpret_cast<unsigned long>(&message));
        if (message && static_cast<pid_t>(message) != tid) tracees_.erase(static_cast<pid_t>(message)); // it became the leader
        std::erase_if(descriptors_, [&](const auto& d) { return d.first.first == tid; });
        tracees_[tid] = Tracee{};
        tracees_[tid].tgid = tid;
        std::string ignored;
        if (tid == command_.pid()) became_ = true;
        tell(rec_exec, message ? static_cast<pid_t>(message) : tid, tid, tid);
        return resume(tid, 0);
    }
    case PTRACE_EVENT_STOP:
        if (!leaving_ && (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU)) {
            trace(PTRACE_LISTEN, tid, 0, 0); // stopped by job control: it stays so
            return;
        }
        return resume(tid, 0);
    default: return resume(tid, 0);
    }
}

void Tracer::tell(rec_kind kind, pid_t tid, pid_t other, pid_t tgid) {
    rec_task record{};
    record.head.t_ns = clock_ns(CLOCK_MONOTONIC);
    record.head.tid = static_cast<std::uint32_t>(tid), record.head.kind = static_cast<std::uint16_t>(kind);
    record.other = static_cast<std::uint32_t>(other), record.tgid = static_cast<std::uint32_t>(tgid);
    const std::string name = kind == rec_gone ? "" : name_of(other);
    name.copy(record.comm, sizeof record.comm - 1);
    uses_.task(record);
}

void Tracer::at_call(pid_t tid, Tracee& t) {
    __ptrace_syscall_info info{};
    if (trace(PTRACE_GET_SYSCALL_INFO, tid, sizeof info, reinterpret_cast<unsigned long>(&info)) <= 0) return;
    std::uint64_t args[6];
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
        for (int i = 0; i < 6; ++i) args[i] = info.entry.args[i];
        entered(tid, t, info.entry.nr, args);
    } else if (info.op == PTRACE_SYSCALL_INFO_EXIT && t.in_call) {
        left(tid, t, info.exit.rval);
    }
}

} // namespace pipescope

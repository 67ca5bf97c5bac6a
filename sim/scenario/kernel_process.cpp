// SPDX-License-Identifier: MIT
// The copy, the line between it and this process, and its end.
#include "sim/scenario/kernel_process.hpp"
#include "sim/live/ring_reader.hpp"
#include "sim/scenario/kernel_hugetlb.hpp"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pipescope {

RingReader* shared_ring_reader() {
    static std::string why;
    static const std::unique_ptr<RingReader> reader = RingReader::open(why);
    return reader.get();
}

namespace {

constexpr int grace_ms = 200; // for a copy to end by itself, when it is no longer wanted

bool send_all(int line, const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t n = ::send(line, text.data() + done, text.size() - done, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += static_cast<std::size_t>(n);
    }
    return true;
}

[[noreturn]] void child(const std::function<KernelProcess::Work()>& begin, int line) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody asks any more
    const KernelProcess::Work work = begin();
    for (char go = 0;;) {
        const ssize_t n = ::read(line, &go, 1);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0 || !send_all(line, work() + "\n")) ::_exit(0);
    }
}

// poll() for reading, whatever signals come; -1: without end.
bool readable(int fd, int wait_ms) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::milliseconds(wait_ms);
    for (pollfd f{.fd = fd, .events = POLLIN, .revents = 0};;) {
        const int n = ::poll(&f, 1, wait_ms);
        if (n >= 0 || errno != EINTR) return n > 0;
        if (wait_ms > 0) wait_ms = static_cast<int>(std::max<long>(0, std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count()));
    }
}

} // namespace

std::unique_ptr<KernelProcess> KernelProcess::start(const std::function<Work()>& begin, std::string& error) {
    int line[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) < 0) return error = std::string("no line to a process: ") + std::strerror(errno), nullptr;
    shared_ring_reader(); // before the process is copied
    HugetlbRoom::open();
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::close(line[0]);
        child(begin, line[1]);
    }
    ::close(line[1]);
    if (pid < 0) {
        ::close(line[0]);
        return error = std::string("no process for what runs on the kernel: ") + std::strerror(errno), nullptr;
    }
    return std::unique_ptr<KernelProcess>(new KernelProcess(pid, line[0]));
}

KernelProcess::~KernelProcess() {
    end(grace_ms);
    ::close(line_);
}

std::string KernelProcess::end(int grace) {
    if (pid_ <= 0) return "";
    ::shutdown(line_, SHUT_RDWR); // a close would not tell it where other copies have this end too
    const int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
    if (fd < 0 || !readable(fd, grace)) ::kill(pid_, SIGKILL);
    if (fd >= 0) ::close(fd);
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = 0;
    HugetlbRoom::give_back();
    return WIFSIGNALED(status) ? std::string("its process was ended by ") + ::strsignal(WTERMSIG(status)) : "its process has ended";
}

bool KernelProcess::ask() { return send_all(line_, "+"); }

KernelProcess::Got KernelProcess::take(int wait_ms, std::string& answer, std::string& why_gone) {
    using Clock = std::chrono::steady_clock;
    const auto until = Clock::now() + std::chrono::milliseconds(wait_ms);
    for (char block[65536];;) {
        if (const std::size_t n = text_.find('\n'); n != std::string::npos) {
            answer = text_.substr(0, n);
            text_.erase(0, n + 1);
            return Got::answer;
        }
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
        if (!readable(line_, static_cast<int>(std::max<long>(0, left)))) return Got::nothing_yet;
        const ssize_t n = ::read(line_, block, sizeof block);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        text_.append(block, static_cast<std::size_t>(n));
    }
    why_gone = end(grace_ms);
    return Got::gone;
}

std::string in_own_process(const std::function<std::string()>& job, int limit_ms, std::string& error) {
    const auto process = KernelProcess::start([&] { return job; }, error);
    std::string text;
    if (!process) return "";
    process->ask();
    if (process->take(limit_ms, text, error) == KernelProcess::Got::nothing_yet) error = "not over within " + std::to_string(limit_ms / 1000) + " s";
    return text;
}

} // namespace pipescope

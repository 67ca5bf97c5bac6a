// SPDX-License-Identifier: MIT
// A litmus case on the live kernel, in a process of its own: what goes wrong there stays there.
#include "sim/scenario/check.hpp"
#include "sim/running_kernel.hpp"
#include "sim/scenario/kernel_backend.hpp"
#include "sim/scenario/kernel_hugetlb.hpp"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pipescope {
namespace {

constexpr int time_limit_ms = 20'000; // of a whole case; the slowest known one takes a fiftieth of it

// Opening one takes most of the time of a short case: all cases share it, each in its own process, one at a time.
RingReader* ring_reader() {
    static std::string why;
    static const std::unique_ptr<RingReader> reader = RingReader::open(why);
    return reader.get();
}

[[noreturn]] void child(const std::string& path, int out) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody reads the result any more
    CaseResult r;
    r.file = path;
    r.on = "kernel";
    {
        KernelBackend kernel(ring_reader());
        if (const std::string why = kernel.unusable(); !why.empty()) {
            r.status = CaseStatus::skipped;
            r.message = why;
        } else {
            std::optional<KernelVersion> none; // this one is what it is
            r = play_case(path, kernel, running_kernel(), kernel.unknown(), none);
        }
        const std::string text = to_json(r);
        std::size_t done = 0;
        while (done < text.size()) {
            const ssize_t n = ::write(out, text.data() + done, text.size() - done);
            if (n <= 0) break;
            done += static_cast<std::size_t>(n);
        }
        ::_exit(0); // threads that still sleep in the kernel go with the process
    }
}

} // namespace

CaseResult check_on_kernel(const std::string& path) {
    CaseResult r;
    r.file = path;
    r.on = "kernel";
    const auto failed = [&](const std::string& why) {
        r.status = CaseStatus::failed;
        r.message = why;
        return r;
    };
    int p[2];
    if (::pipe2(p, O_CLOEXEC) < 0) return failed(std::string("no pipe for the result: ") + std::strerror(errno));
    ring_reader(); // before the process is copied
    HugetlbRoom::open();
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::close(p[0]);
        child(path, p[1]);
    }
    ::close(p[1]);
    if (pid < 0) {
        ::close(p[0]);
        return failed(std::string("no process for the case: ") + std::strerror(errno));
    }
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::milliseconds(time_limit_ms);
    std::string text;
    bool in_time = false;
    for (char block[4096];;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        pollfd f{.fd = p[0], .events = POLLIN, .revents = 0};
        if (left <= 0 || ::poll(&f, 1, static_cast<int>(left)) == 0) break;
        const ssize_t n = ::read(p[0], block, sizeof block);
        if (n < 0 && errno == EINTR) continue;
        in_time = n == 0;
        if (n <= 0) break;
        text.append(block, static_cast<std::size_t>(n));
    }
    ::close(p[0]);
    if (!in_time) ::kill(pid, SIGKILL);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (!in_time) return failed("not over within " + std::to_string(time_limit_ms / 1000) + " s");
    HugetlbRoom::give_back();
    if (from_json(text, r)) return r;
    return failed(WIFSIGNALED(status) ? std::string("its process was ended by ") + ::strsignal(WTERMSIG(status)) : "its process gave no result");
}

} // namespace pipescope

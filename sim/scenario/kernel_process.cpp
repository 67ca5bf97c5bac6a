// SPDX-License-Identifier: MIT
// The copy, the pipe that its result comes through, and its end.
#include "sim/scenario/kernel_process.hpp"
#include "sim/live/ring_reader.hpp"
#include "sim/scenario/kernel_hugetlb.hpp"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pipescope {

RingReader* shared_ring_reader() {
    static std::string why;
    static const std::unique_ptr<RingReader> reader = RingReader::open(why);
    return reader.get();
}

namespace {

[[noreturn]] void child(const std::function<std::string()>& job, int out) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody reads the result any more
    const std::string text = job();
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t n = ::write(out, text.data() + done, text.size() - done);
        if (n <= 0) break;
        done += static_cast<std::size_t>(n);
    }
    ::_exit(0);
}

} // namespace

std::string in_own_process(const std::function<std::string()>& job, int limit_ms, std::string& error) {
    int p[2];
    if (::pipe2(p, O_CLOEXEC) < 0) return error = std::string("no pipe for the result: ") + std::strerror(errno), "";
    shared_ring_reader(); // before the process is copied
    HugetlbRoom::open();
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::close(p[0]);
        child(job, p[1]);
    }
    ::close(p[1]);
    if (pid < 0) {
        ::close(p[0]);
        return error = std::string("no process for the case: ") + std::strerror(errno), "";
    }
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::milliseconds(limit_ms);
    std::string text;
    bool in_time = false;
    for (char block[65536];;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        pollfd f{.fd = p[0], .events = POLLIN, .revents = 0};
        const int ready = left <= 0 ? 0 : ::poll(&f, 1, static_cast<int>(left));
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) break;
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
    if (!in_time) return error = "not over within " + std::to_string(limit_ms / 1000) + " s", "";
    HugetlbRoom::give_back();
    if (WIFSIGNALED(status)) error = std::string("its process was ended by ") + ::strsignal(WTERMSIG(status));
    return text;
}

} // namespace pipescope

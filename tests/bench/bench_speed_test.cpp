// SPDX-License-Identifier: MIT
// The built-in pair beside the published speed test, in turns: bench_speed_test WRITE READ [ROUNDS [SECONDS]], the paths of its programs.
#include "sim/live/ladder_live.hpp"
#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace pipescope;

namespace {

std::vector<std::string> flags_of(const PairOptions& o) { // in that program's own names
    std::vector<std::string> f = {"--csv", fmt::format("--bytes_to_pipe={}", o.bytes), fmt::format("--buf_size={}", o.buffer)};
    if (o.vmsplice) f.push_back("--write_with_vmsplice");
    if (o.splice) f.push_back("--read_with_splice");
    if (o.huge_page) f.push_back("--huge_page");
    if (o.busy_loop) f.push_back("--busy_loop");
    if (o.untouched) f.push_back("--dont_touch_pages");
    return f;
}

pid_t start(const char* program, const std::vector<std::string>& flags, int cpu, int in, int out) {
    const pid_t child = ::fork();
    if (child) return child;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    ::sched_setaffinity(0, sizeof set, &set);
    ::dup2(in, STDIN_FILENO), ::dup2(out, STDOUT_FILENO);
    ::dup2(::open("/dev/null", O_WRONLY), STDERR_FILENO);
    ::close_range(3, ~0u, 0);
    std::vector<char*> argv = {const_cast<char*>(program)};
    for (const std::string& f : flags) argv.push_back(const_cast<char*>(f.c_str()));
    argv.push_back(nullptr);
    ::execv(program, argv.data());
    ::_exit(127);
}

double theirs(const char* write, const char* read, const PairOptions& o) { // GiB/s, as it prints them
    int pipe[2], result[2];
    if (::pipe2(pipe, O_CLOEXEC) || ::pipe2(result, O_CLOEXEC)) return 0;
    const auto flags = flags_of(o);
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    const pid_t w = start(write, flags, o.cpu[0], null, pipe[1]), r = start(read, flags, o.cpu[1], pipe[0], result[1]);
    for (const int fd : {pipe[0], pipe[1], result[1], null}) ::close(fd);
    char text[256] = {};
    for (std::size_t n = 0; n < sizeof text - 1;)
        if (const ssize_t got = ::read(result[0], text + n, sizeof text - 1 - n); got > 0) n += static_cast<std::size_t>(got);
        else break;
    ::close(result[0]);
    ::waitpid(w, nullptr, 0), ::waitpid(r, nullptr, 0);
    return std::strtod(text, nullptr);
}

double median(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 3) return fmt::print("the published speed test is not at hand: bench_speed_test WRITE READ [ROUNDS [SECONDS]]\n"), 0;
    const int rounds = argc > 3 ? std::atoi(argv[3]) : 9;
    const double seconds = argc > 4 ? std::atof(argv[4]) : 0.5;
    if (two_cpus()[0] < 0) return fmt::print("one CPU is not enough\n"), 0;
    fmt::print("{:20} {:>18} {:>18} {:>8} {:>22}   median of {} in turns, GiB/s\n", "", "published program", "built-in pair", "ratio",
        "median ratio of a turn", rounds);
    for (const Rung& rung : ladder_rungs()) {
        PairOptions o = pair_options(placed_at(rung.options, malloc_offset)); // as that program's own are
        o.cpu = two_cpus();
        o.bytes = 64 << 20;
        for (int i = 0; i < 2; ++i) // long enough
            if (const LiveRun r = run_live(o); r.error.empty())
                o.bytes = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(r.gib_per_s * seconds * (1 << 30)), 32 << 20, 32ull << 30) >> 18 << 18;
        std::vector<double> a, b, ratio;
        for (int i = 0; i < rounds; ++i) {
            const bool first = i % 2 == 0; // who comes first changes, too
            if (first) a.push_back(theirs(argv[1], argv[2], o));
            const LiveRun r = run_live(o);
            if (!r.error.empty()) return fmt::print("{}\n", r.error), 1;
            b.push_back(r.gib_per_s);
            if (!first) a.push_back(theirs(argv[1], argv[2], o));
            ratio.push_back(b.back() / a.back());
        }
        fmt::print("{:20} {:18.2f} {:18.2f} {:8.2f} {:22.2f}   {:.2f} GiB a run\n", rung.name, median(a), median(b), median(b) / median(a),
            median(ratio), static_cast<double>(o.bytes) / (1 << 30));
        std::fflush(stdout);
    }
    return 0;
}

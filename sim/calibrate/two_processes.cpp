// SPDX-License-Identifier: MIT
// fork(), shared memory, and CPUs that are given back afterwards; the time stamp counter.
#include "sim/calibrate/two_processes.hpp"
#include "sim/live/clock.hpp"
#include "sim/calibrate/clock.hpp"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace pipescope {
namespace {

constexpr double patience_ns = 30e9; // the other one may have to wait for its CPU, but not that long

} // namespace

double tick_ns() {
    static const double ns = [] {
        const std::uint64_t n0 = clock_ns(CLOCK_MONOTONIC), t0 = ticks();
        while (clock_ns(CLOCK_MONOTONIC) - n0 < 20'000'000) {}
        const std::uint64_t n1 = clock_ns(CLOCK_MONOTONIC), t1 = ticks();
        return static_cast<double>(n1 - n0) / static_cast<double>(t1 - t0);
    }();
    return ns;
}

double ticks_cost_ns() {
    static const double ns = [] {
        std::vector<double> all(1001);
        for (double& d : all) {
            const std::uint64_t t = ticks();
            d = static_cast<double>(ticks() - t) * tick_ns();
        }
        return measured_of(std::move(all)).ns;
    }();
    return ns;
}

Measured measured_of(std::vector<double> ns) {
    if (ns.empty()) return {};
    std::ranges::sort(ns);
    const auto at = [&](double share) { return ns[static_cast<std::size_t>(share * static_cast<double>(ns.size() - 1))]; };
    return {at(0.5), at(0.5) > 0 ? std::min(at(0.5) - at(0.25), at(0.75) - at(0.5)) / 0.6745 / at(0.5) : 0};
}

bool Meeting::wait_for(std::uint32_t n) const {
    std::uint64_t start = 0;
    for (std::uint32_t spins = 0; turn.load(std::memory_order_acquire) < n; ++spins) {
        if (failed.load(std::memory_order_relaxed)) return false;
        if (spins % 4096 != 4095) continue;
        if (!start) start = ticks();
        if (static_cast<double>(ticks() - start) * tick_ns() > patience_ns) return false;
    }
    return true;
}

bool meet(const int (&cpu)[2], const std::function<void(Meeting&)>& mine, const std::function<void(Meeting&)>& other,
    const std::function<void(const Meeting&)>& after, std::string& error) {
    tick_ns(), ticks_cost_ns(); // for both
    void* const memory = ::mmap(nullptr, sizeof(Meeting), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cpu_set_t before;
    if (memory == MAP_FAILED || ::sched_getaffinity(0, sizeof before, &before)) {
        error = fmt::format("two processes cannot meet: {}", std::strerror(errno));
        return false;
    }
    Meeting& m = *new (memory) Meeting;
    const pid_t child = ::fork();
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (pin_to(cpu[1])) other(m);
        else m.failed = static_cast<std::uint32_t>(errno);
        ::_exit(0);
    }
    if (child < 0 || !pin_to(cpu[0])) m.failed = static_cast<std::uint32_t>(errno);
    else mine(m);
    if (child > 0) {
        ::kill(child, SIGKILL); // it has done what it had to, or never will
        ::waitpid(child, nullptr, 0);
    }
    ::sched_setaffinity(0, sizeof before, &before);
    const std::uint32_t failed = m.failed;
    if (!failed) after(m);
    ::munmap(memory, sizeof(Meeting));
    if (failed) error = fmt::format("a measurement failed: {}", std::strerror(static_cast<int>(failed)));
    return !failed;
}

} // namespace pipescope

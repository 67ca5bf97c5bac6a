// SPDX-License-Identifier: MIT
// Micro-benchmarks, medians throughout: other load makes a few of many times long, and those do not count.
#include "sim/calibrate/units.hpp"
#include "sim/calibrate/clock.hpp"
#include "sim/calibrate/two_processes.hpp"
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pipescope {
namespace {

double ns_of(std::uint64_t t) { return static_cast<double>(t) * tick_ns(); }
void spin_ns(double ns) {
    const std::uint64_t t = ticks();
    while (ns_of(ticks() - t) < ns) {}
}

struct Pipes { // there and back
    int there[2]{-1, -1}, back[2]{-1, -1};
    Pipes() { ok = !::pipe2(there, O_CLOEXEC) && !::pipe2(back, O_CLOEXEC); }
    ~Pipes() {
        for (const int f : {there[0], there[1], back[0], back[1]})
            if (f >= 0) ::close(f);
    }
    bool ok = false;
};

} // namespace

double measure_syscall() {
    std::vector<double> all(401);
    for (double& d : all) {
        constexpr int times = 50;
        const std::uint64_t t = ticks();
        for (int i = 0; i < times; ++i) ::syscall(SYS_getppid);
        d = (ns_of(ticks() - t) - ticks_cost_ns()) / times;
    }
    return measured_of(std::move(all)).ns;
}

bool measure_line(const int (&cpu)[2], double& ns, std::string& error) {
    constexpr std::uint32_t rounds = 400, hops = 50;
    std::vector<double> all;
    const auto mine = [&](Meeting& m) {
        for (std::uint32_t r = 0, n = 0; r < rounds; ++r) {
            const std::uint64_t t = ticks();
            for (std::uint32_t i = 0; i < hops; ++i, n += 2) {
                m.turn.store(n + 1, std::memory_order_release);
                if (!m.wait_for(n + 2)) {
                    if (!m.failed) m.failed = ETIMEDOUT;
                    return;
                }
            }
            all.push_back(ns_of(ticks() - t) / (2 * hops));
        }
    };
    const auto other = [](Meeting& m) {
        for (std::uint32_t n = 1; m.wait_for(n); n += 2) m.turn.store(n + 1, std::memory_order_release);
    };
    return meet(cpu, mine, other, [&](const Meeting&) { ns = measured_of(all).ns; }, error);
}

bool measure_wake(const int (&cpu)[2], std::vector<WakeAfter>& into, std::string& error) {
    // One wait after another, and not in turns: a hypervisor that polls before it lets a CPU sleep learns for how long
    // from the last few. The first rounds of each are for learning.
    constexpr double wait_us[] = {0.4, 0.8, 1.2, 2, 4, 8, 15, 30, 60, 120, 320, 640, 1280};
    constexpr std::uint32_t learning = 80;
    const auto rounds = [](double wait) { return learning + (wait < 50 ? 400u : 80u); }; // the rare ones count where the rungs wait
    const Pipes p;
    if (!p.ok) {
        error = "no pipe is to be had";
        return false;
    }
    std::vector<std::vector<std::array<double, 2>>> all(std::size(wait_us));
    const auto writer = [&](Meeting& m) {
        std::uint32_t n = 0;
        for (std::size_t i = 0; i < std::size(wait_us); ++i)
            for (std::uint32_t r = 0; r < rounds(wait_us[i]); ++r) {
                if (!m.wait_for(++n)) { // it is about to read
                    if (!m.failed) m.failed = ETIMEDOUT;
                    return;
                }
                spin_ns(wait_us[i] * 1000);
                m.stamp.store(0);
                const std::uint64_t t = ticks();
                if (::write(p.there[1], "", 1) != 1) m.failed = EIO;
                const std::uint64_t after = ticks();
                std::uint64_t woke = 0;
                while (!(woke = m.stamp.load()) && !m.failed) {}
                if (r < learning) continue;
                all[i].push_back({ns_of(after - t) - ticks_cost_ns(), std::max(0.0, ns_of(woke - t) - ticks_cost_ns())});
            }
    };
    const auto reader = [&](Meeting& m) {
        char c;
        for (std::uint32_t n = 1;; ++n) {
            m.turn.store(n);
            if (::read(p.there[0], &c, 1) != 1) ::_exit(0);
            m.stamp.store(ticks());
        }
    };
    const auto after = [&](const Meeting&) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            std::vector<double> write, read;
            for (const auto& [w, r] : all[i]) write.push_back(w), read.push_back(r);
            std::ranges::sort(all[i]);
            into.push_back({wait_us[i], measured_of(std::move(write)), measured_of(std::move(read)), all[i]});
        }
    };
    return meet(cpu, writer, reader, after, error);
}

bool measure_switch(int cpu, double& ns, std::string& error) {
    const Pipes p;
    if (!p.ok) {
        error = "no pipe is to be had";
        return false;
    }
    constexpr int rounds = 200, hops = 20;
    std::vector<double> all;
    const int same[2] = {cpu, cpu};
    const auto mine = [&](Meeting& m) {
        char c = 0;
        for (int r = 0; r < rounds; ++r) {
            const std::uint64_t t = ticks();
            for (int i = 0; i < hops; ++i)
                if (::write(p.there[1], &c, 1) != 1 || ::read(p.back[0], &c, 1) != 1) m.failed = EIO;
            all.push_back(ns_of(ticks() - t) / (2 * hops));
        }
    };
    const auto other = [&](Meeting&) {
        char c = 0;
        while (::read(p.there[0], &c, 1) == 1 && ::write(p.back[1], &c, 1) == 1) {}
    };
    return meet(same, mine, other, [&](const Meeting&) { ns = measured_of(all).ns; }, error);
}

Interrupts measure_interrupts(int cpu) {
    constexpr double watch_ns = 3e8, least_ns = 400, most_ns = 20'000; // longer: another program had the CPU
    cpu_set_t before;
    Interrupts found;
    if (::sched_getaffinity(0, sizeof before, &before) || !pin_to(cpu)) return found;
    std::vector<double> gaps;
    double lost = 0;
    const std::uint64_t start = ticks();
    for (std::uint64_t last = start, now = start; ns_of(now - start) < watch_ns; last = now) {
        now = ticks();
        const double gap = ns_of(now - last);
        if (gap > most_ns) lost += gap;
        else if (gap > least_ns) gaps.push_back(gap);
    }
    ::sched_setaffinity(0, sizeof before, &before);
    if (gaps.empty()) return found;
    double sum = 0;
    for (const double g : gaps) sum += g;
    found.per_second = static_cast<double>(gaps.size()) / std::max(1e6, watch_ns - lost) * 1e9;
    found.mean_ns = sum / static_cast<double>(gaps.size());
    const Measured m = measured_of(std::move(gaps));
    found.spread = std::min(0.9, m.spread * m.ns / found.mean_ns * std::sqrt(3.0)); // of an even distribution with that deviation
    return found;
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Runs the pair unrecorded and reads the machine's own account of its time.
#include "sim/live/ladder_live.hpp"
#include "sim/live/pair.hpp"
#include <algorithm>
#include <fstream>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

namespace pipescope {
namespace {

constexpr std::uint64_t first_bytes = 32 << 20, most_bytes = 16ull << 30;
constexpr double run_seconds = 0.5;

// Of all CPUs since boot, in clock ticks: busy by anybody, and all together.
struct MachineTime {
    double busy = 0, all = 0;
    static MachineTime now() {
        std::ifstream stat("/proc/stat");
        std::string cpu;
        double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
        stat >> cpu >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
        const double busy = user + nice + system + irq + softirq + steal;
        return {busy, busy + idle + iowait};
    }
};

double own_ticks(int who) {
    rusage r{};
    ::getrusage(who, &r);
    const auto s = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
    return (s(r.ru_utime) + s(r.ru_stime)) * static_cast<double>(::sysconf(_SC_CLK_TCK));
}

} // namespace

double LiveRow::median(double LiveRun::*what) const {
    std::vector<double> v;
    for (const LiveRun& r : runs) v.push_back(r.*what);
    if (v.empty()) return 0;
    std::sort(v.begin(), v.end());
    return v.size() % 2 ? v[v.size() / 2] : (v[v.size() / 2 - 1] + v[v.size() / 2]) / 2;
}
double LiveRow::least() const {
    double v = runs.empty() ? 0 : runs[0].gib_per_s;
    for (const LiveRun& r : runs) v = std::min(v, r.gib_per_s);
    return v;
}
double LiveRow::most() const {
    double v = 0;
    for (const LiveRun& r : runs) v = std::max(v, r.gib_per_s);
    return v;
}

PairOptions pair_options(const SpeedOptions& o) {
    PairOptions p;
    p.vmsplice = o.vmsplice, p.splice = o.splice, p.huge_page = o.huge_page, p.busy_loop = o.busy_loop;
    p.same_buffer = o.same_buffer, p.untouched = !o.touch, p.buffer = o.buf_size;
    p.offset = o.offset;
    return p;
}

std::array<int, 2> two_cpus() {
    cpu_set_t set;
    if (::sched_getaffinity(0, sizeof set, &set)) return {-1, -1};
    std::array<int, 2> found{-1, -1};
    std::size_t n = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE && n < 2; ++cpu)
        if (CPU_ISSET(cpu, &set)) found[n++] = cpu;
    return n == 2 ? found : std::array<int, 2>{-1, -1};
}

LiveRun run_live(const PairOptions& options) {
    LiveRun run;
    const auto pair = Pair::start(options, false, run.error);
    if (!pair) return run;
    const MachineTime before = MachineTime::now();
    const double own_before = own_ticks(RUSAGE_SELF) + own_ticks(RUSAGE_CHILDREN);
    pair->go();
    pair->wait(); // and not look now and then: on a machine of few CPUs that disturbs a pair that sleeps
    const MachineTime after = MachineTime::now();
    const double own = own_ticks(RUSAGE_SELF) + own_ticks(RUSAGE_CHILDREN) - own_before;
    run.error = pair->error();
    const SideReport &w = pair->report(side_writer), &r = pair->report(side_reader);
    if (run.error.empty() && (r.bytes != options.bytes || !r.done)) run.error = "the reader died before its end";
    if (!run.error.empty()) return run;
    run.bytes = r.bytes;
    const auto bytes = static_cast<double>(r.bytes);
    run.gib_per_s = bytes / (1 << 30) / (static_cast<double>(r.end_ns - r.start_ns) * 1e-9);
    const double rings = bytes / (static_cast<double>(pair->slots()) * page_size);
    run.writer_sleeps = static_cast<double>(w.sleeps) / rings;
    run.reader_sleeps = static_cast<double>(r.sleeps) / rings;
    // The pair has made its buffers before `before`, but its whole time comes with its end: a little too much is its own.
    if (after.all > before.all) run.foreign = std::clamp((after.busy - before.busy - own) / (after.all - before.all), 0.0, 1.0);
    return run;
}

std::vector<LiveRow> run_ladder_live(const std::vector<const Rung*>& rungs, const LiveOptions& options) {
    std::vector<LiveRow> rows;
    std::vector<PairOptions> pairs;
    const auto run = [&](std::size_t i) {
        if (options.progress) options.progress(*rungs[i]);
        LiveRun r = run_live(pairs[i]);
        if (!r.error.empty()) rows[i].error = r.error;
        return r;
    };
    for (std::size_t i = 0; i < rungs.size(); ++i) {
        rows.push_back({rungs[i], {}, ""});
        pairs.push_back(pair_options(placed_at(rungs[i]->options, options.offset)));
        pairs[i].cpu = two_cpus(); // a CPU each, as published
        pairs[i].bytes = options.bytes ? options.bytes : first_bytes;
        if (options.bytes) continue;
        // Twice: the first one also wakes the machine up.
        for (int again = 0; again < 2 && rows[i].error.empty(); ++again)
            pairs[i].bytes = std::clamp(static_cast<std::uint64_t>(run(i).gib_per_s * run_seconds * (1 << 30)), first_bytes, most_bytes);
    }
    for (std::uint64_t n = 0; n < options.runs; ++n)
        for (std::size_t i = 0; i < rungs.size(); ++i)
            if (rows[i].error.empty())
                if (LiveRun r = run(i); r.error.empty()) rows[i].runs.push_back(std::move(r));
    return rows;
}

} // namespace pipescope

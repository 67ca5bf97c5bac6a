// SPDX-License-Identifier: MIT
// What recording costs: throughput of the built-in pair recorded over not recorded, in turns, and the programs' own time.
#include "sim/live/pair.hpp"
#include "sim/live/record.hpp"
#include "sim/recording/recording.hpp"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace pipescope;

namespace {

struct Kind {
    const char* name;
    const char* what;
    std::uint64_t bytes;
    bool vmsplice, splice, huge, busy;
    double bound;
};
constexpr std::uint64_t gib = 1ull << 30;
constexpr Kind kinds[] = {
    {"wr", "write, read", gib / 2, false, false, false, false, 0.90},
    {"vr", "vmsplice, read", gib, true, false, false, false, 0.90},
    {"vs", "vmsplice, splice", 2 * gib, true, true, false, false, 0.90},
    {"vsh", "the same, huge pages", 2 * gib, true, true, true, false, 0.90},
    {"vshb", "the same, busy loop", 24 * gib, true, true, true, true, 0.80},
};

double median(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

double seconds_since(std::chrono::steady_clock::time_point t) { return std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count(); }

double alone(const PairOptions& o) { // bytes a second; 0 when it failed
    std::string error;
    const auto pair = Pair::start(o, false, error);
    if (!pair) return fmt::print("{}\n", error), 0.0;
    const auto t = std::chrono::steady_clock::now();
    pair->go();
    while (pair->running()) ::usleep(1000);
    return static_cast<double>(o.bytes) / seconds_since(t);
}

struct Run {
    double rate = 0;
    RecordSummary summary;
    double recorder_s = 0; // CPU time of this process while the pair ran
};

// As `pipescope record` does it, file and all; the rate is that of the pair, what comes after its end is not counted.
Run recorded(const PairOptions& pair, const Sampling& sampling) {
    const std::string path = fmt::format("{}/pipescope-bench-{}.psc", std::filesystem::temp_directory_path().string(), ::getpid());
    std::string error;
    std::unique_ptr<RecordingWriter> writer;
    std::chrono::steady_clock::time_point start;
    Run run;
    RecordOptions o;
    o.pair = pair, o.sampling = sampling, o.capture = CaptureChoice::bpf;
    RecordTarget target;
    std::clock_t cpu = 0;
    target.begin = [&](const TraceMeta& meta) {
        cpu = std::clock();
        writer = RecordingWriter::create(path, meta, error);
        start = std::chrono::steady_clock::now();
        return writer != nullptr;
    };
    target.append = [&](std::span<const Event> events, const StringTable& strings) { return writer->append(events, strings); };
    target.flush = [&] { return writer->flush(); };
    o.interrupted = [&] { return run.recorder_s = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC, false; }; // asked as long as the pair runs
    if (!record_pair(o, target, run.summary, error)) fmt::print("{}\n", error);
    else run.rate = static_cast<double>(pair.bytes) / static_cast<double>(run.summary.pair_ns) * 1e9;
    writer.reset();
    std::filesystem::remove(path);
    return run;
}

int enable_stats() { // BPF_ENABLE_STATS: run time and count of every program, as long as the descriptor is open
    bpf_attr attr{};
    attr.enable_stats.type = BPF_STATS_RUN_TIME;
    return static_cast<int>(::syscall(SYS_bpf, BPF_ENABLE_STATS, &attr, sizeof attr));
}

} // namespace

int main(int argc, char** argv) {
    const int turns = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
    const double scale = argc > 2 ? std::atof(argv[2]) : 1;
    fmt::print("median of {} turns; GiB/s alone, then ratios to it: all recorded, sampled every 1000 calls\n", turns);
    for (const Kind& k : kinds) {
        if (argc > 3 && k.name != std::string(argv[3])) continue;
        PairOptions o;
        o.vmsplice = k.vmsplice, o.splice = k.splice, o.huge_page = k.huge, o.busy_loop = k.busy;
        o.bytes = static_cast<std::uint64_t>(static_cast<double>(k.bytes) * scale);
        std::vector<double> none, full, sampled, rates, recorder;
        std::uint64_t lost = 0;
        for (int i = 0; i < turns; ++i) {
            none.push_back(alone(o));
            const Run all = recorded(o, {});
            full.push_back(all.rate);
            lost += all.summary.lost;
            recorder.push_back(all.recorder_s / static_cast<double>(all.summary.pair_ns) * 1e9);
            rates.push_back(static_cast<double>(all.summary.records) / static_cast<double>(std::max<std::uint64_t>(1, all.summary.pair_ns)) * 1e3);
            sampled.push_back(recorded(o, {1000, 0, 0}).rate);
        }
        const double base = median(none);
        fmt::print("{:<5} {:<21} {:7.2f}  {:.2f} (>= {:.2f})  {:.2f} (>= 0.98)  {:.2f} M records/s, {} lost, recorder {:.2f} CPU\n", k.name, k.what, base / gib,
            median(full) / base, k.bound, median(sampled) / base, median(rates), lost, median(recorder));
        std::fflush(stdout);
    }
    // The programs' own clock makes them slower, so it runs in a run of its own.
    const int stats = enable_stats();
    if (stats < 0) return fmt::print("the programs' run time is not to be had here\n"), 0;
    for (const Kind& k : {kinds[0], kinds[4]}) {
        if (argc > 3 && k.name != std::string(argv[3])) continue;
        PairOptions o;
        o.vmsplice = k.vmsplice, o.splice = k.splice, o.huge_page = k.huge, o.busy_loop = k.busy;
        o.bytes = static_cast<std::uint64_t>(static_cast<double>(k.bytes) * scale);
        const Run r = recorded(o, {});
        fmt::print("{}:\n", k.name);
        for (const auto& p : r.summary.programs)
            if (p.runs) fmt::print("  {:<14} {:10} runs, {:5.0f} ns each\n", p.name, p.runs, static_cast<double>(p.ns) / static_cast<double>(p.runs));
        fmt::print("  {} records with {} slots\n", r.summary.records, r.summary.slots);
    }
    ::close(stats);
}

// SPDX-License-Identifier: MIT
// Tables and keys of the live ladder.
#include "app/ladder_live_text.hpp"
#include "app/info_text.hpp"
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace pipescope {
namespace {

std::string rate(double gib_per_s) { return gib_per_s > 0 ? fmt::format("{:.{}f}", gib_per_s, gib_per_s < 10 ? 2 : 1) : "–"; }
std::string kernel_release() {
    utsname name{};
    ::uname(&name);
    return name.release;
}

} // namespace

double LadderLine::error() const {
    const double m = live ? live->median(&LiveRun::gib_per_s) : 0;
    return m > 0 ? simulated / m - 1 : 0;
}

void add_live_json(nlohmann::ordered_json& row, const LadderLine& line) {
    const LiveRow& l = *line.live;
    if (!l.error.empty()) row["live_error"] = l.error;
    if (l.runs.empty()) return;
    row["live_gib_per_s"] = l.median(&LiveRun::gib_per_s);
    row["live_min"] = l.least(), row["live_max"] = l.most();
    row["live_runs"] = l.runs.size(), row["live_bytes"] = l.runs[0].bytes;
    row["live_writer_sleeps_per_ring"] = l.median(&LiveRun::writer_sleeps);
    row["live_reader_sleeps_per_ring"] = l.median(&LiveRun::reader_sleeps);
    row["live_foreign_share"] = l.median(&LiveRun::foreign);
    row["simulated_beside_live"] = line.error();
}

std::string live_text(const std::vector<LadderLine>& lines, const std::string& profile) {
    std::string s = fmt::format("Linux {} here, not recorded, writer and reader on a CPU each; simulated with {}\n\n", kernel_release(), profile);
    const char* form = "{:40} {:>9} {:>9} {:>9} {:>18} {:>10} {:>13} {:>13} {:>6}  {}\n";
    s += fmt::format(
        fmt::runtime(form), "GiB/s", "published", "simulated", "here", "least .. most", "sim / here", "sleeps, here", "simulated", "others", "a run");
    for (const LadderLine& l : lines) {
        const LiveRow& v = *l.live;
        if (!v.error.empty()) s += fmt::format("{:40} {}\n", l.rung->name, v.error);
        if (v.runs.empty()) continue;
        s += fmt::format(fmt::runtime(form), l.rung->name, rate(l.rung->published_gib_per_s), rate(l.simulated), rate(v.median(&LiveRun::gib_per_s)),
            fmt::format("{} .. {}", rate(v.least()), rate(v.most())), fmt::format("{:+.0f} %", l.error() * 100),
            fmt::format("{:.2f}, {:.2f}", v.median(&LiveRun::writer_sleeps), v.median(&LiveRun::reader_sleeps)),
            fmt::format("{:.2f}, {:.2f}", l.writer_sleeps, l.reader_sleeps), fmt::format("{:.0f} %", v.median(&LiveRun::foreign) * 100),
            bytes_text(v.runs[0].bytes));
    }
    return s + "\nhere: the median; sleeps: voluntary context switches of writer and reader per ring moved; others: what else the CPUs did, of all "
               "their time\n";
}

std::string live_markdown(const std::vector<LadderLine>& lines, const std::string& profile) {
    std::string s =
        fmt::format("| rung | here, GiB/s (least to most of {}) | profile `{}` | error | sleeps per ring: here | simulated | other load |\n"
                    "|---|---|---|---|---|---|---|\n",
            lines.empty() || lines[0].live->runs.empty() ? 0 : lines[0].live->runs.size(), profile);
    for (const LadderLine& l : lines) {
        const LiveRow& v = *l.live;
        if (v.runs.empty()) continue;
        s += fmt::format("| {} | {} ({} to {}) | {} | {:+.0f} % | {:.2f}, {:.2f} | {:.2f}, {:.2f} | {:.0f} % |\n", l.rung->name,
            rate(v.median(&LiveRun::gib_per_s)), rate(v.least()), rate(v.most()), rate(l.simulated), l.error() * 100,
            v.median(&LiveRun::writer_sleeps), v.median(&LiveRun::reader_sleeps), l.writer_sleeps, l.reader_sleeps,
            v.median(&LiveRun::foreign) * 100);
    }
    return s;
}

std::vector<LiveRow> run_live_rows(const std::vector<const Rung*>& rungs, std::uint64_t bytes, std::uint64_t runs, std::uint64_t offset) {
    LiveOptions o;
    o.bytes = bytes, o.runs = runs, o.offset = offset;
    const bool terminal = ::isatty(STDERR_FILENO) != 0;
    if (terminal) o.progress = [](const Rung& r) { fmt::print(stderr, "\r{} …\x1b[K", r.name); };
    auto rows = run_ladder_live(rungs, o);
    if (terminal) fmt::print(stderr, "\r\x1b[K");
    return rows;
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Tables and keys of the live forwarders.
#include "app/forwarder_live_text.hpp"
#include "app/info_text.hpp"
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace pipescope {
namespace {

double here(const LiveForwardRow& r) { return r.median(&LiveForward::gbit_per_s); }
std::string percent(double share) { return fmt::format("{:.1f}", share * 100); }
std::string thousands(double n) { return fmt::format("{:.1f}", n / 1000); }
std::string published(double v, int digits, double factor = 1) { return v > 0 ? fmt::format("{:.{}f}", v * factor, digits) : "–"; }

// shared/copy and own/copy of the first three, where all of them ran.
std::string ratios(const std::vector<ForwarderLine>& l, const char* form) {
    std::string s;
    const std::pair<const char*, std::size_t> both[] = {{"shared/copy", 1}, {"own/copy", 2}};
    for (const auto& [name, i] : both)
        if (l.size() > i && here(*l[0].live) > 0 && here(*l[i].live) > 0)
            s += fmt::format(fmt::runtime(form), name, l[i].row->gbit_per_s / l[0].row->gbit_per_s, l[i].simulated / l[0].simulated,
                here(*l[i].live) / here(*l[0].live));
    return s;
}

} // namespace

void add_forwarder_json(nlohmann::ordered_json& row, const LiveForwardRow& l) {
    if (!l.error.empty()) row["live_error"] = l.error;
    if (l.runs.empty()) return;
    row["live_gbit_per_s"] = here(l), row["live_min"] = l.least(), row["live_max"] = l.most();
    row["live_user"] = l.median(&LiveForward::user), row["live_system"] = l.median(&LiveForward::system);
    row["live_all_system"] = l.median(&LiveForward::all_system);
    row["live_switches_per_s"] = l.median(&LiveForward::switches_per_s), row["live_eagain_share"] = l.median(&LiveForward::agains);
    row["live_runs"] = l.runs.size(), row["live_bytes"] = l.runs[0].bytes;
}

std::string forwarder_text(const std::vector<ForwarderLine>& lines, const std::string& profile, std::uint32_t connections) {
    utsname name{};
    ::uname(&name);
    std::string s = fmt::format("Linux {} here, {} connections over 127.0.0.1, not recorded; simulated with {}\n\n", name.release, connections, profile);
    const char* form = "{:38} {:>9} {:>9} {:>7} {:>16} {:>14} {:>14} {:>8} {:>14} {:>7}  {}\n";
    s += fmt::format(fmt::runtime(form), "Gbit/s", "published", "simulated", "here", "least .. most", "user, %: publ.", "system: publ.", "here",
        "1000 sw./s: p.", "here", "a run");
    for (const ForwarderLine& l : lines) {
        const LiveForwardRow& v = *l.live;
        if (!v.error.empty()) s += fmt::format("{:38} {}\n", l.row->name, v.error);
        if (v.runs.empty()) continue;
        s += fmt::format(fmt::runtime(form), l.row->name, published(l.row->gbit_per_s, 1), fmt::format("{:.1f}", l.simulated),
            fmt::format("{:.2f}", here(v)), fmt::format("{:.2f} .. {:.2f}", v.least(), v.most()),
            fmt::format("{}, here {}", published(l.row->user, 1, 100), percent(v.median(&LiveForward::user))), published(l.row->system, 1, 100),
            percent(v.median(&LiveForward::system)), published(l.row->switches_per_s, 0, 1e-3), thousands(v.median(&LiveForward::switches_per_s)),
            bytes_text(v.runs[0].bytes));
    }
    s += "\n" + ratios(lines, "{:12} published {:5.2f}, simulated {:5.2f}, here {:5.2f}\n");
    for (const ForwarderLine& l : lines)
        if (!l.live->runs.empty())
            s += fmt::format("{}: {:.0f} % of the workers' calls EAGAIN; senders and receivers take {:.0f} % of all CPUs' time in system calls besides\n", l.row->name,
                l.live->median(&LiveForward::agains) * 100,
                (l.live->median(&LiveForward::all_system) - l.live->median(&LiveForward::system)) * 100);
    return s + "\nhere: the median; user and system: of the workers, of all CPUs' time; switches: of the workers; every byte was counted at its receiver\n";
}

std::string forwarder_markdown(const std::vector<ForwarderLine>& lines, const std::string& profile) {
    std::string s = fmt::format("| row | Gbit/s published | `{}` | here (least to most of {}) | user, % published | here | system, % published | here | "
                                "1000 switches/s published | here |\n|---|---|---|---|---|---|---|---|---|---|\n",
        profile, lines.empty() ? 0 : lines[0].live->runs.size());
    for (const ForwarderLine& l : lines) {
        const LiveForwardRow& v = *l.live;
        if (v.runs.empty()) continue;
        s += fmt::format("| {} | {} | {:.1f} | {:.2f} ({:.2f} to {:.2f}) | {} | {} | {} | {} | {} | {} |\n", l.row->name, published(l.row->gbit_per_s, 1),
            l.simulated, here(v), v.least(), v.most(), published(l.row->user, 1, 100), percent(v.median(&LiveForward::user)),
            published(l.row->system, 1, 100), percent(v.median(&LiveForward::system)), published(l.row->switches_per_s, 0, 1e-3),
            thousands(v.median(&LiveForward::switches_per_s)));
    }
    return s + ratios(lines, "| {} | {:.2f} | {:.2f} | {:.2f} | | | | | | |\n");
}

std::vector<LiveForwardRow> run_forwarder_rows(const std::vector<const ForwarderRow*>& rows, LiveForwardWish wish) {
    const bool terminal = ::isatty(STDERR_FILENO) != 0;
    if (terminal) wish.progress = [](const ForwarderRow& r) { fmt::print(stderr, "\r{} …\x1b[K", r.name); };
    auto live = run_forwarders_live(rows, wish);
    if (terminal) fmt::print(stderr, "\r\x1b[K");
    return live;
}

} // namespace pipescope

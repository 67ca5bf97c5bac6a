// SPDX-License-Identifier: MIT
// Prints the forwarders: rates, shares of the CPUs' time, switches, and each mutex with its waiters.
#include "app/ladder_forwarder.hpp"
#include "app/forwarder_live_text.hpp"
#include "sim/des/forwarder.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pipescope {
namespace {

using Json = nlohmann::ordered_json;
constexpr double virtual_ms = 10; // of each run

struct Row {
    const ForwarderRow* published;
    std::vector<ForwarderResult> runs;
    const LiveForwardRow* live = nullptr;

    bool known() const { return published->gbit_per_s > 0; }
    double mean(double ForwarderResult::*what) const {
        double sum = 0;
        for (const ForwarderResult& r : runs) sum += r.*what;
        return sum / static_cast<double>(runs.size());
    }
    double rate() const { return mean(&ForwarderResult::gbit_per_s); }
};

struct Lock { // of the first run
    PipeId pipe;
    LockUse all;
    std::vector<std::pair<TaskId, LockUse>> tasks; // who waited longest first
    std::string name() const { return fmt::format("pipe {}'s mutex", pipe + 1); }
};

std::vector<Lock> locks_of(const ForwarderResult& r) {
    std::vector<Lock> out;
    for (PipeId p = 0; p < r.ledger.locks.size(); ++p) {
        Lock l{p, {}, {}};
        for (TaskId t = 0; t < r.ledger.locks[p].size(); ++t)
            if (const LockUse& u = r.ledger.locks[p][t]; u.taken || u.waits) l.all += u, l.tasks.emplace_back(t, u);
        std::stable_sort(l.tasks.begin(), l.tasks.end(), [](const auto& a, const auto& b) { return a.second.waited_ps > b.second.waited_ps; });
        if (l.all.taken) out.push_back(std::move(l));
    }
    return out;
}

Json use_json(const LockUse& u) {
    const auto ns = [](Ps t) { return static_cast<double>(t) / 1000; };
    return {{"taken", u.taken}, {"waits", u.waits}, {"sleeps", u.sleeps}, {"held_ns", ns(u.held_ps)}, {"waited_ns", ns(u.waited_ps)},
        {"spun_ns", ns(u.spun_ps)}};
}

std::string use_text(const LockUse& u) {
    const auto mean = [](Ps t, std::uint64_t n) { return n ? static_cast<double>(t) / 1000 / static_cast<double>(n) : 0; };
    return fmt::format("taken {:6}, held {:5.0f} ns each, waited for {:6} times, {:6.0f} ns each, {:6.0f} of it spinning, {:5} times asleep",
        u.taken, mean(u.held_ps, u.taken), u.waits, mean(u.waited_ps, u.waits), mean(u.spun_ps, u.waits), u.sleeps);
}

struct Ratio {
    const char* name;
    double published, simulated;
    double error() const { return simulated / published - 1; }
};
std::vector<Ratio> ratios_of(const std::vector<Row>& rows) { // to the row that copies
    const Row &copy = rows[0], &shared = rows[1], &own = rows[2];
    const auto ratio = [&](const char* name, const Row& r) {
        return Ratio{name, r.published->gbit_per_s / copy.published->gbit_per_s, r.rate() / copy.rate()};
    };
    return {ratio("shared/copy", shared), ratio("own/copy", own)};
}

void print_json(const NetProfile& p, const std::vector<Row>& rows, std::uint64_t seed) {
    Json list = Json::array(), ratios = Json::array();
    for (const Row& r : rows) {
        const ForwarderRow& pub = *r.published;
        const auto published = [&](double v) { return r.known() ? Json(v) : Json(nullptr); };
        Json j = {{"name", pub.name}, {"published_gbit_per_s", published(pub.gbit_per_s)}, {"simulated_gbit_per_s", r.rate()},
            {"error", published(r.rate() / pub.gbit_per_s - 1)}, {"published_user", published(pub.user)},
            {"simulated_user", r.mean(&ForwarderResult::user)}, {"published_system", published(pub.system)},
            {"simulated_system", r.mean(&ForwarderResult::system)}, {"simulated_softirq", r.mean(&ForwarderResult::softirq)},
            {"published_switches_per_s", published(pub.switches_per_s)}, {"simulated_switches_per_s", r.mean(&ForwarderResult::switches_per_s)},
            {"system_calls", r.runs[0].ledger.counts.syscalls}, {"eagains", r.runs[0].ledger.counts.eagains},
            {"bytes", r.runs[0].bytes}, {"locks", Json::array()}};
        if (r.live) add_forwarder_json(j, *r.live);
        for (const Lock& l : locks_of(r.runs[0])) {
            Json lock = use_json(l.all);
            lock["name"] = l.name();
            for (const auto& [task, use] : l.tasks) {
                Json t = use_json(use);
                t["task"] = r.runs[0].tasks[task];
                lock["tasks"].push_back(t);
            }
            j["locks"].push_back(lock);
        }
        list.push_back(j);
    }
    for (const Ratio& r : ratios_of(rows))
        ratios.push_back({{"name", r.name}, {"published", r.published}, {"simulated", r.simulated}, {"error", r.error()}});
    const Json all = {{"profile", p.base.name}, {"kernel", p.base.kernel}, {"virtual_ms", virtual_ms}, {"runs", rows[0].runs.size()},
        {"seed", seed}, {"rows", list}, {"ratios", ratios}};
    fmt::print("{}\n", all.dump(2, ' ', false, Json::error_handler_t::replace));
}

void print_locks(const Row& r, bool each_task) {
    const ForwarderResult& one = r.runs[0];
    const std::vector<Lock> locks = locks_of(one);
    fmt::print("\n{}: {} system calls, {} of them EAGAIN\n", r.published->name, one.ledger.counts.syscalls, one.ledger.counts.eagains);
    LockUse all;
    for (const Lock& l : locks) all += l.all;
    if (locks.empty()) fmt::print("  takes no pipe's mutex\n");
    else if (all.waits == 0) fmt::print("  {} mutexes, one a pipe, taken {} times: nobody ever waits for one\n", locks.size(), all.taken);
    else
        for (const Lock& l : locks) {
            fmt::print("  {}: {}\n", l.name(), use_text(l.all));
            for (std::size_t i = 0; i < l.tasks.size() && (each_task || i < 3); ++i)
                fmt::print("    {:12} {}\n", one.tasks[l.tasks[i].first], use_text(l.tasks[i].second));
            if (!each_task && l.tasks.size() > 3) fmt::print("    … and {} more (--report)\n", l.tasks.size() - 3);
        }
}

void print_text(const NetProfile& p, const std::vector<Row>& rows, std::uint64_t seed, bool report) {
    fmt::print("profile {}, kernel {}, {:.0f} CPUs, {:.0f} workers, {:.0f} ms of virtual time each, {} run{} from seed {}\n\n", p.base.name,
        p.base.kernel, p[Net::cpus], p[Net::connections], virtual_ms, rows[0].runs.size(), rows[0].runs.size() == 1 ? "" : "s", seed);
    fmt::print("{:38} {:>24} {:>15} {:>15} {:>8} {:>18}\n", "", "Gbit/s", "user, %", "system, %", "softirq", "1000 switches/s");
    fmt::print("{:38} {:>9} {:>6} {:>7} {:>8} {:>6} {:>8} {:>6} {:>8} {:>10} {:>7}\n", "", "published", "sim.", "error", "publ.", "sim.", "publ.",
        "sim.", "sim., %", "publ.", "sim.");
    for (const Row& r : rows) {
        const ForwarderRow& pub = *r.published;
        const auto published = [&](double v, int digits) { return r.known() ? fmt::format("{:.{}f}", v, digits) : std::string("–"); };
        fmt::print("{:38} {:>9} {:6.1f} {:>7} {:>8} {:6.1f} {:>8} {:6.1f} {:8.1f} {:>10} {:7.0f}\n", pub.name, published(pub.gbit_per_s, 1), r.rate(),
            r.known() ? fmt::format("{:+.1f} %", (r.rate() / pub.gbit_per_s - 1) * 100) : "", published(pub.user * 100, 1),
            r.mean(&ForwarderResult::user) * 100, published(pub.system * 100, 1), r.mean(&ForwarderResult::system) * 100,
            r.mean(&ForwarderResult::softirq) * 100, published(pub.switches_per_s / 1000, 0), r.mean(&ForwarderResult::switches_per_s) / 1000);
    }
    fmt::print("\n");
    for (const Ratio& r : ratios_of(rows))
        fmt::print("{:12} published {:5.2f}, simulated {:5.2f}, {:+.1f} %\n", r.name, r.published, r.simulated, r.error() * 100);
    for (const Row& r : rows) print_locks(r, report);
    if (report)
        for (const Row& r : rows) fmt::print("\n{}: shares of the time that the CPUs were busy\n{}", r.published->name, r.runs[0].ledger.report(0.005));
}

} // namespace

int ladder_forwarder(const ForwarderWish& o) {
    const NetProfile p = net_profile_load(o.profile_path);
    std::vector<Row> rows;
    for (const ForwarderRow& r : forwarder_rows()) rows.push_back({&r, {}});
    if (o.more)
        for (const ForwarderRow& r : forwarder_more()) rows.push_back({&r, {}});
    for (Row& r : rows)
        for (std::uint64_t i = 0; i < o.runs; ++i) r.runs.push_back(run_forwarder(p, r.published->how, virtual_ms, o.seed + i));
    std::vector<LiveForwardRow> live;
    std::vector<ForwarderLine> lines;
    if (o.here) {
        std::vector<const ForwarderRow*> wanted;
        for (const Row& r : rows) wanted.push_back(r.published);
        live = run_forwarder_rows(wanted, o.live);
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i].live = &live[i], lines.push_back({rows[i].published, rows[i].rate(), &live[i]});
    }
    if (o.json) print_json(p, rows, o.seed);
    else if (o.here) fmt::print("{}", o.markdown ? forwarder_markdown(lines, p.base.name) : forwarder_text(lines, p.base.name, o.live.connections));
    else print_text(p, rows, o.seed, o.report);
    return 0;
}

} // namespace pipescope

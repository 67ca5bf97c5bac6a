// SPDX-License-Identifier: MIT
// Runs the rungs in virtual time and prints throughput, shares of call paths, and what a GiB takes.
#include "app/cmd_ladder.hpp"
#include "app/ladder_forwarder.hpp"
#include "app/ladder_mbufs.hpp"
#include "app/ladder_live_text.hpp"
#include "sim/des/ladder.hpp"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace pipescope {
namespace {

struct LadderOptions {
    std::string profile, rung; // profile: empty for the one that the table goes with
    std::uint64_t bytes = std::uint64_t{1} << 30, runs = 1, seed = 1;
    bool report = false, more = false, mbufs = false, forwarder = false, chain = false, json = false;
    std::uint64_t offset = 0; // where buffers of small pages begin in a page
    bool live = false, markdown = false, verify = false;
    std::uint32_t connections = 4; // of a live forwarder
    std::uint64_t live_bytes = 0, live_runs = 5; // bytes 0: as many as a run needs
};

struct Row {
    const Rung* rung = nullptr;
    std::vector<RungResult> runs;
    const LiveRow* live = nullptr;

    template <class F> double mean(F f) const {
        double sum = 0;
        for (const RungResult& r : runs) sum += f(r);
        return sum / static_cast<double>(runs.size());
    }
    double rate() const {
        return mean([](const RungResult& r) { return r.gib_per_s; });
    }
    double share(const char* path) const {
        return mean([&](const RungResult& r) { return r.ledger.share(path); });
    }
    double error() const { return rate() / rung->published_gib_per_s - 1; }
    auto extremes() const {
        return std::minmax_element(runs.begin(), runs.end(), [](const RungResult& a, const RungResult& b) { return a.gib_per_s < b.gib_per_s; });
    }
};

struct PerGib {
    const char* key;
    const char* text;
    double (*of)(const Counts&);
};
double n(std::uint64_t v) { return static_cast<double>(v); }
constexpr PerGib per_gib[] = {
    {"bytes_copied", "bytes copied", [](const Counts& c) { return n(c.bytes_copied); }},
    {"pages_allocated", "pages allocated", [](const Counts& c) { return n(c.pages_allocated); }},
    {"pages_freed", "pages freed", [](const Counts& c) { return n(c.pages_freed); }},
    {"references_taken", "references taken", [](const Counts& c) { return n(c.refs_taken); }},
    {"references_dropped", "references dropped", [](const Counts& c) { return n(c.refs_dropped); }},
    {"reference_updates", "changes of a count", [](const Counts& c) { return n(c.ref_updates); }},
    {"reference_updates_remote", "… the other CPU had", [](const Counts& c) { return n(c.refs_remote); }},
    {"walks", "page-table walks", [](const Counts& c) { return n(c.walks); }},
    {"slow_pages", "pages by slow path", [](const Counts& c) { return n(c.slow_pages); }},
    {"locks", "locks taken", [](const Counts& c) { return n(c.locks); }},
    {"lock_waits", "lock waits", [](const Counts& c) { return n(c.lock_waits); }},
    {"lock_wait_ns", "… spinning, ns", [](const Counts& c) { return static_cast<double>(c.lock_wait_ps) / 1000; }},
    {"handoffs", "… ended by hand-off", [](const Counts& c) { return n(c.handoffs); }},
    {"sleeps", "sleeps", [](const Counts& c) { return n(c.sleeps); }},
    {"sleeps_cancelled", "sleeps cancelled", [](const Counts& c) { return n(c.sleeps_cancelled); }},
    {"wake_ups", "wake-ups", [](const Counts& c) { return n(c.wake_ups); }},
    {"wake_ups_switching_out", "… still switching", [](const Counts& c) { return n(c.wake_ups_switching); }},
    {"context_switches", "context switches", [](const Counts& c) { return n(c.context_switches); }},
    {"system_calls", "system calls", [](const Counts& c) { return n(c.syscalls); }},
    {"eagains", "EAGAINs", [](const Counts& c) { return n(c.eagains); }},
};
double gib(const Row& r, const PerGib& p) {
    return r.mean([&](const RungResult& x) { return p.of(x.ledger.counts) / n(x.ledger.counts.bytes_moved) * (1 << 30); });
}
double copies_per_byte(const Row& r) { return gib(r, per_gib[0]) / (1 << 30); }
double writer_sleeps(const Row& r) {
    return r.mean([](const RungResult& x) { return x.writer_sleeps; });
}
double reader_sleeps(const Row& r) {
    return r.mean([](const RungResult& x) { return x.reader_sleeps; });
}

LadderLine line(const Row& r) { return {r.rung, r.rate(), writer_sleeps(r), reader_sleeps(r), r.live}; }

void print_json(const LadderOptions& o, const Profile& p, const std::vector<Row>& rows) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Row& r : rows) {
        const auto [least, most] = r.extremes();
        nlohmann::ordered_json j = {{"name", r.rung->name}, {"published_gib_per_s", nullptr}, {"simulated_gib_per_s", r.rate()}, {"error", nullptr},
            {"simulated_min", least->gib_per_s}, {"simulated_max", most->gib_per_s}, {"live_gib_per_s", nullptr}, {"live_min", nullptr},
            {"live_max", nullptr}, {"writer_sleeps_per_ring", writer_sleeps(r)}, {"reader_sleeps_per_ring", reader_sleeps(r)},
            {"copies_per_byte", copies_per_byte(r)}};
        if (r.rung->published_gib_per_s > 0) j["published_gib_per_s"] = r.rung->published_gib_per_s, j["error"] = r.error();
        for (const PerGib& g : per_gib) j["per_gib"][g.key] = gib(r, g);
        j["shares"] = nlohmann::ordered_json::array();
        for (const Share& s : r.rung->shares) j["shares"].push_back({{"path", s.path}, {"published", s.published}, {"simulated", r.share(s.path)}});
        if (r.live) add_live_json(j, line(r));
        list.push_back(std::move(j));
    }
    const nlohmann::ordered_json all = {
        {"profile", p.name}, {"kernel", p.kernel}, {"offset", o.offset}, {"bytes", o.bytes}, {"runs", o.runs}, {"seed", o.seed}, {"rows", list}};
    fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_text(const LadderOptions& o, const Profile& p, const std::vector<Row>& rows) {
    fmt::print("profile {}, kernel {}, {:.2f} GiB each, {} run{} from seed {}{}\n\n", p.name, p.kernel, n(o.bytes) / (1 << 30), o.runs,
        o.runs == 1 ? "" : "s", o.seed, o.offset ? fmt::format(", buffers {} bytes past a page", o.offset) : "");
    fmt::print("{:40} {:>18} {:>19} {:>9}   sleeps per ring moved: writer, reader\n", "", "published, GiB/s", "simulated, GiB/s", "error");
    for (const Row& r : rows) {
        const bool published = r.rung->published_gib_per_s > 0;
        fmt::print("{:40} {:>18} {:19.2f} {:>9}   {:.3f} {:.3f}\n", r.rung->name,
            published ? fmt::format("{:.1f}", r.rung->published_gib_per_s) : "–", r.rate(),
            published ? fmt::format("{:+.1f} %", r.error() * 100) : "", writer_sleeps(r), reader_sleeps(r));
    }
    fmt::print("\n{:20}", "per GiB moved");
    for (const Row& r : rows) fmt::print(" {:>15.15}", r.rung->name);
    fmt::print("\n{:20}", "copies of each byte");
    for (const Row& r : rows) fmt::print(" {:15.2f}", copies_per_byte(r));
    for (const PerGib& g : per_gib) {
        fmt::print("\n{:20}", g.text);
        for (const Row& r : rows) fmt::print(" {:15.0f}", gib(r, g));
    }
    fmt::print("\n");
    if (!o.report) return;
    for (const Row& r : rows) {
        fmt::print("\n{}: shares of the time that both programs were on a CPU\n{}", r.rung->name, r.runs[0].ledger.report(0.003));
        for (const Share& s : r.rung->shares)
            fmt::print("{}{:6.2f} % published, {:6.2f} % simulated, {:+.2f} points  {}\n", &s == r.rung->shares.data() ? "\n" : "", s.published * 100,
                r.share(s.path) * 100, (r.share(s.path) - s.published) * 100, s.path);
    }
}

std::string profile_path(const std::string& name) {
    if (name.find('/') != std::string::npos || name.ends_with(".toml")) return name;
    const char* assets = std::getenv("PIPESCOPE_ASSETS");
    return std::string(assets ? assets : PIPESCOPE_ASSETS) + "/profiles/" + name + ".toml";
}

int ladder(const LadderOptions& o) {
    if (o.mbufs) return o.chain ? ladder_mbuf_chains(o.json) : ladder_mbufs(profile_path("mbuf-rtems-4.6"), o.json);
    const auto profile = [&](const char* usual) { return profile_path(o.profile.empty() ? usual : o.profile); };
    if (o.forwarder) {
        ForwarderWish w{profile("forwarder-100g"), o.live ? 1 : o.runs, o.seed, o.more, o.report, o.json, o.live, o.markdown, {}};
        w.live.connections = o.connections, w.live.bytes = o.live_bytes, w.live.runs = o.live_runs, w.live.verify = o.verify;
        return ladder_forwarder(w);
    }
    const Profile p = profile_load(profile("i7-8550u-5.17"));
    std::vector<Row> rows;
    const auto add = [&](std::span<const Rung> rungs) {
        for (const Rung& g : rungs)
            if (o.rung.empty() || o.rung == g.name) rows.push_back({&g, {}});
    };
    add(ladder_rungs());
    if (o.more || !o.rung.empty()) add(ladder_more());
    if (rows.empty()) {
        fmt::print(stderr, "pipescope ladder: --rung {}: there is no rung of that name\n", o.rung);
        return 2;
    }
    for (Row& r : rows)
        for (std::uint64_t i = 0; i < o.runs; ++i) r.runs.push_back(run_rung(p, placed_at(r.rung->options, o.offset), o.bytes, o.seed + i));
    std::vector<LiveRow> live;
    std::vector<LadderLine> lines;
    if (o.live) {
        std::vector<const Rung*> rungs;
        for (const Row& r : rows) rungs.push_back(r.rung);
        live = run_live_rows(rungs, o.live_bytes, o.live_runs, o.offset);
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i].live = &live[i], lines.push_back(line(rows[i]));
    }
    if (o.json) print_json(o, p, rows);
    else if (o.live) fmt::print("{}", o.markdown ? live_markdown(lines, p.name) : live_text(lines, p.name));
    else print_text(o, p, rows);
    return 0;
}

} // namespace

void add_ladder_command(CLI::App& app, std::function<int()>& run) {
    const auto o = std::make_shared<LadderOptions>();
    CLI::App* const sub = app.add_subcommand("ladder", "the published throughput ladder, simulated with a cost profile");
    sub->add_option("--profile", o->profile, "a profile of assets/profiles, or a file")->default_str("i7-8550u-5.17, forwarder-100g");
    sub->add_option("--bytes", o->bytes, "bytes to move on each rung, as 64M, 10G")
        ->transform(CLI::AsSizeValue(false))
        ->check(CLI::Range(std::uint64_t{1} << 20, std::uint64_t{1} << 40))
        ->type_name("SIZE")
        ->default_str("1G");
    sub->add_option("--runs", o->runs, "runs of each rung, with seeds one after another")->check(CLI::Range(1, 1000))->capture_default_str();
    sub->add_option("--seed", o->seed, "of the first run's jitter")->capture_default_str();
    sub->add_option("--offset", o->offset, "bytes past the beginning of a page at which buffers begin, without huge pages")
        ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{page_size - 1}))
        ->default_str("0, with --live as malloc() puts them: 16");
    sub->add_option("--rung", o->rung, "only the one of this name");
    sub->add_flag("--more", o->more, "combinations of the options that were not published, too");
    sub->add_flag("--report", o->report, "where the time went, by call path");
    sub->add_flag("--mbufs", o->mbufs, "the other published ladder: UDP from BSD mbufs, copied or in shared clusters");
    sub->add_flag("--chain", o->chain, "with --mbufs: the chains, and what breaking the rules of shared clusters does");
    auto* const forwarder = sub->add_flag("--forwarder", o->forwarder, "a third one: socket to pipe to socket, copied, by a pipe for all or a pipe each");
    sub->add_flag("--json", o->json, "one JSON object");
    auto* const live = sub->add_flag("--live", o->live, "the rungs on this machine too, not recorded, in turns (5 runs, or --runs)");
    sub->add_flag("--markdown", o->markdown, "the live table for a document")->needs(live);
    sub->add_option("--connections", o->connections, "through the live forwarder, each with a worker")
        ->check(CLI::Range(1u, ForwardOptions::most_connections))
        ->needs(live)
        ->needs(forwarder)
        ->capture_default_str();
    sub->add_flag("--verify", o->verify, "the live forwarder's receivers look at each byte, which takes time")->needs(live)->needs(forwarder);
    sub->callback([o, sub, &run] {
        if (o->live && !sub->count("--offset")) o->offset = malloc_offset;
        if (sub->count("--bytes")) o->live_bytes = o->bytes;
        if (sub->count("--runs")) o->live_runs = o->runs;
        run = [o] { return ladder(*o); };
    });
}

} // namespace pipescope

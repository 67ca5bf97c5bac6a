// SPDX-License-Identifier: MIT
// Prints what can come out of a scenario, whoever's turn it is when, with a schedule for each outcome.
#include "app/cmd_explore.hpp"
#include "app/options.hpp"
#include "app/printable.hpp"
#include "sim/explore/explore.hpp"
#include "sim/schedule.hpp"
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace pipescope {
namespace {

struct Args {
    std::string file, kernel;
    std::uint64_t limit = 100'000;
    bool json = false;
};

int explore_run(const Args& a) {
    const auto version = kernel_option(a.kernel);
    if (!version) return 2;
    const explore::Report r = explore::explore(a.file, *version, a.limit, [](std::uint64_t n) { fmt::print(stderr, "\r{} states\r", n); });
    if (!r.error.empty()) return fmt::print(stderr, "{}\n", one_line(r.error)), 2;
    if (a.json) {
        nlohmann::json list = nlohmann::json::array();
        for (const explore::Outcome& o : r.outcomes) list.push_back({{"result", o.result}, {"count", static_cast<std::uint64_t>(o.count)}, {"schedule", schedule_text(schedule_of(o.schedule))}});
        fmt::print("{}\n", nlohmann::json{{"schedules", static_cast<std::uint64_t>(r.schedules)}, {"states", r.states}, {"endless", r.endless}, {"complete", r.complete}, {"outcomes", list}}.dump(1, ' ', false, nlohmann::json::error_handler_t::replace));
        return 0;
    }
    for (const explore::Outcome& o : r.outcomes) fmt::print("{:>12.0f}  {}\n              --schedule \"{}\"\n", o.count, printable(o.result), schedule_text(schedule_of(o.schedule)));
    fmt::print("{:.0f} schedules through {} states, {} outcomes{}{}\n", r.schedules, r.states, r.outcomes.size(), r.endless ? ", and orders that go round for ever" : "", r.complete ? ": all there are" : fmt::format("; cut at --limit {}: there may be more", a.limit));
    return 0;
}

} // namespace

void add_explore_command(CLI::App& app, std::function<int()>& run) {
    auto a = std::make_shared<Args>();
    CLI::App* sub = app.add_subcommand("explore", "every interleaving of a scenario's tasks: what can come out, with a schedule for each");
    sub->add_option("FILE", a->file, "a scenario whose tasks the engine schedules")->required();
    sub->add_option("--kernel", a->kernel, kernel_help);
    sub->add_option("--limit", a->limit, "at most so many states")->check(whole_number())->capture_default_str();
    sub->add_flag("--json", a->json, "one JSON object");
    sub->callback([a, &run] { run = [a] { return explore_run(*a); }; });
}

} // namespace pipescope

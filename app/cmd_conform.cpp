// SPDX-License-Identifier: MIT
// pipescope conform: exit status 1 when the model and this kernel differ.
#include "app/cmd_conform.hpp"
#include "app/options.hpp"
#include "sim/conform/conform.hpp"
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <sys/utsname.h>

namespace pipescope {
namespace {

struct Args {
    std::uint64_t ops = 100000, seed = 1;
    bool ring = false, json = false;
    std::string kernel = "6.18";
};

int conform_run(const Args& a) {
    const auto version = kernel_option(a.kernel);
    if (!version) return 2;
    const conform::Options o{a.ops, a.seed, a.ring, *version};
    const conform::Report r = conform::conform(o, [&](std::uint64_t calls) { fmt::print(stderr, "\r{} of {} calls", calls, a.ops); });
    if (r.calls > 100000) fmt::print(stderr, "\r");
    if (!r.error.empty()) {
        fmt::print(stderr, "pipescope: {}\n", r.error);
        return 2;
    }
    utsname u{};
    uname(&u);
    const double rate = r.seconds > 0 ? static_cast<double>(r.calls) / r.seconds : 0, share = r.worker_seconds > 0 ? r.model_seconds / r.worker_seconds : 0;
    if (a.json) {
        fmt::print("{}\n", nlohmann::json{{"calls", r.calls}, {"differences", r.differences}, {"skipped", r.skipped}, {"calls_per_s", rate},
                               {"model_share", share}, {"kernel", u.release}, {"seed", a.seed}, {"message", r.message}, {"litmus", r.litmus}}
                               .dump(1, ' ', false, nlohmann::json::error_handler_t::replace));
    } else {
        if (r.differences) fmt::print("{}", r.litmus);
        fmt::print("{} calls, {} differences, {:.0f} calls/s, the model took {:.0f} % of the time; model {} on {}, seed {}{}\n", r.calls,
            r.differences, rate, 100 * share, version->name, u.release, a.seed,
            a.ring ? fmt::format(", rings compared, {} not to be read", r.skipped) : "");
    }
    return r.differences ? 1 : 0;
}

} // namespace

void add_conform_command(CLI::App& app, std::function<int()>& run) {
    auto args = std::make_shared<Args>();
    CLI::App* sub = app.add_subcommand("conform", "random call sequences on the model and on this kernel; exit 1 at the first difference");
    sub->add_option("--ops", args->ops, "calls to make")->check(whole_number())->capture_default_str();
    sub->add_option("--seed", args->seed, "the same seed makes the same calls")->check(whole_number())->capture_default_str();
    sub->add_flag("--ring", args->ring, "compare every slot of every ring too (needs CAP_BPF and CAP_PERFMON)");
    sub->add_option("--kernel", args->kernel, "the model's version; auto: that of the kernel running here")->capture_default_str();
    sub->add_flag("--json", args->json, "one JSON object");
    sub->callback([&run, args] { run = [args] { return conform_run(*args); }; });
}

} // namespace pipescope

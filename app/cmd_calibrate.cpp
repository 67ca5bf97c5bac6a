// SPDX-License-Identifier: MIT
// Measures, writes the profile, and says how well the profile gives the measurements back.
#include "app/cmd_calibrate.hpp"
#include "core/version.hpp"
#include "sim/calibrate/calibrate.hpp"
#include "sim/live/ladder_live.hpp"
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <unistd.h>

namespace pipescope {
namespace {

struct Settings {
    std::string output;
    std::uint32_t rounds = 2000;
    bool verbose = false;
};

int fail(const std::string& message) {
    fmt::print(stderr, "pipescope calibrate: {}\n", message);
    return 2;
}

std::string file_name(std::string path) { // what the profile is called
    path = path.substr(path.find_last_of('/') + 1);
    return path.ends_with(".toml") ? path.substr(0, path.size() - 5) : path;
}

std::string line(const Check& c) {
    return fmt::format("{:76} {:10.0f} ns measured, {:10.0f} ns by the profile", c.what, c.measured_ns, c.profile_ns);
}

int run_calibrate(const Settings& o) {
    CalibrateOptions options;
    const auto cpus = two_cpus();
    options.cpu[0] = cpus[0], options.cpu[1] = cpus[1];
    if (cpus[1] < 0) return fail("it takes two CPUs to measure, and this process may use only one");
    if (file_name(o.output).find_first_of("\"\\\n") != std::string::npos) return fail(o.output + ": a profile cannot have such a name");
    const bool fresh = ::access(o.output.c_str(), F_OK) != 0;
    { // before the measuring, so that it is not in vain
        std::ofstream probe(o.output, std::ios::app);
        if (!probe) return fail(o.output + ": cannot be written");
    }
    options.rounds = o.rounds;
    options.base = profile_builtin();
    if (::isatty(STDERR_FILENO)) options.told = [](const std::string& what) { fmt::print(stderr, "\r{:100}\r{}", "", what); };
    std::string error;
    auto made = calibrate(options, error);
    if (options.told) fmt::print(stderr, "\r{:100}\r", "");
    if (!made) {
        if (fresh) ::unlink(o.output.c_str());
        return fail(error);
    }
    made->profile.name = file_name(o.output);
    profile_save(made->profile, o.output);
    std::ofstream more(o.output, std::ios::app);
    more << "\n# What was measured, and what the profile gives for the same:\n";
    double worst = 0;
    for (const Check& c : made->checks) {
        more << "# " << line(c) << "\n";
        worst = std::max(worst, std::abs(std::log(c.profile_ns / c.measured_ns)));
        if (o.verbose) fmt::print("{}\n", line(c));
    }
    more.close();
    if (!more) return fail(o.output + ": could not be written");
    std::size_t taken = 0;
    for (const std::string& s : made->profile.source) taken += s.starts_with("taken over");
    fmt::print(stderr, "{}: {} costs from {} measurements, {} taken over from {}; the profile gives the measurements back within a factor of {:.2f}\n",
        o.output, cost_count - taken, made->checks.size(), taken, options.base.name, std::exp(worst));
    return 0;
}

} // namespace

void add_calibrate_command(CLI::App& app, std::function<int()>& run) {
    const auto o = std::make_shared<Settings>();
    CLI::App* const sub = app.add_subcommand("calibrate", "measure what calls, waking and switching take here, and write a cost profile");
    sub->add_option("-o,--output", o->output, "the profile, for ladder --profile")->required();
    sub->add_option("--rounds", o->rounds, "how often each call is measured")->check(CLI::Range(20, 10'000))->capture_default_str();
    sub->add_flag("--verbose", o->verbose, "each measurement, and what the profile gives for it");
    sub->callback([o, &run] { run = [o] { return run_calibrate(*o); }; });
}

} // namespace pipescope

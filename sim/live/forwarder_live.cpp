// SPDX-License-Identifier: MIT
// Runs the built-in forwarder unrecorded and adds up what its processes tell.
#include "sim/live/forwarder_live.hpp"
#include "sim/live/forwarder.hpp"
#include <algorithm>
#include <unistd.h>

namespace pipescope {
namespace {

constexpr std::uint64_t first_bytes = 32 << 20, most_bytes = 16ull << 30;
constexpr double run_seconds = 0.5;

} // namespace

LiveForward run_forwarder_live(const ForwardOptions& options) {
    LiveForward run;
    const auto forwarder = Forwarder::start(options, run.error);
    if (!forwarder) return run;
    forwarder->go();
    forwarder->wait();
    if (run.error = forwarder->error(); !run.error.empty()) return run;
    std::uint64_t end_ns = forwarder->start_ns() + 1, calls = 0, agains = 0, switches = 0;
    double user = 0, system = 0, all = 0;
    for (std::uint32_t c = 0; c < options.connections; ++c) {
        const ForwardReport &s = forwarder->report(ForwardRole::sender, c), &w = forwarder->report(ForwardRole::worker, c),
                            &r = forwarder->report(ForwardRole::receiver, c);
        run.bytes += r.bytes;
        end_ns = std::max(end_ns, r.end_ns);
        calls += w.calls, agains += w.agains, switches += w.sleeps + w.pushed;
        user += w.user_s, system += w.system_s, all += s.system_s + w.system_s + r.system_s;
    }
    const double seconds = static_cast<double>(end_ns - forwarder->start_ns()) * 1e-9;
    const double machine = seconds * static_cast<double>(std::max(::sysconf(_SC_NPROCESSORS_ONLN), 1L));
    run.gbit_per_s = static_cast<double>(run.bytes) * 8e-9 / seconds;
    run.user = user / machine, run.system = system / machine, run.all_system = all / machine;
    run.switches_per_s = static_cast<double>(switches) / seconds;
    run.agains = calls ? static_cast<double>(agains) / static_cast<double>(calls) : 0;
    return run;
}

double LiveForwardRow::median(double LiveForward::*what) const {
    std::vector<double> v;
    for (const LiveForward& r : runs) v.push_back(r.*what);
    if (v.empty()) return 0;
    std::sort(v.begin(), v.end());
    return v.size() % 2 ? v[v.size() / 2] : (v[v.size() / 2 - 1] + v[v.size() / 2]) / 2;
}
double LiveForwardRow::least() const {
    double v = runs.empty() ? 0 : runs[0].gbit_per_s;
    for (const LiveForward& r : runs) v = std::min(v, r.gbit_per_s);
    return v;
}
double LiveForwardRow::most() const {
    double v = 0;
    for (const LiveForward& r : runs) v = std::max(v, r.gbit_per_s);
    return v;
}

std::vector<LiveForwardRow> run_forwarders_live(const std::vector<const ForwarderRow*>& rows, const LiveForwardWish& wish) {
    std::vector<LiveForwardRow> out;
    std::vector<ForwardOptions> options;
    const auto run = [&](std::size_t i) {
        if (wish.progress) wish.progress(*rows[i]);
        LiveForward r = run_forwarder_live(options[i]);
        if (!r.error.empty()) out[i].error = r.error;
        return r;
    };
    for (std::size_t i = 0; i < rows.size(); ++i) {
        out.push_back({rows[i], {}, ""});
        options.push_back({});
        ForwardOptions& o = options.back();
        o.how = rows[i]->how, o.connections = wish.connections, o.verify = wish.verify;
        o.bytes = wish.bytes ? wish.bytes : first_bytes;
        // Twice: the first one also wakes the machine up.
        for (int again = 0; again < 2 && !wish.bytes && out[i].error.empty(); ++again)
            o.bytes = std::clamp(static_cast<std::uint64_t>(run(i).gbit_per_s * 1e9 / 8 * run_seconds), first_bytes, most_bytes);
    }
    for (std::uint64_t n = 0; n < wish.runs; ++n)
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (out[i].error.empty())
                if (LiveForward r = run(i); r.error.empty()) out[i].runs.push_back(std::move(r));
    return out;
}

} // namespace pipescope

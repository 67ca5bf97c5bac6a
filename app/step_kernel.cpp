// SPDX-License-Identifier: MIT
// Prints a run in lock step with this kernel.
#include "app/step_kernel.hpp"
#include "app/layout.hpp"
#include "app/printable.hpp"
#include "app/ring_pairs.hpp"
#include "app/step_text.hpp"
#include "core/describe.hpp"
#include "sim/lockstep/lockstep.hpp"
#include "sim/narrate.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace pipescope {
namespace {

using namespace lockstep;

// The rings of a reading that differ from those of the one before, and whether the model's are the same.
void print_reading(const Reading& now, const std::vector<std::string>& before, const State& model, const StringTable& names) {
    for (PipeId p = 0; p < now.rings.size(); ++p)
        if (!now.rings[p].empty() && (p >= before.size() || before[p] != now.rings[p]))
            fmt::print("{:>20} {:<10} {}: {}{}\n", "", "kernel", printable(pipe_label(model, names, p)), printable(now.rings[p]),
                now.rings[p] == ring_string(model, names, p) ? "  = model" : "");
}

nlohmann::json rings_json(const Reading& r) {
    nlohmann::json list = nlohmann::json::array();
    for (const std::string& ring : r.rings) list.push_back(ring.empty() ? nlohmann::json() : nlohmann::json(ring));
    return list;
}

} // namespace

int step_on_kernel(const StepOnKernel& o) {
    std::string error;
    const auto run = Run::play(o.file, o.version, o.until, error);
    if (!run) return fmt::print(stderr, "{}\n", one_line(error)), 2;
    Timeline& timeline = run->timeline();
    const StepView view{run->strings(), run->version().anon_prefix};
    const Comparison& seen = run->comparison();
    nlohmann::json events = nlohmann::json::array();
    std::vector<std::string> rings;
    std::size_t told = 0; // divergences
    bool known = o.task.empty();
    for (std::size_t i = 0; i < std::min(timeline.size(), o.until); ++i) {
        const Event e = timeline[i];
        const State& before = timeline.seek(i);
        const bool wanted = o.task.empty() || (e.task != no_id && task_label(before, view.names, e.task) == o.task);
        known = known || wanted;
        const Reading* const reading = run->reading_at(i);
        const Divergence* const first = run->divergence_at(i);
        if (!reading && !first && !(wanted && (o.events || step_shows(e)))) continue;
        nlohmann::json j;
        if (o.json) j = event_json(view, i + 1, before, e);
        else if (wanted) print_line(view, i + 1, before, e);
        if (reading && !o.json) print_reading(*reading, rings, timeline.seek(i + 1), view.names);
        if (reading) rings = reading->rings;
        std::string text;
        for (; told < seen.divergences.size() && seen.divergences[told].event <= i; ++told) {
            text += (text.empty() ? "" : "; ") + seen.divergences[told].text;
            if (!o.json) fmt::print("{:>20} DIVERGED   {}\n", "", printable(seen.divergences[told].text));
        }
        if (!o.json) continue;
        j["diverged"] = !text.empty();
        if (reading) j["kernel_ring"] = rings_json(*reading);
        if (!text.empty()) j["divergence"] = text;
        events.push_back(std::move(j));
    }
    if (!known) return fmt::print(stderr, "{}: has no task \"{}\"\n", printable(o.file), printable(o.task)), 2;
    if (o.json) {
        const nlohmann::json all = {{"events", events}, {"pipes", pipes_json(timeline.seek(timeline.size()), view.names)}, {"kernel", seen.kernel},
            {"calls", seen.calls}, {"divergences", seen.divergences.size()}, {"rings_read", seen.rings}, {"ended_early", seen.why}, {"fault", run->fault()}};
        fmt::print("{}\n", all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    } else {
        fmt::print("{}\n", printable(in_step_verdict(seen)));
    }
    std::fflush(stdout);
    if (!run->fault().empty()) fmt::print(stderr, "{}\n", one_line(run->fault()));
    if (!seen.divergences.empty() || run->refuted()) return 1;
    return run->fault().empty() || run->skipped() ? 0 : 2;
}

} // namespace pipescope

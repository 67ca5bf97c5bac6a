// SPDX-License-Identifier: MIT
// Prints a run in lock step with this kernel.
#include "app/step_kernel.hpp"
#include "app/layout.hpp"
#include "app/one_key.hpp"
#include "app/printable.hpp"
#include "app/ring_pairs.hpp"
#include "app/step_text.hpp"
#include "core/describe.hpp"
#include "sim/lockstep/lockstep.hpp"
#include "sim/narrate.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <unistd.h>
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

// Prints the run as it grows, each event once, and where the two part.
class Printer {
public:
    Printer(const StepOnKernel& o, Run& run) : o_(o), run_(run), view_{run.strings(), run.version().anon_prefix}, known_(o.task.empty()) {}
    void up_to(std::size_t end); // events
    bool known() const { return known_; } // the task that was asked for
    nlohmann::json events = nlohmann::json::array();

private:
    void event(std::size_t i);
    std::string partings(const Divergence* from, std::size_t event); // told now, in one line
    const StepOnKernel& o_;
    Run& run_;
    StepView view_;
    bool known_;
    std::size_t printed_ = 0;
    std::vector<std::string> rings_;
    std::set<std::pair<std::size_t, std::string>> told_; // by event
};

std::string Printer::partings(const Divergence* d, std::size_t event) {
    std::string text;
    const auto& all = run_.comparison().divergences;
    for (; d && d != all.data() + all.size() && d->event <= event; ++d) {
        if (!told_.insert({d->event, d->text}).second) continue;
        text += (text.empty() ? "" : "; ") + d->text;
        if (!o_.json) fmt::print("{:>20} DIVERGED   {}\n", "", printable(d->text));
    }
    return text;
}

void Printer::event(std::size_t i) {
    Timeline& timeline = run_.timeline();
    const Event e = timeline[i];
    const State& before = timeline.seek(i);
    const bool wanted = o_.task.empty() || (e.task != no_id && task_label(before, view_.names, e.task) == o_.task);
    known_ = known_ || wanted;
    const Reading* const reading = run_.reading_at(i);
    const Divergence* const first = run_.divergence_at(i);
    if (!reading && !first && !(wanted && (o_.events || step_shows(e)))) return;
    nlohmann::json j;
    if (o_.json) j = event_json(view_, i + 1, before, e);
    else if (wanted) print_line(view_, i + 1, before, e);
    if (reading && !o_.json) print_reading(*reading, rings_, timeline.seek(i + 1), view_.names);
    if (reading) rings_ = reading->rings;
    const std::string text = partings(first, i);
    if (!o_.json) return;
    j["diverged"] = !text.empty();
    if (reading) j["kernel_ring"] = rings_json(*reading);
    if (!text.empty()) j["divergence"] = text;
    events.push_back(std::move(j));
}

void Printer::up_to(std::size_t end) {
    const auto& all = run_.comparison().divergences;
    if (!all.empty() && printed_) partings(all.data(), printed_ - 1); // of a call that ended earlier
    for (; printed_ < end; ++printed_) event(printed_);
}

// Asks what to do about the next call; false: nothing more. `all`: the rest is not asked for.
bool asked(Run& run, bool& all) {
    fmt::print("{:>20} next       {} [any key: make it, a: all, q: quit]\n", "", printable(coming_text(run.coming(), false, run.comparison().why.empty())));
    std::fflush(stdout);
    const char key = key_pressed();
    all = key == 'a';
    return key != 'q' && key != 0 && key != 3 && key != 4; // Ctrl-C, Ctrl-D
}

} // namespace

int step_on_kernel(const StepOnKernel& o) {
    std::string error;
    const auto run = Run::begin(o.file, o.version, error);
    if (!run) return fmt::print(stderr, "{}\n", one_line(error)), 2;
    const bool by_hand = !o.json && ::isatty(STDIN_FILENO) && ::isatty(STDOUT_FILENO);
    Printer printer(o, *run);
    Timeline& timeline = run->timeline();
    const auto shown = [&] { return std::min(timeline.size(), o.until); };
    for (bool all = !by_hand; run->more() && timeline.size() < o.until && (all || asked(*run, all));) {
        run->next();
        if (by_hand) printer.up_to(shown());
    }
    printer.up_to(shown());
    const Comparison& seen = run->comparison();
    if (!printer.known() && !(by_hand && run->more())) return fmt::print(stderr, "{}: has no task \"{}\"\n", printable(o.file), printable(o.task)), 2;
    if (o.json) {
        const nlohmann::json whole = {{"events", printer.events}, {"pipes", pipes_json(timeline.seek(timeline.size()), run->strings())}, {"kernel", seen.kernel},
            {"calls", seen.calls}, {"divergences", seen.divergences.size()}, {"rings_read", seen.rings}, {"ended_early", seen.why}, {"fault", run->fault()}};
        fmt::print("{}\n", whole.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    } else {
        fmt::print("{}\n", printable(in_step_verdict(seen)));
    }
    std::fflush(stdout);
    if (!run->fault().empty()) fmt::print(stderr, "{}\n", one_line(run->fault()));
    if (!seen.divergences.empty() || run->refuted()) return 1;
    return run->fault().empty() || run->skipped() ? 0 : 2;
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Prints a scenario or a recording: time, task, stage, what changed; as lines or as one JSON object.
#include "app/cmd_step.hpp"
#include "app/document.hpp"
#include "app/layout.hpp"
#include "app/options.hpp"
#include "app/printable.hpp"
#include "app/step_kernel.hpp"
#include "app/step_text.hpp"
#include "core/describe.hpp"
#include "sim/narrate.hpp"
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace pipescope {
namespace {

struct StepOptions {
    std::string file, kernel, task, schedule, on = "model";
    std::optional<std::size_t> until; // nothing: to the end
    bool events = false, json = false;
};

constexpr std::size_t endless = 200'000; // events printed of a scenario that never ends, unless --until says more

int step(const StepOptions& o) {
    const auto version = kernel_option(o.kernel);
    if (!version) return 2;
    if (o.on == "kernel") {
        if (!o.schedule.empty()) return fmt::print(stderr, "--schedule: on the kernel calls are made one after another\n"), 2;
        return step_on_kernel({o.file, o.task, *version, o.until.value_or(endless), o.events, o.json});
    }
    std::string error;
    const auto doc = Document::open(o.file, *version, error);
    if (!doc) return fmt::print(stderr, "{}\n", one_line(error)), 2;
    if (Schedule schedule; !o.schedule.empty()) {
        if (!schedule_parse(o.schedule, schedule)) return fmt::print(stderr, "--schedule {}: not a list of task numbers such as \"1 2 1\"\n", o.schedule), 2;
        doc->follow(std::move(schedule));
    }
    const std::size_t limit = o.until.value_or(endless);
    doc->ensure(limit);
    Timeline& timeline = doc->timeline();
    const std::size_t end = o.until || !doc->more() ? std::min(timeline.size(), o.until.value_or(timeline.size())) : limit;
    if (!o.task.empty()) {
        const State& all = timeline.seek(timeline.size());
        bool known = false;
        for (TaskId t = 0; t < all.tasks.size(); ++t) known = known || task_label(all, doc->strings(), t) == o.task;
        if (!known) return fmt::print(stderr, "{}: has no task \"{}\"\n", printable(o.file), printable(o.task)), 2;
    }
    const StepView view{doc->strings(), doc->version().anon_prefix};
    nlohmann::json events = nlohmann::json::array();
    for (std::size_t i = 0; i < end; ++i) {
        const Event e = timeline[i];
        if (!o.events && !step_shows(e)) continue;
        const State& before = timeline.seek(i);
        const std::string task = e.task == no_id ? "" : task_label(before, doc->strings(), e.task);
        if (!o.task.empty() && task != o.task) continue;
        if (o.json) events.push_back(event_json(view, i + 1, before, e));
        else print_line(view, i + 1, before, e);
    }
    const State& last = timeline.seek(end);
    if (o.json)
        fmt::print("{}\n", nlohmann::json{{"events", events}, {"pipes", pipes_json(last, doc->strings())}, {"fault", doc->more() ? std::string() : doc->fault()}}.dump(
                               -1, ' ', false, nlohmann::json::error_handler_t::replace));
    else
        for (PipeId i = 0; i < last.pipes.size(); ++i)
            fmt::print("{}: {}\n", printable(pipe_label(last, doc->strings(), i)), printable(ring_string(last, doc->strings(), i)));
    std::fflush(stdout);
    if (!doc->fault().empty() && !doc->more()) {
        return fmt::print(stderr, "{}\n", one_line(doc->fault())), doc->refuted() ? 1 : doc->skipped() ? 0 : 2;
    }
    if (doc->meta().cut) fmt::print(stderr, "{}: is cut off: its recorder came to no end\n", printable(o.file));
    if (!o.until && doc->more()) fmt::print(stderr, "{}: goes on for ever; the first {} events are shown\n", o.file, limit);
    return 0;
}

} // namespace

void add_step_command(CLI::App& app, std::function<int()>& run) {
    auto o = std::make_shared<StepOptions>();
    CLI::App* sub = app.add_subcommand("step", "print a scenario or a recording stage by stage");
    sub->add_option("FILE", o->file, "a scenario or a recording")->required();
    sub->add_option("--kernel", o->kernel, kernel_help);
    sub->add_option("--on", o->on, "model, or kernel: each call is made on this kernel too, and compared")->check(CLI::IsMember({"model", "kernel"}))->capture_default_str();
    sub->add_option("--schedule", o->schedule, "whose turns come first, as explore prints them, or from event N on, as \"@N 2\"");
    sub->add_option("--until", o->until, "stop after this many events")->check(whole_number());
    sub->add_option("--task", o->task, "only what this task does");
    sub->add_flag("--events", o->events, "every event, not stages and calls alone");
    sub->add_flag("--json", o->json, "one JSON object");
    sub->callback([o, &run] { run = [o] { return step(*o); }; });
}

} // namespace pipescope

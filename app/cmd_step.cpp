// SPDX-License-Identifier: MIT
// Prints a scenario or a recording: time, task, stage, what changed; as lines or as one JSON object.
#include "app/cmd_step.hpp"
#include "app/options.hpp"
#include "app/document.hpp"
#include "app/layout.hpp"
#include "core/describe.hpp"
#include "sim/narrate.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace pipescope {
namespace {

struct StepOptions {
    std::string file, kernel, task, schedule;
    std::optional<std::size_t> until; // nothing: to the end
    bool events = false, json = false;
};

constexpr std::size_t endless = 200'000; // events printed of a scenario that never ends, unless --until says more

bool is_call(const Event& e) { return e.kind == EventKind::sys_enter || e.kind == EventKind::sys_exit; }

std::string stage_text(const Document& doc, const State& s, const Event& e) {
    if (e.kind != EventKind::stage) return event_name(e.kind);
    const StageInfo& info = stage_info(e.stage);
    return info.fn == Fn::none ? info.label : fmt::format("{} {}", fn_label(info.fn, pipe_is_fifo(s, e.pipe), doc.version().anon_prefix), info.label);
}

// "head 0→1" and "tail 3→4" where the event moves one.
std::string change_text(const State& before, const Event& e) {
    if (e.pipe >= before.pipes.size()) return "";
    const Pipe& p = before.pipes[e.pipe];
    switch (e.kind) {
    case EventKind::head_set: return fmt::format("head {}→{}", p.head, e.a);
    case EventKind::tail_set: return fmt::format("tail {}→{}", p.tail, e.a);
    case EventKind::ring_begin: return fmt::format("head {}→{}, tail {}→{}", p.head, e.a, p.tail, e.b);
    case EventKind::ring_resize: return fmt::format("head {}→{}, tail {}→0", p.head, p.occupancy(), p.tail);
    case EventKind::stage:
        if (e.stage == Stage::w_insert || e.stage == Stage::v_add) return fmt::format("head {}→{}", p.head, e.x);
        if (e.stage == Stage::r_tail || e.stage == Stage::s_tail) return fmt::format("tail {}→{}", p.tail, e.x);
        return "";
    default: return "";
    }
}

std::string event_text(const State& before, const StringTable& names, const Event& e) {
    std::string text = e.kind == EventKind::sys_enter ? call_text(before, names, e) : narrate(before, names, e);
    if (const std::string change = change_text(before, e); !change.empty()) text += " [" + change + "]";
    return text;
}

void print_line(const Document& doc, std::size_t n, const State& before, const Event& e) {
    const StringTable& names = doc.strings();
    const std::string task = e.task == no_id ? "" : task_label(before, names, e.task);
    fmt::print("{:>6} {:>12} {:<10} {:<30} {}\n", n, time_text(e.t_ns), task, stage_text(doc, before, e), event_text(before, names, e));
}

nlohmann::json pipes_json(const State& s, const StringTable& names) {
    nlohmann::json list = nlohmann::json::array();
    for (PipeId i = 0; i < s.pipes.size(); ++i)
        list.push_back({{"head", s.pipes[i].head}, {"tail", s.pipes[i].tail}, {"ring", ring_string(s, names, i)}});
    return list;
}

int step(const StepOptions& o) {
    const auto version = kernel_option(o.kernel);
    if (!version) return 2;
    std::string error;
    const auto doc = Document::open(o.file, *version, error);
    if (!doc) return fmt::print(stderr, "{}\n", error), 2;
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
        if (!known) return fmt::print(stderr, "{}: has no task \"{}\"\n", o.file, o.task), 2;
    }
    nlohmann::json events = nlohmann::json::array();
    for (std::size_t i = 0; i < end; ++i) {
        const Event e = timeline[i];
        if (!o.events && e.kind != EventKind::stage && !is_call(e)) continue;
        const State& before = timeline.seek(i);
        const std::string task = e.task == no_id ? "" : task_label(before, doc->strings(), e.task);
        if (!o.task.empty() && task != o.task) continue;
        if (!o.json) print_line(*doc, i + 1, before, e);
        else
            events.push_back({{"n", i + 1}, {"t_ns", e.t_ns}, {"task", task}, {"stage", stage_text(*doc, before, e)},
                {"text", event_text(before, doc->strings(), e)}});
    }
    const State& last = timeline.seek(end);
    if (o.json)
        fmt::print("{}\n", nlohmann::json{{"events", events}, {"pipes", pipes_json(last, doc->strings())}}.dump(
                               -1, ' ', false, nlohmann::json::error_handler_t::replace));
    else
        for (PipeId i = 0; i < last.pipes.size(); ++i)
            fmt::print("{}: {}\n", pipe_label(last, doc->strings(), i), ring_string(last, doc->strings(), i));
    std::fflush(stdout);
    if (!doc->fault().empty() && !doc->more()) {
        std::string fault = doc->fault();
        std::replace(fault.begin(), fault.end(), '\n', ' ');
        return fmt::print(stderr, "{}\n", fault), doc->refuted() ? 1 : doc->skipped() ? 0 : 2;
    }
    if (!o.until && doc->more()) fmt::print(stderr, "{}: goes on for ever; the first {} events are shown\n", o.file, limit);
    return 0;
}

} // namespace

void add_step_command(CLI::App& app, std::function<int()>& run) {
    auto o = std::make_shared<StepOptions>();
    CLI::App* sub = app.add_subcommand("step", "print a scenario or a recording stage by stage");
    sub->add_option("FILE", o->file, "a scenario or a recording")->required();
    sub->add_option("--kernel", o->kernel, kernel_help);
    sub->add_option("--schedule", o->schedule, "whose turns come first, as explore prints them, or from event N on, as \"@N 2\"");
    sub->add_option("--until", o->until, "stop after this many events")->check(whole_number());
    sub->add_option("--task", o->task, "only what this task does");
    sub->add_flag("--events", o->events, "every event, not stages and calls alone");
    sub->add_flag("--json", o->json, "one JSON object");
    sub->callback([o, &run] { run = [o] { return step(*o); }; });
}

} // namespace pipescope

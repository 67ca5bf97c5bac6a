// SPDX-License-Identifier: MIT
// An event as a line of text or a JSON object.
#include "app/step_text.hpp"
#include "app/layout.hpp"
#include "app/printable.hpp"
#include "core/describe.hpp"
#include "sim/narrate.hpp"
#include <fmt/format.h>

namespace pipescope {
namespace {

std::string stage_text(const StepView& view, const State& s, const Event& e) {
    if (e.kind != EventKind::stage) return event_name(e.kind);
    const StageInfo& info = stage_info(e.stage);
    return info.fn == Fn::none ? info.label : fmt::format("{} {}", fn_label(info.fn, pipe_is_fifo(s, e.pipe), view.anon_prefix), info.label);
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

std::string event_text(const State& before, const StringTable& names, const Event& e, bool anon_prefix) {
    std::string text = e.kind == EventKind::sys_enter ? call_text(before, names, e) : narrate(before, names, e, anon_prefix);
    if (const std::string change = change_text(before, e); !change.empty()) text += " [" + change + "]";
    return text;
}

} // namespace

bool step_shows(const Event& e) { return e.kind == EventKind::stage || e.kind == EventKind::sys_enter || e.kind == EventKind::sys_exit; }

void print_line(const StepView& view, std::size_t n, const State& before, const Event& e) {
    const std::string task = e.task == no_id ? "" : task_label(before, view.names, e.task);
    fmt::print("{:>6} {:>12} {:<10} {:<30} {}\n", n, time_text(e.t_ns), printable(task), stage_text(view, before, e), printable(event_text(before, view.names, e, view.anon_prefix)));
}

nlohmann::json event_json(const StepView& view, std::size_t n, const State& before, const Event& e) {
    return {{"n", n}, {"t_ns", e.t_ns}, {"task", e.task == no_id ? "" : task_label(before, view.names, e.task)}, {"stage", stage_text(view, before, e)},
        {"text", event_text(before, view.names, e, view.anon_prefix)}};
}

nlohmann::json pipes_json(const State& s, const StringTable& names) {
    nlohmann::json list = nlohmann::json::array();
    for (PipeId i = 0; i < s.pipes.size(); ++i)
        list.push_back({{"head", s.pipes[i].head}, {"tail", s.pipes[i].tail}, {"ring", ring_string(s, names, i)}});
    return list;
}

} // namespace pipescope

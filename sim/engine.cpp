// SPDX-License-Identifier: MIT
// Who runs next: calls one after another, or tasks side by side by least virtual time.
#include "sim/costs.hpp"
#include "sim/model_backend.hpp"
#include <cassert>

namespace pipescope {

void ModelBackend::user_line(TaskId t, std::uint32_t line) {
    if (line && kernel_.s.tasks[t].line != line) kernel_.emit(EventKind::user_line, t, no_id, line);
}

void ModelBackend::exit_task(TaskId t) {
    Runner& r = runners_[t];
    r.thread = Thread{};
    r.co = kernel_.do_exit(t); // closes what it alone has open, and may have to wait for a mutex
    r.co.start(r.thread);
    r.at = At::inside;
    r.dying = true;
    kernel_.stop_at_stages = false;
    run(t);
}

void ModelBackend::start(TaskId t, const Call& c) {
    Runner& r = runners_[t];
    assert(r.at == At::user && !r.result_due);
    user_line(t, c.line);
    r.call = c;
    r.thread = Thread{};
    r.co = kernel_.syscall(t, r.call);
    r.co.start(r.thread);
    r.at = At::inside;
}

void ModelBackend::run(TaskId t) {
    Runner& r = runners_[t];
    r.thread.run();
    if (r.thread.done() && r.dying) {
        r.at = At::gone;
        if (const std::uint32_t cpu = kernel_.s.tasks[t].cpu; cpu < on_cpu_.size() && on_cpu_[cpu] == t) on_cpu_[cpu] = no_id;
        return;
    }
    if (r.thread.done()) {
        r.at = At::user;
        r.result_due = true;
        return;
    }
    const RunState st = kernel_.s.tasks[t].run;
    if (st == RunState::sleep || st == RunState::lock_sleep || st == RunState::lock_spin) {
        r.at = At::blocked;
        r.spun = st == RunState::lock_spin;
    }
}

void ModelBackend::take_woken() {
    while (!kernel_.woken.empty()) {
        const TaskId t = kernel_.woken.front();
        kernel_.woken.pop_front();
        Runner& r = runners_[t];
        if (r.at != At::blocked) continue;
        r.at = At::inside;
        r.t_ns = std::max(r.t_ns, kernel_.now_ns + (r.spun ? step_costs().spin_handover_ns : step_costs().wake_latency_ns));
    }
}

void ModelBackend::settle() {
    kernel_.stop_at_stages = false;
    for (TaskId t = 0; t < runners_.size(); ++t)
        if (runners_[t].at == At::inside) run(t);
    while (!kernel_.woken.empty()) { // in the order of the wake-ups, as on one CPU
        const TaskId t = kernel_.woken.front();
        kernel_.woken.pop_front();
        if (runners_[t].at != At::blocked) continue;
        runners_[t].at = At::inside;
        run(t);
    }
}

bool ModelBackend::run_to(TaskId t, Stage stage) {
    let_go(t);
    kernel_.stop_at_stages = true;
    while (runners_[t].at == At::inside) {
        run(t);
        if (runners_[t].at == At::inside && kernel_.s.tasks[t].at.stage == stage) runners_[t].at = At::held;
    }
    return runners_[t].at == At::held;
}

void ModelBackend::let_go(TaskId t) {
    if (runners_[t].at == At::held) runners_[t].at = At::inside;
}

std::optional<long> ModelBackend::finished(TaskId t) {
    Runner& r = runners_[t];
    if (!r.result_due) return std::nullopt;
    r.result_due = false;
    return r.co.result();
}

std::optional<TaskId> ModelBackend::advance() {
    kernel_.stop_at_stages = true;
    take_woken(); // by an exit between two turns
    TaskId best = no_id;
    for (TaskId t = 1; t < runners_.size(); ++t) { // task 0, the main chunk, has ended by now
        const Runner& r = runners_[t];
        if (r.at != At::user && r.at != At::inside) continue;
        const std::uint32_t cpu = kernel_.s.tasks[t].cpu;
        if (cpu < on_cpu_.size() && on_cpu_[cpu] != no_id && on_cpu_[cpu] != t) continue;
        if (best == no_id || r.t_ns < runners_[best].t_ns) best = t;
    }
    if (best == no_id) return std::nullopt;
    Runner& r = runners_[best];
    const std::uint32_t cpu = kernel_.s.tasks[best].cpu;
    if (cpu >= on_cpu_.size()) on_cpu_.resize(cpu + 1, no_id);
    on_cpu_[cpu] = best;
    kernel_.now_ns = r.t_ns = std::max(r.t_ns, kernel_.s.t_ns);
    if (r.at == At::user) {
        r.t_ns += step_costs().user_code_ns;
        return best;
    }
    run(best);
    r.t_ns = kernel_.now_ns;
    take_woken();
    if (r.at == At::blocked) on_cpu_[cpu] = no_id;
    return no_id;
}

} // namespace pipescope

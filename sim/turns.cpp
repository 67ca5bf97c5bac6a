// SPDX-License-Identifier: MIT
// Tasks in an order of somebody else's choosing: who can take a turn, and where a turn ends.
#include "sim/turns.hpp"
#include "sim/model_backend.hpp"
#include <algorithm>

namespace pipescope {

bool takes_mutex(Stage stage) {
    switch (stage) {
    case Stage::w_lock: case Stage::r_lock: case Stage::v_lock: case Stage::s_lock: case Stage::t_lock: case Stage::l_lock: case Stage::f_lock:
    case Stage::o_lock: case Stage::x_lock: case Stage::c_lock: case Stage::z_lock: case Stage::i_lock: case Stage::n_lock: return true;
    default: return false;
    }
}

bool ends_turn(const Event& e) {
    if (e.kind != EventKind::stage) return false;
    switch (e.stage) {
    case Stage::w_sleep: case Stage::r_sleep: case Stage::v_sleep: case Stage::s_sleep: case Stage::x_sleep: case Stage::n_wait: case Stage::p_look:
    case Stage::q_head: case Stage::q_tail: case Stage::t_input: case Stage::t_output: case Stage::k_room: case Stage::q_data: case Stage::k_queue: case Stage::b_queue: case Stage::b_look: case Stage::b_fetch:
        return true;
    case Stage::w_wake: case Stage::r_wake: case Stage::w_wake_next: case Stage::r_wake_next: case Stage::v_wake: case Stage::f_wake: case Stage::x_wake:
    case Stage::t_wake: case Stage::l_wake: return e.y != 0; // it wakes somebody
    default: return takes_mutex(e.stage);
    }
}

bool ModelBackend::can_turn(TaskId t) const {
    const Runner& r = runners_[t];
    const Task& task = kernel_.s.tasks[t];
    const auto free = [&](PipeId p) { // or handed to it already
        if (p >= kernel_.s.pipes.size()) return true;
        const TaskId owner = kernel_.s.pipes[p].mutex.owner;
        return owner == no_id || owner == t || kernel_.s.pipes[p].files == 0;
    };
    switch (r.at) {
    case At::user: return true;
    case At::inside: return task.at.kind != EventKind::stage || !takes_mutex(task.at.stage) || free(task.at.pipe);
    case At::blocked:
        return (task.run == RunState::lock_spin || task.run == RunState::lock_sleep || task.run == RunState::runnable) && waiting_for(t) != no_id && free(waiting_for(t));
    default: return false;
    }
}

// The pipe whose mutex a task is in the list of, or no_id.
PipeId ModelBackend::waiting_for(TaskId t) const {
    for (PipeId p = 0; p < kernel_.s.pipes.size(); ++p)
        for (const TaskId w : kernel_.s.pipes[p].mutex.waiters)
            if (w == t) return p;
    return no_id;
}

void ModelBackend::hold(TaskId t, bool on) { runners_[t].at = on ? At::held : At::user; }

void ModelBackend::turn(TaskId t) {
    Runner& r = runners_[t];
    kernel_.stop_at_stages = true;
    kernel_.now_ns = kernel_.s.t_ns;
    r.at = At::inside;
    do {
        run(t);
        take_woken();
    } while (r.at == At::inside && !ends_turn(kernel_.s.tasks[t].at));
    r.t_ns = std::max(r.t_ns, kernel_.now_ns);
    if (const std::uint32_t cpu = kernel_.s.tasks[t].cpu; r.at == At::blocked && cpu < on_cpu_.size() && on_cpu_[cpu] == t) on_cpu_[cpu] = no_id;
}

} // namespace pipescope

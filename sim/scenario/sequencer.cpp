// SPDX-License-Identifier: MIT
// One call at a time, in the order that the scenario's text gives.
#include "sim/scenario/sequencer.hpp"
#include "core/describe.hpp"
#include <fmt/format.h>

namespace pipescope {

std::string call_text(const Call& c, long result) {
    std::string args = std::to_string(c.fd);
    if (c.fd_out >= 0) args += fmt::format(", {}", c.fd_out);
    for (std::size_t i = 0; i < c.iov.size() && i < 8; ++i) args += fmt::format(", {}", c.iov[i].len);
    if (c.iov.size() > 8) args += fmt::format(", … {} in all", c.iov.size());
    if (c.len) args += fmt::format(", {}", c.len);
    if (c.nr == Sys::poll && result >= 0) return fmt::format("poll({}) = \"{}\"", args, poll_string(static_cast<std::uint32_t>(result)));
    return fmt::format("{}({}) = {}", sys_name(c.nr), args, result < 0 ? errno_name(static_cast<int>(-result)) : std::to_string(result));
}

Sequencer::State Sequencer::stuck(std::uint32_t line, std::string why) {
    line_ = static_cast<int>(line);
    why_ = std::move(why);
    return state_ = State::stuck;
}

void Sequencer::finish(TaskId t, const Call& c, long result) {
    results.push_back(fmt::format("line {}: {}{}{}", c.line, t ? script_.task_name(t) : "", t ? ": " : "", call_text(c, result)));
    script_.answer_call(t, c, result);
}

void Sequencer::go(TaskId t) {
    held_ = until_ != Stage::none && backend_.run_to(t, until_);
    if (!held_) backend_.let_go(t);
    backend_.settle();
}

void Sequencer::leave() {
    script_.answer_text(active_ = 0, held_ ? stage_info(until_).id : "blocked");
    until_ = Stage::none;
}

Sequencer::State Sequencer::step() {
    if (state_ != State::running) return state_;
    const TaskId t = active_;
    switch (script_.resume(t)) {
    case Script::Outcome::call: {
        const Call c = script_.call();
        idle_runs_ = 0;
        if (++calls_ > call_limit && call_limit) return stuck(c.line, "more than " + std::to_string(call_limit) + " system calls");
        backend_.start(t, c);
        go(t);
        if (const auto r = backend_.finished(t)) {
            finish(t, c, *r);
        } else if (t == 0) {
            return stuck(c.line, std::string(sys_name(c.nr)) + " would block for ever");
        } else {
            inside_.resize(script_.tasks());
            inside_[t] = c;
            leave();
        }
        break;
    }
    case Script::Outcome::run: { // main alone can ask for it, of a task that has not ended
        const TaskId w = script_.run_target();
        if (++idle_runs_ > 100'000) return stuck(script_.call().line, "run() again and again without a system call");
        inside_.resize(script_.tasks());
        until_ = script_.run_until();
        if (inside_[w] && backend_.can_stop()) go(w);
        if (!inside_[w]) {
            active_ = w;
        } else if (const auto r = backend_.finished(w)) {
            const Call c = *inside_[w];
            inside_[w].reset();
            finish(w, c, *r);
            active_ = w;
        } else {
            leave();
        }
        break;
    }
    case Script::Outcome::ended:
        if (on_ended) on_ended(t);
        if (t == 0) return state_ = State::over;
        until_ = Stage::none;
        script_.answer_ended(active_ = 0, t);
        break;
    case Script::Outcome::stopped: return state_ = State::stopped;
    }
    return state_;
}

} // namespace pipescope

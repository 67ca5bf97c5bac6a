// SPDX-License-Identifier: MIT
// Plays a script call by call: main until it ends, another task only while main runs it.
#pragma once
#include "sim/scenario/script.hpp"
#include <functional>
#include <string>
#include <vector>

namespace pipescope {

// "write(4, 100) = 100": a call and its result in one line, without addresses, so that two runs can be compared.
std::string call_text(const Call& c, long result);

class Sequencer {
public:
    enum class State { running, over, stopped, stuck }; // stopped: see Script::stop(); stuck: see stuck_text()

    Sequencer(Script& script, Backend& backend) : script_(script), backend_(backend) {}
    // Resumes a program once and does what it asks for.
    State step();
    State state() const { return state_; }
    int line() const { return line_; } // where it got stuck
    const std::string& why() const { return why_; }
    std::uint64_t calls() const { return calls_; }
    std::vector<std::string> results;     // call_text of every finished call, with line and task
    std::uint64_t call_limit = 100'000;   // a case that makes more is taken for an endless loop; 0: no limit
    std::function<void(TaskId)> on_ended; // a task's program has ended

private:
    State stuck(std::uint32_t line, std::string why);
    void go(TaskId t); // a task that is inside goes on: to its end, a sleep or the stage asked for
    void leave();      // main goes on: the task sleeps, or stands at a stage
    void finish(TaskId t, const Call& c, long result);

    Script& script_;
    Backend& backend_;
    State state_ = State::running;
    TaskId active_ = 0;
    Stage until_ = Stage::none;               // where the active task is to stop
    bool held_ = false;                       // it has come there
    std::vector<std::optional<Call>> inside_; // by task: the call it has not come back from
    std::uint64_t calls_ = 0, idle_runs_ = 0;
    int line_ = 0;
    std::string why_;
};

} // namespace pipescope

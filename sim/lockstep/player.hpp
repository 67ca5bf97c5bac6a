// SPDX-License-Identifier: MIT
// The order of a run call by call: whose program goes on when. The same for the model alone and for both.
#pragma once
#include "sim/lockstep/shadow.hpp"
#include "sim/scenario/script.hpp"
#include "sim/scenario/sequencer.hpp"

namespace pipescope::lockstep {

class Player {
public:
    Player(const KernelVersion& v, Backend* kernel); // null: the model alone
    bool load(const std::string& path) { return script.load(path); }
    // Programs go on to the next system call, which is made, or to the scenario's end. What a program does in between, such
    // as making a pipe, is done on the way.
    void next();
    bool over() const { return over_; }
    const std::string& fault() const { return fault_; } // "file:line: message" that ended it early

    ModelBackend model;
    Shadow shadow;
    Script script;

private:
    void end(std::string why);
    void step();
    void step_free();
    bool turn(TaskId t); // false: it sleeps
    Sequencer main_;
    std::vector<std::optional<Call>> inside_; // by task: the call it has not come back from
    bool free_ = false;                       // the tasks that nobody runs: one after another, a call each
    TaskId turn_ = 1, last_ = no_id;          // whose turn it is; the outcome's, once it has begun
    bool moved_ = false;                      // somebody, in this round
    bool over_ = false;
    std::string fault_;
    std::size_t noted_ = 0;
};

} // namespace pipescope::lockstep

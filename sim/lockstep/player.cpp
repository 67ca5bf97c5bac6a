// SPDX-License-Identifier: MIT
// A program resumed at a time, until one of them makes a call.
#include "sim/lockstep/player.hpp"
#include "sim/scenario/free_run.hpp"

namespace pipescope::lockstep {

Player::Player(const KernelVersion& v, Backend* kernel) : model(v), shadow(model, kernel), script(shadow, v), main_(script, shadow) {
    main_.on_ended = [this](TaskId t) { shadow.exit_task(t); };
}

void Player::next() {
    for (const std::uint64_t before = shadow.started(); !over_ && shadow.started() == before;) {
        step();
        note_printed(script, model, noted_);
    }
}

void Player::end(std::string why) {
    over_ = true;
    fault_ = std::move(why);
}

void Player::step() {
    if (free_) return step_free();
    switch (main_.step()) {
    case Sequencer::State::running: break;
    case Sequencer::State::stopped: end(script.stop_text()); break;
    case Sequencer::State::stuck: end(script.path() + ":" + std::to_string(main_.line()) + ": " + main_.why()); break;
    case Sequencer::State::over:
        free_ = !script.called_run() && script.tasks() > 1;
        over_ = !free_;
        break;
    }
}

void Player::step_free() {
    if (last_ != no_id) {
        if (script.ended(last_) || !turn(last_)) over_ = true;
        return;
    }
    while (turn_ < script.tasks()) {
        const TaskId t = turn_++;
        if (!script.ended(t) && t != script.outcome() && turn(t)) {
            moved_ = true;
            return;
        }
    }
    turn_ = 1;
    if (std::exchange(moved_, false)) return;
    last_ = script.begin_outcome();
    over_ = last_ == no_id;
}

bool Player::turn(TaskId t) {
    inside_.resize(script.tasks());
    if (inside_[t]) {
        const auto r = shadow.finished(t);
        if (!r) return false;
        script.answer_call(t, *inside_[t], *r);
        inside_[t].reset();
    }
    switch (script.resume(t)) {
    case Script::Outcome::call: {
        const Call c = script.call();
        shadow.start(t, c);
        shadow.settle();
        if (const auto r = shadow.finished(t)) script.answer_call(t, c, *r);
        else inside_[t] = c;
        return true;
    }
    case Script::Outcome::ended: shadow.exit_task(t); return true;
    case Script::Outcome::run: end(script.path() + ": run() is for the main chunk"); return true;
    case Script::Outcome::stopped: end(script.stop_text()); return true;
    }
    return false;
}

} // namespace pipescope::lockstep

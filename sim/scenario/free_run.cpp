// SPDX-License-Identifier: MIT
// Resuming a program: its last call's result goes in, its next call comes out.
#include "sim/scenario/free_run.hpp"

namespace pipescope {

bool FreeRun::resume(TaskId t) {
    calls_.resize(script_.tasks());
    asked_.resize(script_.tasks());
    if (asked_[t]) {
        asked_[t] = false;
        if (const auto r = model_.finished(t)) script_.answer_call(t, calls_[t], *r);
    }
    switch (script_.resume(t)) {
    case Script::Outcome::call:
        calls_[t] = script_.call();
        asked_[t] = true;
        model_.start(t, calls_[t]);
        return true;
    case Script::Outcome::ended: model_.exit_task(t); return true;
    case Script::Outcome::run: why_ = script_.path() + ": run() is for the main chunk"; return false;
    case Script::Outcome::stopped: why_ = script_.stop_text(); return false;
    }
    return false;
}

bool FreeRun::turn(TaskId t) {
    if (model_.in_user(t)) {
        if (!resume(t)) return false;
        if (script_.ended(t)) return true;
    }
    model_.turn(t);
    return true;
}

} // namespace pipescope

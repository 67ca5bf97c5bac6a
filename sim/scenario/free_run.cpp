// SPDX-License-Identifier: MIT
// Resuming a program: its last call's result goes in, its next call comes out.
#include "sim/scenario/free_run.hpp"
#include <sstream>

namespace pipescope {

namespace {
// The first comment of the file, for one that sets no title.
std::string first_comment(const std::string& text) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line) && line.compare(0, 2, "--") == 0;) {
        const std::size_t from = line.find_first_not_of("- ");
        if (from != std::string::npos && line.compare(from, 4, "SPDX") != 0) return line.substr(from);
    }
    return "";
}
} // namespace

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

void note_printed(const Script& script, ModelBackend& model, std::size_t& noted) {
    for (; noted < script.printed.size(); ++noted) {
        Event e;
        e.t_ns = model.timeline().state().t_ns;
        e.kind = EventKind::note;
        e.task = script.current();
        e.a = model.strings().intern(script.printed[noted]);
        model.timeline().append(e);
    }
}

TraceMeta meta_of(const Script& script, const std::string& kernel) {
    TraceMeta meta;
    meta.source = script.source();
    meta.watch = script.watch;
    meta.kernel = kernel;
    meta.capture = "model";
    meta.title = script.title.empty() ? first_comment(meta.source) : script.title;
    if (meta.title.empty()) meta.title = script.path().substr(script.path().find_last_of('/') + 1);
    return meta;
}

} // namespace pipescope

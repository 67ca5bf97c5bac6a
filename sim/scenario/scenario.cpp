// SPDX-License-Identifier: MIT
// A scenario on the model, run as far as somebody wants to see.
#include "sim/scenario/scenario.hpp"
#include "sim/model_backend.hpp"
#include "sim/scenario/sequencer.hpp"
#include <sstream>

namespace pipescope {

struct Scenario::Impl {
    Impl(const KernelVersion& v) : model(v), script(model, v), main(script, model) {
        main.call_limit = 0; // an endless scenario is fine: it runs only as far as it is looked at
        main.on_ended = [this](TaskId t) { model.exit_task(t); };
    }
    void step();
    void side_by_side();
    void end(std::string why);

    ModelBackend model;
    Script script;
    Sequencer main;
    std::vector<Call> calls; // by task, side by side: what it has asked for last
    std::vector<bool> asked;
    TraceMeta meta;
    std::string error;
    bool free = false, over = false;
    std::size_t noted = 0; // lines of print() that are in the timeline
};

Scenario::Scenario() = default;
Scenario::~Scenario() = default;

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

std::unique_ptr<Scenario> Scenario::load(const std::string& path, const KernelVersion& v, std::string& error) {
    std::unique_ptr<Scenario> s(new Scenario);
    s->impl_ = std::make_unique<Impl>(v);
    Impl& i = *s->impl_;
    if (!i.script.load(path)) {
        error = i.script.stop_text();
        return nullptr;
    }
    // Its header is read by running it up to its first call.
    if (!v.asked && i.script.source().find("kernel") != std::string::npos) {
        i.step();
        if (const auto wanted = i.script.wanted_kernel()) return load(path, *wanted, error);
    }
    i.meta.source = i.script.source();
    i.meta.kernel = std::string(v.name);
    i.meta.capture = "model";
    i.meta.title = first_comment(i.meta.source);
    if (i.meta.title.empty()) i.meta.title = path.substr(path.find_last_of('/') + 1);
    return s;
}

void Scenario::Impl::end(std::string why) {
    over = true;
    error = std::move(why);
}

void Scenario::Impl::step() {
    if (free) side_by_side();
    else switch (main.step()) {
        case Sequencer::State::running: break;
        case Sequencer::State::stopped: end(script.stop_text()); break;
        case Sequencer::State::stuck: end(script.path() + ":" + std::to_string(main.line()) + ": " + main.why()); break;
        case Sequencer::State::over:
            if (script.called_run() || script.tasks() == 1) over = true;
            free = !over;
            break;
        }
    for (; noted < script.printed.size(); ++noted) {
        Event e;
        e.t_ns = model.timeline().state().t_ns;
        e.kind = EventKind::note;
        e.task = script.current();
        e.a = model.strings().intern(script.printed[noted]);
        model.timeline().append(e);
    }
}

void Scenario::Impl::side_by_side() {
    const auto turn = model.advance();
    if (!turn) over = true; // all have ended, or sleep for good
    if (!turn || *turn == no_id) return;
    const TaskId t = *turn;
    calls.resize(script.tasks());
    asked.resize(script.tasks());
    if (asked[t]) {
        asked[t] = false;
        if (const auto r = model.finished(t)) script.answer_call(t, calls[t], *r);
    }
    switch (script.resume(t)) {
    case Script::Outcome::call:
        calls[t] = script.call();
        asked[t] = true;
        model.start(t, calls[t]);
        break;
    case Script::Outcome::ended: model.exit_task(t); break;
    case Script::Outcome::run: end(script.path() + ": run() is for the main chunk"); break;
    case Script::Outcome::stopped: end(script.stop_text()); break;
    }
}

bool Scenario::pump(std::size_t events) {
    while (!impl_->over && impl_->model.timeline().size() < events) impl_->step();
    Impl& i = *impl_;
    if (!i.script.title.empty()) i.meta.title = i.script.title;
    i.meta.watch = i.script.watch;
    return !i.over;
}

bool Scenario::over() const { return impl_->over; }
const std::string& Scenario::error() const { return impl_->error; }
Timeline& Scenario::timeline() { return impl_->model.timeline(); }
const StringTable& Scenario::strings() const { return impl_->model.strings(); }
const TraceMeta& Scenario::meta() const { return impl_->meta; }
const std::string& Scenario::question() const { return impl_->script.question; }
const std::vector<std::string>& Scenario::printed() const { return impl_->script.printed; }

} // namespace pipescope

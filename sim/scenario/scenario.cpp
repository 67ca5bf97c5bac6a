// SPDX-License-Identifier: MIT
// A scenario on the model, run as far as somebody wants to see.
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/free_run.hpp"
#include "sim/scenario/sequencer.hpp"

namespace pipescope {

struct Scenario::Impl {
    Impl(const KernelVersion& v) : model(v), script(model, v), main(script, model), programs(script, model) {
        main.call_limit = 0; // an endless scenario is fine: it runs only as far as it is looked at
        main.on_ended = [this](TaskId t) { model.exit_task(t); };
    }
    void step();
    void side_by_side();
    void end(std::string why);

    ModelBackend model;
    Script script;
    Sequencer main;
    FreeRun programs; // side by side
    Schedule schedule; // whose turns come first, or at a position
    std::size_t turns = 0;               // of these, taken
    TraceMeta meta;
    std::string error;
    bool free = false, over = false;
    std::size_t noted = 0; // lines of print() that are in the timeline
};

Scenario::Scenario() = default;
Scenario::~Scenario() = default;

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
    i.meta = meta_of(i.script, std::string(v.name));
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
    note_printed(script, model, noted);
}

void Scenario::Impl::side_by_side() {
    if (turns < schedule.size() && model.timeline().size() >= schedule[turns].after) {
        const TaskId t = schedule[turns++].task;
        if (t == 0 || t >= script.tasks() || !model.can_turn(t)) end(script.path() + ": turn " + std::to_string(turns) + " of the schedule is of task " + std::to_string(t) + ", which cannot go on");
        else if (!programs.turn(t)) end(programs.why());
        return;
    }
    const auto turn = model.advance();
    if (!turn && turns < schedule.size()) return end(script.path() + ": the schedule waits for event " + std::to_string(schedule[turns].after) + ", and the run ends before");
    if (!turn) over = script.begin_outcome() == no_id; // all have ended, or sleep for good
    if (turn && *turn != no_id && !programs.resume(*turn)) end(programs.why());
}

void Scenario::follow(Schedule schedule) { impl_->schedule = std::move(schedule); }
std::size_t Scenario::turns_taken() const { return impl_->turns; }

std::vector<TaskId> Scenario::can_go() const {
    std::vector<TaskId> out;
    for (TaskId t = 1; impl_->free && !impl_->over && t < impl_->script.tasks(); ++t)
        if (impl_->model.can_turn(t)) out.push_back(t);
    return out;
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
bool Scenario::refuted() const { return impl_->over && impl_->script.stop().kind == ScriptStop::Kind::expectation; }
bool Scenario::skipped() const { return impl_->over && impl_->script.stop().kind == ScriptStop::Kind::skip; }
Timeline& Scenario::timeline() { return impl_->model.timeline(); }
const StringTable& Scenario::strings() const { return impl_->model.strings(); }
const TraceMeta& Scenario::meta() const { return impl_->meta; }
const std::string& Scenario::question() const { return impl_->script.question; }
const std::vector<std::string>& Scenario::printed() const { return impl_->script.printed; }

} // namespace pipescope

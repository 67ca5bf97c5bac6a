// SPDX-License-Identifier: MIT
// The order of a run call by call, the process that the kernel's half of it is in, and what comes back from there.
#include "sim/lockstep/lockstep.hpp"
#include "sim/lockstep/shadow.hpp"
#include "sim/running_kernel.hpp"
#include "sim/scenario/free_run.hpp"
#include "sim/scenario/kernel_backend.hpp"
#include "sim/scenario/kernel_process.hpp"
#include "sim/scenario/sequencer.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sys/utsname.h>

namespace pipescope::lockstep {
namespace {

constexpr int time_limit_ms = 60'000;

// The same of the model alone and of both: what differs is whether a kernel is asked too.
class Player {
public:
    Player(const KernelVersion& v, Backend* kernel) : model(v), shadow(model, kernel), script(shadow, v), main_(script, shadow) {
        main_.on_ended = [this](TaskId t) { shadow.exit_task(t); };
    }
    bool load(const std::string& path) { return script.load(path); }
    void play(std::size_t events) {
        while (!over && model.timeline().size() < events) {
            step();
            note_printed(script, model, noted_);
        }
    }
    ModelBackend model;
    Shadow shadow;
    Script script;
    std::string fault;
    bool over = false;

private:
    void end(std::string why) {
        over = true;
        fault = std::move(why);
    }
    void step() {
        if (free_) return round();
        switch (main_.step()) {
        case Sequencer::State::running: break;
        case Sequencer::State::stopped: end(script.stop_text()); break;
        case Sequencer::State::stuck: end(script.path() + ":" + std::to_string(main_.line()) + ": " + main_.why()); break;
        case Sequencer::State::over:
            free_ = !script.called_run() && script.tasks() > 1;
            over = !free_;
            break;
        }
    }
    // Tasks that nobody runs: one after another, a call each.
    void round() {
        bool moved = false;
        for (TaskId t = 1; t < script.tasks() && !over; ++t)
            if (!script.ended(t) && t != script.outcome()) moved = turn(t) || moved;
        if (moved || over) return;
        const TaskId last = script.begin_outcome();
        if (last == no_id) over = true;
        else
            while (!over && !script.ended(last) && turn(last)) {
            }
    }
    bool turn(TaskId t) { // false: it sleeps
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
    Sequencer main_;
    std::vector<std::optional<Call>> inside_; // by task: the call it has not come back from
    bool free_ = false;
    std::size_t noted_ = 0;
};

std::string kernel_half(const std::string& path, const KernelVersion& v, std::size_t events) {
    auto* const kernel = new KernelBackend(shared_ring_reader()); // goes with the process, and who sleeps in it too
    Comparison seen;
    if (seen.why = kernel->unusable(); seen.why.empty()) {
        Player player(v, kernel);
        if (player.load(path)) player.play(events);
        seen = player.shadow.seen;
        seen.no_rings = kernel->unknown();
    }
    nlohmann::json j = {{"calls", seen.calls}, {"rings", seen.rings}, {"no_rings", seen.no_rings}, {"why", seen.why}, {"readings", nlohmann::json::array()},
        {"divergences", nlohmann::json::array()}};
    for (const Reading& r : seen.readings) j["readings"].push_back({r.event, r.rings});
    for (const Divergence& d : seen.divergences) j["divergences"].push_back({d.event, d.pipe, d.slot, d.text});
    return j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void take(const std::string& text, const std::string& error, Comparison& out) {
    const nlohmann::json j = nlohmann::json::parse(text, nullptr, false);
    try {
        out.calls = j.at("calls"), out.rings = j.at("rings"), out.no_rings = j.at("no_rings"), out.why = j.at("why");
        for (const auto& r : j.at("readings")) out.readings.push_back({r.at(0), r.at(1)});
        for (const auto& d : j.at("divergences")) out.divergences.push_back({d.at(0), d.at(1), d.at(2), d.at(3)});
        std::stable_sort(out.divergences.begin(), out.divergences.end(), [](const Divergence& a, const Divergence& b) { return a.event < b.event; });
    } catch (const nlohmann::json::exception&) {
        out.why = error.empty() ? "the kernel's half gave no result" : error;
    }
}

template <class T> const T* at_event(const std::vector<T>& list, std::size_t event) {
    const auto it = std::lower_bound(list.begin(), list.end(), event, [](const T& v, std::size_t e) { return v.event < e; });
    return it == list.end() || it->event != event ? nullptr : &*it;
}

} // namespace

struct Run::Impl {
    explicit Impl(const KernelVersion& v) : player(v, nullptr), version(v) {}
    Player player;
    KernelVersion version;
    TraceMeta meta;
    Comparison comparison;
};

Run::Run() = default;
Run::~Run() = default;

std::unique_ptr<Run> Run::play(const std::string& path, const KernelVersion& v, std::size_t events, std::string& error, bool kernel) {
    KernelVersion version = v.asked ? v : running_kernel(); // what a scenario's header wishes for is not to be had here
    version.asked = true;
    std::unique_ptr<Run> run(new Run);
    run->impl_ = std::make_unique<Impl>(version);
    Impl& i = *run->impl_;
    if (!i.player.load(path)) {
        error = i.player.script.stop_text();
        return nullptr;
    }
    if (kernel) {
        utsname name{};
        ::uname(&name);
        i.comparison.kernel = name.release;
        std::string lost;
        const std::string text = in_own_process([&] { return kernel_half(path, version, events); }, time_limit_ms, lost);
        take(text, lost, i.comparison);
    }
    i.player.play(events);
    i.meta = meta_of(i.player.script, version.name);
    return run;
}

Timeline& Run::timeline() { return impl_->player.model.timeline(); }
const StringTable& Run::strings() const { return impl_->player.model.strings(); }
const TraceMeta& Run::meta() const { return impl_->meta; }
const KernelVersion& Run::version() const { return impl_->version; }
const Comparison& Run::comparison() const { return impl_->comparison; }
const Reading* Run::reading_at(std::size_t event) const { return at_event(impl_->comparison.readings, event); }
const Divergence* Run::divergence_at(std::size_t event) const { return at_event(impl_->comparison.divergences, event); }
const std::string& Run::fault() const { return impl_->player.fault; }
bool Run::refuted() const { return impl_->player.script.stop().kind == ScriptStop::Kind::expectation; }
bool Run::skipped() const { return impl_->player.script.stop().kind == ScriptStop::Kind::skip; }
bool Run::more() const { return !impl_->player.over; }

} // namespace pipescope::lockstep

// SPDX-License-Identifier: MIT
// A scenario as something to search: turns of its tasks, and what is left when nobody can take one.
#include "sim/explore/explore.hpp"
#include "sim/explore/search.hpp"
#include "sim/explore/state_key.hpp"
#include "sim/scenario/free_run.hpp"
#include "sim/scenario/sequencer.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace pipescope::explore {
namespace {

constexpr std::size_t most_turns = 10'000; // of one run: a scenario that never ends is cut there

class Run final : public Execution {
public:
    Run(const std::string& source, const std::string& path, const KernelVersion& v) : model_(v), script_(model_, v), main_(script_, model_), free_(script_, model_) {
        if (!script_.load_text(source, path)) {
            error = script_.stop_text();
            return;
        }
        script_.take_note();
        main_.on_ended = [this](TaskId t) { model_.exit_task(t); };
        while (main_.step() == Sequencer::State::running) {}
        if (main_.state() == Sequencer::State::stopped) error = script_.stop_text();
        else if (main_.state() == Sequencer::State::stuck) error = path + ":" + std::to_string(main_.line()) + ": " + main_.why();
        else if (script_.called_run()) error = path + ": calls run(), so its tasks have one order alone";
        else if (script_.tasks() < 2) error = path + ": makes no tasks whose order could differ";
        if (main_.state() == Sequencer::State::stopped && script_.wanted_kernel()) wanted = script_.wanted_kernel(), error.clear();
    }
    std::vector<std::uint32_t> enabled() override {
        std::vector<std::uint32_t> out;
        if (!stopped_)
            for (TaskId t = 1; t < script_.tasks(); ++t)
                if (model_.can_turn(t)) out.push_back(t);
        return out;
    }
    void step(std::uint32_t t) override {
        const std::size_t before = model_.timeline().size();
        stopped_ = !free_.turn(t);
        calls_.resize(script_.tasks());
        for (std::size_t i = before; i < model_.timeline().size(); ++i) {
            const Event& e = model_.timeline()[i];
            if (e.task >= calls_.size()) continue;
            std::uint64_t& call = calls_[e.task];
            if (e.kind == EventKind::sys_enter) call = mix(call, e.a);
            if (e.kind == EventKind::stage) // but for the page: its number says nothing
                for (const std::uint64_t v : {static_cast<std::uint64_t>(e.stage), std::uint64_t{e.a}, std::uint64_t{e.c}, e.x, e.y}) call = mix(call, v);
            if (e.kind == EventKind::sys_exit) call = 0; // its program has the result; how it came to it no longer counts
        }
    }
    std::uint64_t key() override {
        std::vector<std::uint64_t> words = calls_;
        for (TaskId t = 0; t < script_.tasks(); ++t) words.push_back(script_.program_word(t));
        return state_key(model_.kernel().s, words);
    }
    std::string outcome() override {
        if (stopped_) return "error: " + free_.why();
        std::string text;
        const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
        const std::size_t tasks = script_.tasks();
        for (TaskId t = 1; t < tasks; ++t) {
            if (t == script_.outcome()) continue;
            if (!model_.gone(t)) add(fmt::format("{} {}", script_.task_name(t), asleep(t)));
            else if (const std::string r = script_.result_text(t); !r.empty()) add(fmt::format("{} = {}", script_.task_name(t), r));
        }
        if (const TaskId last = script_.begin_outcome(); last != no_id) {
            while (!stopped_ && !model_.gone(last) && model_.can_turn(last)) stopped_ = !free_.turn(last);
            if (stopped_) return "error: " + free_.why();
            add(model_.gone(last) ? script_.result_text(last) : "outcome() is blocked");
        }
        for (char& c : text)
            if (c == '\n') c = '/';
        return text.empty() ? "all have ended" : text;
    }
    std::string error;
    std::optional<KernelVersion> wanted; // by the scenario's header

private:
    std::string asleep(TaskId t) {
        const State& s = model_.kernel().s;
        const Task& task = s.tasks[t];
        const std::string where = std::string("sleeps for ever in ") + sys_name(task.sys);
        for (const Pipe& p : s.pipes)
            for (const std::uint32_t q : {0u, 1u})
                for (const WaitEntry& w : p.wait[q]) {
                    if (w.task != t || task.run != RunState::sleep) continue;
                    if (task.wait_for == WaitFor::data && !p.empty()) return where + ", and there is data: a lost wake-up";
                    if (task.wait_for == WaitFor::space && !p.full()) return where + ", and there is room: a lost wake-up";
                }
        return where;
    }
    ModelBackend model_;
    Script script_;
    Sequencer main_;
    FreeRun free_;
    bool stopped_ = false;
    std::vector<std::uint64_t> calls_; // by task: a word for how far its current call is
};

} // namespace

Report explore(const std::string& path, const KernelVersion& v, std::uint64_t limit, const std::function<void(std::uint64_t)>& progress) {
    Report report;
    ModelBackend unused(v);
    Script text(unused, v); // reads the file, once
    if (!text.load(path)) {
        report.error = text.stop_text();
        return report;
    }
    const std::string source = text.source();
    KernelVersion version = v;
    {
        const Run first(source, path, v);
        if (first.wanted) version = *first.wanted; // by its header
        report.error = first.wanted ? Run(source, path, version).error : first.error;
        if (!report.error.empty()) return report;
    }
    SearchResult r = search([&] { return std::make_unique<Run>(source, path, version); }, limit, most_turns, progress);
    report.states = r.states, report.schedules = r.orders, report.complete = r.complete, report.endless = r.endless;
    for (Found& f : r.found) report.outcomes.push_back({std::move(f.outcome), f.orders, std::move(f.schedule)});
    std::stable_sort(report.outcomes.begin(), report.outcomes.end(), [](const Outcome& a, const Outcome& b) { return a.count > b.count; });
    return report;
}

} // namespace pipescope::explore

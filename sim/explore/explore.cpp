// SPDX-License-Identifier: MIT
// A scenario as something to search: turns of its tasks, and what is left when nobody can take one.
#include "sim/explore/explore.hpp"
#include "sim/explore/search.hpp"
#include "sim/scenario/free_run.hpp"
#include "sim/scenario/sequencer.hpp"
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <map>

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
    Footprint step(std::uint32_t t) override {
        const Timeline& timeline = model_.timeline();
        const std::size_t before = timeline.size();
        const Event from = model_.kernel().s.tasks[t].at;
        stopped_ = !free_.turn(t);
        return footprint(std::span(timeline.events()).subspan(before), from);
    }
    std::string outcome() {
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
    std::string asleep(TaskId t) const {
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
    mutable ModelBackend model_;
    Script script_;
    Sequencer main_;
    FreeRun free_;
    bool stopped_ = false;
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
        Run first(source, path, version);
        if (first.wanted) version = *first.wanted;
        const Run second(source, path, version);
        report.error = second.error;
        if (!report.error.empty()) return report;
    }
    std::map<std::string, Outcome> outcomes;
    auto said = std::chrono::steady_clock::now();
    std::uint64_t runs = 0;
    const SearchResult r = search([&] { return std::make_unique<Run>(source, path, version); }, limit, most_turns,
        [&](Execution& e, const std::vector<std::uint32_t>& schedule) {
            std::string result = static_cast<Run&>(e).outcome();
            if (schedule.size() >= most_turns) result = fmt::format("cut after {} turns", most_turns);
            Outcome& o = outcomes[result];
            if (o.count++ == 0) o.result = result, o.schedule = schedule;
            ++runs;
            if (const auto now = std::chrono::steady_clock::now(); progress && now - said > std::chrono::seconds(1)) said = now, progress(runs);
            return true;
        });
    report.schedules = r.schedules, report.cut = r.cut, report.complete = r.complete;
    for (auto& [result, o] : outcomes) report.outcomes.push_back(std::move(o));
    std::stable_sort(report.outcomes.begin(), report.outcomes.end(), [](const Outcome& a, const Outcome& b) { return a.count > b.count; });
    return report;
}

std::string schedule_text(const std::vector<std::uint32_t>& schedule) {
    std::string out;
    for (const std::uint32_t t : schedule) out += (out.empty() ? "" : " ") + std::to_string(t);
    return out;
}

bool parse_schedule(const std::string& text, std::vector<std::uint32_t>& out) {
    out.clear();
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == ' ' || text[i] == ',') {
            ++i;
            continue;
        }
        std::uint32_t n = 0;
        std::size_t digits = 0;
        while (i < text.size() && text[i] >= '0' && text[i] <= '9' && digits < 6) n = n * 10 + static_cast<std::uint32_t>(text[i++] - '0'), ++digits;
        if (digits == 0 || (i < text.size() && text[i] != ' ' && text[i] != ',')) return false;
        out.push_back(n);
    }
    return true;
}

} // namespace pipescope::explore

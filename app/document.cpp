// SPDX-License-Identifier: MIT
// Opening scenarios and recordings.
#include "app/document.hpp"
#include "app/layout.hpp"
#include "sim/lockstep/lockstep.hpp"
#include "sim/recording/recording.hpp"
#include "sim/scenario/scenario.hpp"
#include <cstdlib>
#include <filesystem>

namespace pipescope {
namespace {

constexpr std::size_t opening_limit = 100'000; // events a scenario may run in search of its first write

bool ends_with(std::string_view s, std::string_view tail) { return s.size() >= tail.size() && s.substr(s.size() - tail.size()) == tail; }

// One line: what follows a line break is for people who debug the scenario engine.
std::string first_line(std::string s) {
    if (const std::size_t n = s.find('\n'); n != std::string::npos) s.resize(n);
    return s;
}

} // namespace

Document::Document() = default;
Document::~Document() = default;

std::unique_ptr<Document> Document::open(const std::string& path, const KernelVersion& v, std::string& error) {
    std::error_code ec;
    const auto status = std::filesystem::status(path, ec);
    if (!std::filesystem::exists(status)) return error = path + ": no such file", nullptr;
    if (std::filesystem::is_directory(status)) return error = path + ": is a directory", nullptr;
    if (!std::filesystem::is_regular_file(status)) return error = path + ": is not a regular file", nullptr;
    if (std::filesystem::file_size(path, ec) == 0 && !ec) return error = path + ": is empty", nullptr;
    if (recording_is(path) || ends_with(path, ".psc")) {
        std::optional<Trace> trace = recording_read(path, error);
        if (!trace) return error = first_line(error), nullptr;
        auto d = from_trace(std::move(*trace));
        d->path_ = path;
        return d;
    }
    std::unique_ptr<Document> d(new Document);
    d->asked_ = v;
    d->scenario_ = Scenario::load(path, v, error);
    if (!d->scenario_) return error = first_line(error), nullptr;
    d->path_ = path;
    return d;
}

std::unique_ptr<Document> Document::from_trace(Trace trace) {
    std::unique_ptr<Document> d(new Document);
    for (const Event& e : trace.events) d->timeline_.append(e);
    trace.events = {};
    d->trace_ = std::move(trace);
    return d;
}

std::unique_ptr<Document> Document::from_lockstep(std::unique_ptr<lockstep::Run> run, const std::string& path, const KernelVersion& asked, int patience_ms) {
    std::unique_ptr<Document> d(new Document);
    d->run_ = std::move(run);
    d->patience_ms_ = patience_ms;
    d->path_ = path;
    d->asked_ = asked;
    return d;
}

void Document::ensure(std::size_t n) {
    if (scenario_ && n > timeline().size()) scenario_->pump(n);
    while (run_ && run_->more() && run_->timeline().size() < n && run_->next(patience_ms_)) {
    }
}

void Document::follow(Schedule schedule) {
    schedule_ = std::move(schedule);
    if (scenario_) scenario_->follow(schedule_);
}
std::size_t Document::turns_taken() const { return scenario_ ? scenario_->turns_taken() : 0; }
std::vector<TaskId> Document::can_go() const { return scenario_ ? scenario_->can_go() : std::vector<TaskId>{}; }
bool Document::refuted() const { return scenario_ && scenario_->refuted(); }
bool Document::skipped() const { return scenario_ && scenario_->skipped(); }

bool Document::more() const { return scenario_ ? !scenario_->over() : run_ && run_->more(); }
bool Document::waiting() const { return run_ && run_->waiting(); }
const std::string& Document::fault() const { return scenario_ ? scenario_->error() : run_ ? run_->fault() : no_fault_; }
Timeline& Document::timeline() { return scenario_ ? scenario_->timeline() : run_ ? run_->timeline() : timeline_; }
const StringTable& Document::strings() const { return scenario_ ? scenario_->strings() : run_ ? run_->strings() : trace_.strings; }
const TraceMeta& Document::meta() const { return scenario_ ? scenario_->meta() : run_ ? run_->meta() : trace_.meta; }

KernelVersion Document::version() const { return kernel_version(meta().kernel).value_or(KernelVersion{}); }

std::string Document::title() const {
    if (!meta().title.empty()) return meta().title;
    if (!meta().command.empty()) return meta().command;
    return path_.empty() ? "pipescope" : std::filesystem::path(path_).filename().string();
}

std::size_t Document::opening() {
    for (std::size_t i = 0; i < opening_limit; ++i) {
        if (i >= timeline().size() && !run_) ensure(i + 512);
        if (i >= timeline().size()) break;
        const Event& e = timeline()[i];
        if (e.kind == EventKind::stage && (e.stage == Stage::w_lock || stage_info(e.stage).fn == Fn::sosend)) return i + 1;
    }
    // A recording has no stages: its first call then.
    const std::size_t first = timeline().next(0, Step::call);
    return first < timeline().size() ? first : 0;
}

const std::vector<std::string_view>& Document::source_lines() {
    if (!lines_known_) lines_ = lines_split(meta().source);
    lines_known_ = true;
    return lines_;
}

std::string document_first_tour() {
    const char* assets = std::getenv("PIPESCOPE_ASSETS");
    return std::string(assets ? assets : PIPESCOPE_ASSETS) + "/scenarios/tour.lua";
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// The two halves of a run: the kernel's, in a process of its own, asked for a call at a time, and the model's, here.
#include "sim/lockstep/lockstep.hpp"
#include "sim/lockstep/kernel_half.hpp"
#include "sim/lockstep/player.hpp"
#include "sim/running_kernel.hpp"
#include "sim/scenario/free_run.hpp"
#include <algorithm>
#include <chrono>
#include <sys/utsname.h>

namespace pipescope::lockstep {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds call_limit{60};

template <class T> const T* at_event(const std::vector<T>& list, std::size_t event) {
    const auto it = std::lower_bound(list.begin(), list.end(), event, [](const T& v, std::size_t e) { return v.event < e; });
    return it == list.end() || it->event != event ? nullptr : &*it;
}

} // namespace

struct Run::Impl {
    Impl(std::string file, const KernelVersion& v) : path(std::move(file)), version(v), player(v, nullptr) {}
    void lose(std::string why) {
        half.reset(), asked = false;
        comparison.why = std::move(why);
        comparison.until = player.model.timeline().size();
    }
    bool ask(int wait_ms);
    std::string path;
    KernelVersion version;
    Player player;
    std::unique_ptr<KernelProcess> half; // null: the model is alone
    bool asked = false;
    Clock::time_point asked_at;
    std::size_t steps = 0, half_events = 0;
    std::unique_ptr<Player> ahead; // the model a step further, to tell what comes
    std::size_t ahead_steps = 0;
    Coming coming;
    TraceMeta meta;
    Comparison comparison;
};

// The next answer of the kernel's half; false when it has not come yet.
bool Run::Impl::ask(int wait_ms) {
    if (!asked) asked = true, asked_at = Clock::now(), half->ask();
    std::string answer, gone;
    switch (half->take(wait_ms, answer, gone)) {
    case KernelProcess::Got::nothing_yet:
        if (Clock::now() - asked_at < call_limit) return false;
        lose("a call was not over within a minute");
        break;
    case KernelProcess::Got::gone: lose(gone); break;
    case KernelProcess::Got::answer:
        asked = false;
        if (!take_answer(answer, comparison, half_events)) lose("the kernel's half gave no result");
        break;
    }
    return true;
}

Run::Run() = default;
Run::~Run() = default;

std::unique_ptr<Run> Run::begin(const std::string& path, const KernelVersion& v, std::string& error, bool kernel) {
    KernelVersion version = v.asked ? v : running_kernel(); // what a scenario's header wishes for is not to be had here
    version.asked = true;
    std::unique_ptr<Run> run(new Run);
    run->impl_ = std::make_unique<Impl>(path, version);
    Impl& i = *run->impl_;
    if (!i.player.load(path)) {
        error = i.player.script.stop_text();
        return nullptr;
    }
    i.meta = meta_of(i.player.script, version.name);
    if (!kernel) return run;
    utsname name{};
    ::uname(&name);
    i.comparison.kernel = name.release;
    std::string why;
    i.half = KernelProcess::start([&] { return kernel_half(path, version); }, why);
    if (!i.half) i.lose(why);
    else i.ask(whole_wait); // whether there is a kernel to be asked at all; no call is made for it
    if (i.half && !i.comparison.why.empty()) i.lose(i.comparison.why);
    return run;
}

std::unique_ptr<Run> Run::play(const std::string& path, const KernelVersion& v, std::size_t events, std::string& error, bool kernel) {
    auto run = begin(path, v, error, kernel);
    if (run) run->finish(events);
    return run;
}

bool Run::next(int wait_ms) {
    Impl& i = *impl_;
    if (i.player.over()) return false;
    if (i.half && !i.ask(wait_ms)) return false;
    i.player.next();
    ++i.steps;
    i.meta = meta_of(i.player.script, i.version.name); // a title may have come
    if (i.half && i.comparison.why.empty() && i.half_events != timeline().size()) i.comparison.why = "the scenario did not go the same way twice";
    if (i.half && !i.comparison.why.empty()) i.lose(i.comparison.why);
    if (i.player.over()) i.half.reset();
    return true;
}

void Run::finish(std::size_t events) {
    while (more() && timeline().size() < events && next()) {
    }
}

const Coming& Run::coming() {
    Impl& i = *impl_;
    if (i.ahead_steps == i.steps + 1) return i.coming;
    if (!i.ahead) {
        i.ahead = std::make_unique<Player>(i.version, nullptr);
        if (!i.ahead->load(i.path)) return i.coming; // the file is gone meanwhile
    }
    for (; i.ahead_steps < i.steps; ++i.ahead_steps) i.ahead->next();
    i.coming = {};
    const std::uint64_t made = i.ahead->shadow.started();
    i.ahead->next(), ++i.ahead_steps;
    if (i.ahead->shadow.started() == made) return i.coming; // it only ends
    const Shadow::Last& last = i.ahead->shadow.last();
    const std::string whole = call_text(last.call, last.result.value_or(0));
    const std::size_t equals = whole.rfind(" = ");
    i.coming = {last.task, i.ahead->script.task_name(last.task), last.call.line, whole.substr(0, equals), last.result ? whole.substr(equals + 3) : "it sleeps"};
    return i.coming;
}

bool Run::waiting() const { return impl_->asked; }
bool Run::more() const { return !impl_->player.over(); }
std::size_t Run::steps() const { return impl_->steps; }
int Run::kernel_pid() const { return impl_->half ? impl_->half->pid() : 0; }
Timeline& Run::timeline() { return impl_->player.model.timeline(); }
const StringTable& Run::strings() const { return impl_->player.model.strings(); }
const TraceMeta& Run::meta() const { return impl_->meta; }
const KernelVersion& Run::version() const { return impl_->version; }
const Comparison& Run::comparison() const { return impl_->comparison; }
const Reading* Run::reading_at(std::size_t event) const { return at_event(impl_->comparison.readings, event); }
const Divergence* Run::divergence_at(std::size_t event) const { return at_event(impl_->comparison.divergences, event); }
const std::string& Run::fault() const { return impl_->player.fault(); }
bool Run::refuted() const { return impl_->player.script.stop().kind == ScriptStop::Kind::expectation; }
bool Run::skipped() const { return impl_->player.script.stop().kind == ScriptStop::Kind::skip; }

} // namespace pipescope::lockstep

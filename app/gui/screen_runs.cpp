// SPDX-License-Identifier: MIT
// The other runs of the scenario that is open: under another kernel version, or with another task going next.
#include "app/gui/screen.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace pipescope {
namespace {

constexpr std::size_t in_step_events = 100'000; // that a scenario may run for in lock step, where nobody steps
constexpr int in_step_patience_ms = 100;        // that a frame may wait for a real call; a longer one is drawn as on its way
constexpr std::size_t events_a_frame = 3000;   // looked at for findings

} // namespace

std::unique_ptr<Document> Screen::again(const KernelVersion& v, Schedule schedule, std::string& error) const {
    if (document_->recorded()) return error = "a recording ran on one kernel only, and in one order", nullptr;
    auto d = Document::open(document_->path(), v, error);
    if (d) d->follow(std::move(schedule));
    return d;
}

void Screen::show(std::unique_ptr<Document>& next) {
    std::swap(document_, next);
    lanes_ = Lanes();
    findings_ = RunFindings();
    partings_.clear(), pairs_ = {}, steps_seen_ = 0;
    why_ = WhyView(), when_ = WhenView();
    named_at_ = ~std::size_t{0};
    crossroads_.open = false;
    selection_.page = no_page, selection_.task = selection_.pipe = no_id; // ids of the other run
}

bool Screen::run_under(const std::string& version, std::string& error) {
    const auto v = kernel_version(version);
    if (!v) return error = unknown_kernel(version), false;
    if (!document_->recorded() && document_->meta().kernel == version) return true;
    auto next = again(*v, {}, error); // positions of a branch mean nothing there
    if (!next) return false;
    show(next);
    trunk_.reset();
    transport_.seek(*document_, transport_.position());
    comparison_.reset();
    if (!next->in_step()) comparison_ = compare_runs(*document_, *next); // calls one after another are another order
    return true;
}

bool Screen::run_in_step(std::string& error) {
    if (document_->recorded()) return error = document_->path() + ": is a recording; only a scenario can be run on this kernel", false;
    auto run = lockstep::Run::begin(document_->path(), document_->asked(), error);
    if (!run) return false;
    auto next = Document::from_lockstep(std::move(run), document_->path(), document_->asked(), options_.still ? lockstep::Run::whole_wait : in_step_patience_ms);
    show(next);
    trunk_.reset(), comparison_.reset();
    transport_.seek(*document_, document_->timeline().size()); // the main task is there
    return true;
}

void Screen::finish_in_step() {
    document_->in_step()->finish(in_step_events);
    follow_in_step();
    transport_.seek(*document_, partings_.empty() ? document_->opening() : partings_.front().n);
}

// A call that was waited for may have come back; and what is shown of the two halves grows with each.
void Screen::follow_in_step() {
    lockstep::Run* const run = document_->in_step();
    if (!run) return;
    const bool at_end = transport_.position() == run->timeline().size();
    if (run->waiting() && run->next(0) && at_end) transport_.forward(*document_);
    if (steps_seen_ == run->steps()) return;
    steps_seen_ = run->steps();
    pairs_.update(*run);
    partings_ = partings_of(*run, pairs_.list());
    if (std::string why; comparison_) compare_with(comparison_->there, why);
}

bool Screen::open_file(const std::string& path, std::string& error) {
    auto next = Document::open(path, KernelVersion{}, error);
    if (!next) return false;
    show(next);
    trunk_.reset(), comparison_.reset(), notice_.clear();
    transport_.seek(*document_, document_->opening());
    selection_.tab = Tab::findings;
    return true;
}

// Of a recording always, for its marks on the timeline; of a simulation while somebody looks.
void Screen::look_for_findings() {
    const bool wanted = document_->recorded() || selection_.tab == Tab::findings;
    const bool had = findings_.done();
    looking_ = wanted && !findings_.update(document_->timeline(), document_->meta(), document_->strings(), options_.still ? ~std::size_t{0} : events_a_frame);
    if (!had && findings_.done() && document_->recorded() && findings_.parting()) partings_ = {*findings_.parting()};
}

bool Screen::compare_with(const std::string& version, std::string& error) {
    const auto v = kernel_version(version);
    if (!v) return error = unknown_kernel(version), false;
    if (lockstep::Run* const here = document_->in_step()) { // as many calls, in the same order
        auto run = lockstep::Run::begin(document_->path(), *v, error, false);
        if (!run) return false;
        while (run->steps() < here->steps() && run->next()) {
        }
        const auto other = Document::from_lockstep(std::move(run), document_->path(), *v, 0);
        comparison_ = compare_runs(*document_, *other);
        return true;
    }
    const auto other = again(*v, {}, error);
    if (!other) return false;
    comparison_ = compare_runs(*document_, *other);
    return true;
}

void Screen::ask_next() {
    if (document_->in_step()) return; // there calls are made one after another
    crossroads_.open = !crossroads_.open;
    if (!crossroads_.open) return;
    crossroads_ = {true, transport_.position(), {}, no_id};
    const auto probe = again(document_->version(), document_->schedule(), notice_);
    if (!probe) return;
    probe->ensure(crossroads_.at);
    crossroads_.tasks = probe->can_go();
    document_->ensure(crossroads_.at + 64);
    const Timeline& t = document_->timeline();
    for (std::size_t i = probe->timeline().size(); i < t.size() && crossroads_.next == no_id; ++i)
        if (t[i].kind == EventKind::stage || t[i].kind == EventKind::sys_enter || t[i].kind == EventKind::user_line) crossroads_.next = t[i].task;
}

bool Screen::branch_to(TaskId task, std::string& error) {
    if (document_->in_step()) return error = "on the kernel calls are made one after another", false;
    const std::size_t n = transport_.position();
    const auto probe = again(document_->version(), document_->schedule(), error);
    if (!probe) return false;
    probe->ensure(n);
    const std::vector<TaskId> can = probe->can_go();
    if (std::find(can.begin(), can.end(), task) == can.end())
        return error = fmt::format("{}: {} cannot go on after event {}", document_->path(), task_label(state(), document_->strings(), task), n), false;
    Schedule turns = document_->schedule();
    turns.resize(std::min(turns.size(), probe->turns_taken())); // what was chosen for later is chosen anew
    turns.push_back({task, n});
    auto next = again(document_->version(), std::move(turns), error);
    if (!next) return false;
    show(next);
    if (!trunk_) trunk_ = std::move(next), trunk_n_ = n;
    transport_.seek(*document_, n);
    comparison_ = compare_runs(*document_, *trunk_);
    comparison_->here = "branch", comparison_->there = "trunk";
    return true;
}

void Screen::back_to_trunk() {
    if (!trunk_) return;
    show(trunk_);
    trunk_.reset();
    comparison_.reset();
    transport_.seek(*document_, trunk_n_);
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// The other runs of the scenario that is open: under another kernel version, or with another task going next.
#include "app/gui/screen.hpp"
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <utility>

namespace pipescope {
namespace {

constexpr std::size_t in_step_events = 100'000; // that a scenario may run for in lock step
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
    partings_.clear(), pairs_.clear();
    if (lockstep::Run* run = document_->in_step()) pairs_ = ring_pairs(*run), partings_ = partings_of(*run, pairs_);
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

// The kernel's half is a process of its own with a time limit; waiting for it is another thread's.
bool Screen::run_in_step(bool wait, std::string& error) {
    if (document_->recorded()) return error = document_->path() + ": is a recording; only a scenario can be run on this kernel", false;
    if (in_step_.valid()) return true;
    in_step_path_ = document_->path();
    in_step_ = std::async(std::launch::async, [path = in_step_path_, version = document_->asked()] {
        InStep out;
        out.run = lockstep::Run::play(path, version, in_step_events, out.error);
        return out;
    });
    if (wait) in_step_.wait(), take_in_step();
    if (wait && !document_->in_step()) return error = notice_, false;
    return true;
}

void Screen::take_in_step() {
    if (!in_step_.valid() || in_step_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    InStep got = in_step_.get();
    if (!got.run) {
        notice_ = got.error, fault_closed_ = false;
        return;
    }
    if (document_->path() != in_step_path_) return; // something else was opened meanwhile
    auto next = Document::from_lockstep(std::move(got.run), in_step_path_, document_->asked());
    show(next);
    trunk_.reset(), comparison_.reset();
    transport_.seek(*document_, partings_.empty() ? document_->opening() : partings_.front().n);
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
    std::unique_ptr<Document> other;
    if (!document_->in_step()) other = again(*v, {}, error);
    else if (auto run = lockstep::Run::play(document_->path(), *v, in_step_events, error, false)) // in the same order
        other = Document::from_lockstep(std::move(run), document_->path(), *v);
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

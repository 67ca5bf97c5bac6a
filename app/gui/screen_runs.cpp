// SPDX-License-Identifier: MIT
// The other runs of the scenario that is open: under another kernel version, or with another task going next.
#include "app/gui/screen.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace pipescope {

std::unique_ptr<Document> Screen::again(const KernelVersion& v, Schedule schedule, std::string& error) const {
    if (document_->recorded()) return error = "a recording ran on one kernel only, and in one order", nullptr;
    auto d = Document::open(document_->path(), v, error);
    if (d) d->follow(std::move(schedule));
    return d;
}

void Screen::show(std::unique_ptr<Document>& next) {
    std::swap(document_, next);
    lanes_ = Lanes();
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
    comparison_ = compare_runs(*document_, *next);
    return true;
}

bool Screen::compare_with(const std::string& version, std::string& error) {
    const auto v = kernel_version(version);
    if (!v) return error = unknown_kernel(version), false;
    const auto other = again(*v, {}, error);
    if (!other) return false;
    comparison_ = compare_runs(*document_, *other);
    return true;
}

void Screen::ask_next() {
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

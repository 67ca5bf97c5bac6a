// SPDX-License-Identifier: MIT
// Folds a run into its findings.
#include "app/findings_rows.hpp"
#include "app/findings_text.hpp"
#include "app/insight.hpp"
#include "sim/words.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace pipescope {

std::size_t next_of(const std::vector<std::uint64_t>& events, std::size_t n) {
    if (events.empty()) return 0;
    const auto it = std::upper_bound(events.begin(), events.end(), n);
    return static_cast<std::size_t>(it == events.end() ? events.front() : *it);
}

RunFindings::RunFindings() = default;
RunFindings::~RunFindings() = default;
RunFindings::RunFindings(RunFindings&&) noexcept = default;
RunFindings& RunFindings::operator=(RunFindings&&) noexcept = default;

std::size_t RunFindings::looked_at() const { return fold_ ? fold_->size() : done_ ? size_ : 0; }

bool RunFindings::update(const Timeline& t, const TraceMeta& meta, const StringTable& names, std::size_t most) {
    if (done_ && size_ == t.size()) return true;
    if (done_) done_ = false, fold_.reset(); // what was found stays until there is better
    if (!fold_) fold_ = std::make_unique<InsightFold>(meta);
    for (; most && fold_->size() < t.size(); --most) fold_->add(t[fold_->size()]);
    if (fold_->size() < t.size()) return false;
    finish(names);
    fold_.reset();
    size_ = t.size();
    return done_ = true;
}

namespace {

TimeBar bar_of(const TaskSummary& t) {
    TimeBar bar;
    bar.name = t.name + (t.pid ? fmt::format(" ({})", t.pid) : "");
    bar.figures = fmt::format("{} call{}, {}", t.calls, t.calls == 1 ? "" : "s", bytes_text(t.bytes));
    bar.waits_known = t.times.sleep_space.has_value();
    const TaskTimes& m = t.times;
    for (const auto& [ns, kind] : {std::pair{m.user, LaneKind::user}, {m.in_call, LaneKind::in_call}, {m.lock_wait, LaneKind::lock_wait},
             {m.sleep_space, LaneKind::sleep_full}, {m.sleep_data, LaneKind::sleep_empty}})
        if (ns && *ns) bar.parts.emplace_back(kind, *ns), bar.total += *ns;
    return bar;
}

} // namespace

void RunFindings::finish(const StringTable& names) {
    Insight all = fold_->finish(names);
    bars_.clear(), lines_.clear();
    for (const TaskSummary& task : all.summary.tasks)
        if (task.calls) bars_.push_back(bar_of(task));
    for (Finding& f : all.findings) {
        std::sort(f.events.begin(), f.events.end());
        lines_.push_back({std::move(f.text), std::move(f.events)});
    }
    beside_ = beside_lines(all.beside);
    parting_.reset();
    if (const auto& d = all.beside.first) parting_ = Parting{static_cast<std::size_t>(d->event), d->pipe, d->slot, d->text, d->kernel, d->model};
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Folds a run into its findings.
#include "app/findings_rows.hpp"
#include "app/findings_text.hpp"
#include "core/describe.hpp"
#include "sim/words.hpp"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace pipescope {

std::size_t next_of(const std::vector<std::uint64_t>& events, std::size_t n) {
    if (events.empty()) return 0;
    const auto it = std::upper_bound(events.begin(), events.end(), n);
    return static_cast<std::size_t>(it == events.end() ? events.front() : *it);
}

std::uint32_t slot_named(const std::string& text) {
    constexpr std::string_view word = "slot ";
    const std::size_t at = text.find(word);
    std::uint32_t slot = no_id;
    if (at == std::string::npos) return no_id;
    const char* from = text.data() + at + word.size();
    return std::from_chars(from, text.data() + text.size(), slot).ec == std::errc{} ? slot : no_id;
}

std::string ring_line(const State& s, const Pipe& p) {
    std::string out = fmt::format("head={} tail={}", p.head, p.tail);
    for (std::uint32_t i = p.tail; i != p.head; ++i) {
        const PipeBuffer& b = p.bufs[p.slot(i)];
        const char* kind = b.ops == BufOps::anon ? "kernel" : b.ops == BufOps::user_page ? "user" : s.pages.contains(b.page) ? page_owner_name(s.pages[b.page].owner) : "other";
        const std::string flags = buf_flags_string(b.flags);
        out += fmt::format(" | {}:{}@{}+{}{}{}", p.slot(i), kind, b.offset, b.len, flags.empty() ? "" : " ", flags);
    }
    return out;
}

struct RunFindings::Fold {
    explicit Fold(const TraceMeta& meta) : summarizer(meta), taker(meta, summarizer), beside(meta, summarizer) {}
    Summarizer summarizer;
    FigureTaker taker;
    Beside beside;
    std::size_t n = 0;
    void add(const Event& e) {
        ++n;
        if (!summarizer.add(e)) return;
        taker.add(n, e);
        beside.add(n, e);
    }
};

RunFindings::RunFindings() = default;
RunFindings::~RunFindings() = default;
RunFindings::RunFindings(RunFindings&&) noexcept = default;
RunFindings& RunFindings::operator=(RunFindings&&) noexcept = default;

std::size_t RunFindings::looked_at() const { return fold_ ? fold_->n : done_ ? size_ : 0; }

bool RunFindings::update(const Timeline& t, const TraceMeta& meta, const StringTable& names, std::size_t most) {
    if (done_ && size_ == t.size()) return true;
    if (done_) done_ = false, fold_.reset(); // what was found stays until there is better
    if (!fold_) fold_ = std::make_unique<Fold>(meta);
    for (; most && fold_->n < t.size(); --most) fold_->add(t[fold_->n]);
    if (fold_->n < t.size()) return false;
    finish(t, meta, names);
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

// The model's ring just before the events that told of the difference: what it was expected to be.
Parting parting_of(const Divergence& d, const Timeline& t, const TraceMeta& meta) {
    Parting out{static_cast<std::size_t>(d.event), d.pipe, slot_named(d.text), d.text, "", ""};
    Summarizer s(meta);
    Beside beside(meta, s);
    const Pipe* model = nullptr;
    for (std::size_t i = 0; i < t.size() && i < d.event; ++i) {
        if (!s.add(t[i])) continue;
        if (i + 1 == d.event && (model = beside.model(d.pipe))) out.model = ring_line(s.state(), *model);
        if (i + 1 < d.event) beside.add(i + 1, t[i]);
    }
    if (d.pipe < s.state().pipes.size()) out.kernel = ring_line(s.state(), s.state().pipes[d.pipe]);
    if (out.model.empty()) out.kernel.clear();
    return out;
}

} // namespace

void RunFindings::finish(const Timeline& t, const TraceMeta& meta, const StringTable& names) {
    const Summary summary = fold_->summarizer.finish(names);
    const Figures figures = fold_->taker.finish(summary, names);
    bars_.clear(), lines_.clear();
    for (const TaskSummary& task : summary.tasks)
        if (task.calls) bars_.push_back(bar_of(task));
    for (Finding& f : find(figures)) {
        std::sort(f.events.begin(), f.events.end());
        lines_.push_back({std::move(f.text), std::move(f.events)});
    }
    const BesideReport report = fold_->beside.finish();
    beside_ = beside_lines(report);
    parting_.reset();
    if (report.first) parting_ = parting_of(*report.first, t, meta);
}

} // namespace pipescope

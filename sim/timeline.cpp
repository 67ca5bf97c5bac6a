// SPDX-License-Identifier: MIT
// Keyframes, seeking and the positions where a step stops.
#include "sim/timeline.hpp"
#include <algorithm>
#include <cassert>

namespace pipescope {

std::size_t state_bytes(const State& s) {
    std::size_t n = sizeof s + s.pages.size() * sizeof(Page) + s.tables.size() * sizeof(PageTable) + s.tlbs.size() * sizeof(Tlb) + s.tasks.size() * sizeof(Task) +
                    s.files.size() * sizeof(File) + s.buffers.size() * sizeof(Buffer) + s.bytes.size() * 64;
    for (const Pipe& p : s.pipes) n += sizeof p + p.bufs.size() * sizeof(PipeBuffer);
    for (const auto& t : s.fdtables) n += t.size() * sizeof(FileId);
    for (const Mm& m : s.mms) n += m.vmas.size() * sizeof(Vma);
    for (const Socket& k : s.sockets) n += sizeof k + k.queue.size() * (sizeof(Skb) + sizeof(SkFrag));
    for (const auto& f : s.free_pages) n += f.size() * sizeof(PageId);
    return n;
}

Timeline::Timeline(std::size_t spacing, std::size_t budget) : spacing_(spacing ? spacing : 1), budget_(budget) { frames_.push_back({0, State{}}); }

void Timeline::append(const Event& e) {
    if (!apply(end_, e)) ++refused_;
    events_.push_back(e);
    const std::size_t n = events_.size();
    const bool call = e.kind == EventKind::sys_enter || e.kind == EventKind::sys_exit;
    if (call || e.kind == EventKind::stage || e.kind == EventKind::ring_end) stage_stops_.push_back(n);
    if (call) call_stops_.push_back(n);
    if (n % spacing_ == 0) keep_frame();
}

void Timeline::keep_frame() {
    frames_.push_back({events_.size(), end_});
    used_ += state_bytes(end_);
    while (used_ > budget_ && frames_.size() > 2) {
        spacing_ *= 2;
        std::erase_if(frames_, [&](const Frame& f) { return f.n % spacing_ != 0; });
        used_ = 0;
        for (const Frame& f : frames_) used_ += state_bytes(f.state);
    }
}

const State& Timeline::seek(std::size_t n) {
    assert(n <= events_.size());
    n = std::min(n, events_.size());
    if (n == events_.size()) return end_;
    const auto after = std::upper_bound(frames_.begin(), frames_.end(), n, [](std::size_t v, const Frame& f) { return v < f.n; });
    const Frame& frame = *std::prev(after);
    if (cursor_n_ > n || frame.n > cursor_n_) {
        cursor_ = frame.state;
        cursor_n_ = frame.n;
    }
    for (; cursor_n_ < n; ++cursor_n_) apply(cursor_, events_[cursor_n_]);
    return cursor_;
}

std::size_t Timeline::next(std::size_t n, Step step) const {
    if (step == Step::event) return std::min(n + 1, events_.size());
    const auto& stops = step == Step::stage ? stage_stops_ : call_stops_;
    const auto it = std::upper_bound(stops.begin(), stops.end(), n);
    return it == stops.end() ? events_.size() : *it;
}

std::size_t Timeline::prev(std::size_t n, Step step) const {
    if (step == Step::event) return n ? n - 1 : 0;
    const auto& stops = step == Step::stage ? stage_stops_ : call_stops_;
    const auto it = std::lower_bound(stops.begin(), stops.end(), n);
    return it == stops.begin() ? 0 : *std::prev(it);
}

std::size_t Timeline::at_time(std::uint64_t t_ns) const {
    return static_cast<std::size_t>(std::upper_bound(events_.begin(), events_.end(), t_ns, [](std::uint64_t t, const Event& e) { return t < e.t_ns; }) -
                                    events_.begin());
}

} // namespace pipescope

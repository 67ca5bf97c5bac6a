// SPDX-License-Identifier: MIT
// Whose turn it was, by what the kernel's ring and the results say; and where no turn explains them.
#include "sim/beside/followed.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace pipescope {

using namespace rings;

namespace {

constexpr std::uint64_t patience = 8;            // rings in a row that may be read out of their time
constexpr int turns = 4096;                      // for one ring or one call
constexpr std::uint64_t most_asked = 64ull << 20; // bytes of a call that is followed

} // namespace

void Followed::diverge(Divergence what) {
    if (guess_) { // another guess would perhaps have led there
        ++report_.guessed;
        return lose();
    }
    ++divergences;
    if (!first) first = std::move(what);
    lose();
}

Divergence Followed::parting(const Difference& d, const Pipe& k) const {
    return {ring_.number, id_, d.slot, d.text, line(k), line(model_->pipe())};
}

void Followed::lose() {
    lost_ |= model_ != nullptr;
    model_.reset();
    for (auto& [task, c] : calls_) c.followed = false;
    apart_ = 0;
    late_ = {};
    guess_ = false;
}

void Followed::finish() {
    excuse();
}

void Followed::excuse() {
    if (late_.task == no_id) return;
    if (late_.needs_in || late_.needs_out) diverge(late_.what);
    late_ = {};
}

bool Followed::crowded() const {
    int in = 0, out = 0;
    for (const auto& [task, c] : calls_) in += c.followed && c.way == Way::in, out += c.followed && c.way == Way::out;
    return in > 1 || out > 1;
}

// A read takes from a slot's length first and moves its offset then. A ring from between the two is not marked as torn when the
// mutex was seen free before and after.
bool Followed::caught_in_a_read(const Pipe& k) const {
    const Pipe& m = model_->pipe();
    if (m.empty() || k.empty() || m.tail != k.tail || m.head - m.tail < 2) return false;
    const PipeBuffer &a = at(m, m.tail), &b = at(k, k.tail);
    if (b.offset > a.offset || end_of(b) >= end_of(a)) return false;
    return std::any_of(calls_.begin(), calls_.end(), [&](const auto& c) { return c.second.way == Way::out && end_of(a) - end_of(b) <= c.second.enter.y; });
}

void Followed::give_up() {
    lose();
    given_up_ = true;
}

void Followed::enter(const State& s, const Event& e) {
    if (const auto old = calls_.find(e.task); old != calls_.end()) { // its exit was lost
        calls_.erase(old);
        lose();
    }
    if (e.task == late_.task) excuse();
    Inside& in = calls_[e.task];
    in.enter = e;
    in.way = way_of(s, e);
    if (in.way == Way::in) late_.needs_in = false;
    if (in.way == Way::out) late_.needs_out = false;
    entering_ = e.task;
    const auto sys = static_cast<Sys>(e.a);
    if (sys == Sys::sendfile || in.way == Way::unclear || (sys == Sys::splice && in.way == Way::in) || (in.way != Way::none && e.y > most_asked)) {
        in.way = Way::unclear;
        ++report_.not_followed;
        return lose();
    }
    if (!model_ || in.way == Way::none) return;
    const File* f = file_of(s, e.task, e.b);
    model_->begin(e, f ? f->flags : 0, in.way == Way::out);
    in.followed = true;
    guess_ |= crowded();
}

// The model can begin where nobody inside can have moved anything yet: those who only take sleep until there is something,
// and a vmsplice sleeps before it puts anything in.
void Followed::resume(const State& s, TaskId entering) {
    const Pipe& k = s.pipes[id_];
    if (given_up_ || k.torn || k.bufs.empty() || !k.max_usage || k.source != RingSource::kernel) return;
    for (const auto& [task, c] : calls_) {
        if (task == entering || c.way == Way::none) continue;
        const bool empty_handed = c.asleep && ((c.way == Way::out && k.empty()) || (static_cast<Sys>(c.enter.a) == Sys::vmsplice && k.full()));
        if (!empty_handed) return;
    }
    for (const auto& [task, c] : calls_)
        if (c.way == Way::unclear) return;
    model_ = std::make_unique<ModelPipe>(version_, k);
    report_.resumed += lost_;
    for (auto& [task, c] : calls_) {
        if (c.way == Way::none) continue;
        const File* f = file_of(s, task, c.enter.b);
        model_->begin(c.enter, f ? f->flags : 0, c.way == Way::out);
        c.followed = true;
    }
    guess_ = crowded();
}

// The state still has the ring before. One at the entry of a call belongs to that entry.
void Followed::next_ring(const State& s, const Event& begin) {
    const auto c = calls_.find(begin.task);
    if (!ring_.open && entering_ == begin.task && c != calls_.end() && c->second.enter.t_ns == begin.t_ns) return;
    settle(s, begin);
}

void Followed::settle(const State& s, const Event& e) {
    const TaskId entering = std::exchange(entering_, no_id);
    if (!model_) {
        ring_.open = false;
        if (entering != no_id && calls_.contains(entering)) resume(s, entering);
        return;
    }
    if (!ring_.open || (e.kind == EventKind::sys_exit && e.task == ring_.task)) return; // the exit itself says more
    meet(s.pipes[id_]);
}

// Whether the next one who takes has the turn: what it would take brings the tail to where the kernel's is, or part of the way.
bool Followed::takers_turn(const Pipe& k) const {
    const Pipe& m = model_->pipe();
    std::uint64_t needed = 0;
    for (std::uint32_t i = m.tail; before(i, k.tail) && i != m.head; ++i) needed += at(m, i).len;
    if (before(m.head, k.tail)) return m.full(); // some of that has to be put in first
    if (before(k.tail, m.head) && !k.empty()) {
        const PipeBuffer &a = at(m, k.tail), &b = at(k, k.tail);
        needed += b.offset > a.offset ? b.offset - a.offset : 0;
    }
    if (m.full()) return true;
    for (const auto& [task, c] : calls_)
        if (c.followed && c.way == Way::out && !model_->over(task)) {
            const std::uint64_t would = std::min(model_->asked(task), m.bytes());
            if (would != needed && (would > needed || would != model_->asked(task))) continue;
            std::uint32_t tail = m.tail; // a slot that is emptied is gone, even if the kernel's was added to in time
            for (std::uint64_t left = would; tail != m.head && left >= at(m, tail).len; ++tail) left -= at(m, tail).len;
            if (!before(k.tail, tail)) return true;
        }
    return false;
}

bool Followed::come_up_to(const Pipe& k) {
    for (int i = 0; i < turns; ++i) {
        const Pipe& m = model_->pipe();
        if (same_place(m, k)) return true;
        if (tail_behind(m, k) && takers_turn(k) && model_->turn_of_side(true)) continue;
        if (head_behind(m, k) && model_->turn_of_side(false)) continue;
        return false;
    }
    return false;
}

void Followed::meet(const Pipe& k) {
    ring_.open = false;
    guess_ |= k.torn;
    if (k.torn || k.bufs.empty()) return;
    if (k.ring_size != model_->pipe().ring_size) return lose(); // resized by a call that is not over yet, or not seen
    const bool there = come_up_to(k);
    const Pipe& m = model_->pipe();
    if (caught_in_a_read(k)) {
        ++report_.late;
        guess_ = true;
        return;
    }
    if (const Difference d = contradiction(m, k); !d.text.empty()) return diverge(parting(d, k));
    if (there) {
        ++report_.rings;
        report_.late += apart_;
        apart_ = 0;
        guess_ = crowded();
    } else {
        if (!apart_++) {
            apart_at_ = parting(difference(m, k), k);
            if (std::none_of(calls_.begin(), calls_.end(), [](const auto& c) { return c.second.way != Way::none; })) {
                if (head_behind(k, m) || tail_behind(k, m)) return diverge(apart_at_); // nobody can take a turn back
                late_ = {apart_at_, ring_.task, head_behind(m, k), tail_behind(m, k)};
            }
        }
        if (apart_ > patience) return diverge(apart_at_);
    }
    model_->ends(k.readers, k.writers);
}

void Followed::finish_call(std::uint64_t number, TaskId task, std::int64_t result) {
    ModelPipe& m = *model_;
    const bool takes = m.takes(task);
    if (result > 0) {
        const auto wanted = static_cast<std::uint64_t>(result);
        for (int i = 0; i < turns && !m.over(task); ++i) {
            if (takes && m.pipe().bytes() < wanted) {
                if (!m.turn_of_side(false, task) && !m.turn(task)) break;
            } else if (!m.turn(task) && !m.turn_of_side(!takes, task)) {
                break;
            }
        }
    }
    if (!m.over(task) && result > 0) m.change_places(task, result);
    if (m.begun(task) && !m.over(task)) m.interrupt(task);
    const bool ran = m.over(task);
    const long r = ran ? m.result(task) : 0;
    m.forget(task);
    if (result <= 0 && r <= 0) return; // nothing moved in either
    if (ran && r == result) {
        ++report_.results;
        return;
    }
    if (static_cast<Sys>(calls_[task].enter.a) == Sys::splice) return lose(); // what the other side took is not the pipe's doing
    const std::string text = r > 0 ? fmt::format("the call gave {} on the kernel, {} in the model", result, r)
                                   : fmt::format("the call gave {} on the kernel; in the model it sleeps", result);
    diverge({number, id_, no_id, text, "", ""});
}

void Followed::exit(std::uint64_t number, const State& s, const Event& e) {
    const auto c = calls_.find(e.task);
    if (c == calls_.end()) return;
    const auto sys = static_cast<Sys>(c->second.enter.a);
    const auto result = static_cast<std::int64_t>(e.x);
    const bool followed = c->second.followed && model_;
    if (model_ && sys == Sys::fcntl_setpipe_sz && result > 0) model_->resize(static_cast<std::uint64_t>(result));
    if (followed && ring_.open && !s.pipes[id_].torn) come_up_to(s.pipes[id_]);
    if (followed) finish_call(number, e.task, result);
    calls_.erase(e.task);
    if (model_ && ring_.open) meet(s.pipes[id_]);
    ring_.open = false;
}

} // namespace pipescope

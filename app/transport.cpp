// SPDX-License-Identifier: MIT
// Moving in a run that may still be growing.
#include "app/transport.hpp"
#include <algorithm>

namespace pipescope {
namespace {

constexpr std::size_t ahead = 4096;       // events a scenario is kept ahead of the position, so that WHEN shows what comes
constexpr std::size_t last_run = 500'000; // events that "last" may run on for: some scenarios never end

double seconds_for(Step s) { return s == Step::event ? 0.12 : s == Step::stage ? 0.45 : 0.9; }

} // namespace

void Transport::seek(Document& d, std::size_t n) {
    d.ensure(d.in_step() ? n : n + ahead);
    n_ = std::min(n, d.timeline().size());
}

void Transport::back(Document& d) {
    playing_ = false;
    n_ = d.timeline().prev(n_, step_);
}

void Transport::forward(Document& d) {
    if (d.in_step()) { // what has happened is gone over first; behind it one real call is made
        if (n_ == d.timeline().size()) d.ensure(n_ + 1);
        n_ = d.timeline().next(n_, step_);
        return;
    }
    std::size_t n = d.timeline().next(n_, step_);
    while (n == d.timeline().size() && d.more()) { // the next stop has not been reached yet
        d.ensure(d.timeline().size() + ahead);
        n = d.timeline().next(n_, step_);
        if (n - n_ > last_run) break;
    }
    seek(d, n);
}

void Transport::last(Document& d) {
    playing_ = false;
    if (d.in_step() && n_ < d.timeline().size()) { // to the end of what has happened; from there all that is left
        n_ = d.timeline().size();
        return;
    }
    const std::size_t limit = d.timeline().size() + last_run;
    while (d.more() && d.timeline().size() < limit) {
        const std::size_t had = d.timeline().size();
        d.ensure(had + ahead);
        if (d.timeline().size() == had) break; // the kernel is still in a call
    }
    n_ = d.timeline().size();
}

bool Transport::advance(Document& d, double now) {
    if (!playing_ || now < due_) return false;
    const std::size_t before = n_;
    forward(d);
    due_ = now + seconds_for(step_);
    if (n_ == before && !d.waiting()) playing_ = false;
    return true;
}

const char* step_name(Step s) { return s == Step::event ? "by event" : s == Step::stage ? "by stage" : "by system call"; }

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Where a task's time goes: outside its calls, at work in them, or waiting there, in all and by pipe.
#pragma once
#include "core/state.hpp"
#include <array>
#include <vector>

namespace pipescope {

enum class Where : std::uint8_t { outside, in_call, lock_wait, sleep_space, sleep_data, gone, places };
using Spent = std::array<std::uint64_t, static_cast<std::size_t>(Where::places)>; // ns

// Counts from a task's first call to its last: what a program did before and after is not known to be about pipes.
class TaskClock {
public:
    // After an event that may have changed what the task does was applied.
    void settle(const Task& t, const Event& e);
    void finish(std::uint64_t now_ns); // the recording ends; a call that did not return counts up to here
    std::uint64_t spent(Where w) const { return all_[static_cast<std::size_t>(w)]; }
    std::uint64_t spent(Where w, PipeId pipe) const { return pipe < by_pipe_.size() ? by_pipe_[pipe][static_cast<std::size_t>(w)] : 0; }
    std::uint64_t runnable() const { return runnable_; } // of outside and in_call: woken or preempted, waiting for a CPU
    std::uint64_t runnable(PipeId pipe) const { return pipe < runnable_by_pipe_.size() ? runnable_by_pipe_[pipe] : 0; }
    bool called() const { return called_; }
    std::uint64_t first_ns() const { return first_ns_; } // its first call began
    std::uint64_t last_ns() const { return last_ns_; }   // its last call was over

private:
    void spend(std::uint64_t now_ns);
    Where where(const Task& t) const;

    Spent all_{};
    std::vector<Spent> by_pipe_;
    std::vector<std::uint64_t> runnable_by_pipe_;
    std::uint64_t since_ = 0, runnable_ = 0, first_ns_ = 0, last_ns_ = 0;
    std::uint64_t after_ = 0, after_runnable_ = 0; // since the last call: counts only when another one follows
    Where place_ = Where::outside;
    PipeId pipe_ = no_id; // of the call it is in
    bool called_ = false, waits_for_lock_ = false, is_runnable_ = false;
};

} // namespace pipescope

// SPDX-License-Identifier: MIT
// What differs between two runs of one scenario, each under a kernel version of its own.
#pragma once
#include "app/document.hpp"

namespace pipescope {

struct CallDifference {
    std::string task, call, here, there; // results, or the call that the other run made instead
    std::size_t at = 0;                  // position behind the call in the run shown; 0 where it made none
};
struct TaskDifference {
    std::string task;
    std::uint64_t sleeps_here = 0, sleeps_there = 0, wakes_here = 0, wakes_there = 0;
};
struct PipeDifference {
    std::string pipe, ring_here, ring_there;
    std::uint32_t spare_here = 0, spare_there = 0; // the most spare pages it kept at a time
};
struct Comparison {
    std::string here, there; // versions
    bool whole = true;       // both ran to their end
    std::size_t events_here = 0, events_there = 0;
    std::uint64_t ns_here = 0, ns_there = 0; // how long they took
    std::size_t first = ~std::size_t{0};     // events before it are the same in both
    std::string first_here, first_there;     // what each does there
    std::size_t calls_different = 0;
    std::vector<CallDifference> calls; // at most calls_listed of them
    std::vector<TaskDifference> tasks;
    std::vector<PipeDifference> pipes; // all, the same or not
    bool same() const { return first == ~std::size_t{0}; }
};
inline constexpr std::size_t calls_listed = 100;

// Lets both run on for at most `limit` events; in step with the kernel they are compared as they are.
Comparison compare_runs(Document& here, Document& there, std::size_t limit = 60'000);

} // namespace pipescope

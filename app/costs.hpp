// SPDX-License-Identifier: MIT
// Where the time went, by call path: of a run up to a position, from its time stamps; of a simulated rung, from its ledger.
#pragma once
#include "core/strings.hpp"
#include "sim/des/ledger.hpp"
#include "sim/timeline.hpp"
#include <string>
#include <vector>

namespace pipescope {

struct CostLine { // of a tree in order, the dearest first
    std::string name;
    std::uint32_t depth = 0;
    double total = 0, self = 0; // shares of the whole, 0…1
    bool stage = false;         // a stage of a kernel function, no function
};
struct OffCpu { // time of a task that is in no kernel function's tree
    std::uint64_t user_ns = 0, lock_ns = 0, space_ns = 0, data_ns = 0, ready_ns = 0;
};
struct CostTree {
    std::uint64_t total_ns = 0; // in the kernel and on a CPU, of all tasks
    std::vector<CostLine> lines;
    std::vector<std::pair<TaskId, OffCpu>> off; // of tasks that made a call
};

// Grows with the timeline: a time stamp says when a task left one place of its call path for the next.
class RunCosts {
public:
    void update(const Timeline& t);
    // After n events, at time t_ns. Parts under `least`, a share, are left out.
    CostTree at(std::size_t n, std::uint64_t t_ns, const State& s, const StringTable& names, double least) const;

private:
    enum class Kind : std::uint8_t { task, sys, fn, stage, user, lock, space, data, ready };
    struct Node {
        Kind kind;
        std::uint16_t what; // Sys, Fn, Stage
        std::uint32_t parent, task;
        std::vector<std::uint32_t> children;
    };
    struct Step { // from event n on, a task is at `to` and no longer at `from`
        std::uint64_t n, t;
        std::uint32_t from, to;
    };
    struct Sum {
        std::int64_t ns = 0;
        std::int32_t open = 0; // tasks that are there now
    };
    struct TaskNow {
        std::uint32_t root = no_id, at = no_id;
        std::vector<std::uint32_t> path; // the call, then functions
        bool off = false;                // the place is none in the kernel
    };
    std::uint32_t child(std::uint32_t parent, Kind k, std::uint16_t what, TaskId task);
    void go(TaskNow& t, std::uint32_t to, std::uint64_t now);
    void take(const Event& e);
    void take_task(const Event& e, TaskNow& t, TaskId id);
    static void fold(std::vector<Sum>& sums, const Step& s);

    std::vector<Node> nodes_;
    std::vector<Step> steps_;
    std::vector<std::vector<Sum>> kept_; // every spacing steps
    std::vector<Sum> now_;
    std::vector<TaskNow> tasks_;
    std::size_t seen_ = 0;
};

CostTree ledger_costs(const Ledger& l, double least);

} // namespace pipescope

// SPDX-License-Identifier: MIT
// The model of one recorded pipe: the same calls, each taken one turn at the mutex at a time, in an order that others choose.
#pragma once
#include "core/kernel/kernel.hpp"
#include <map>
#include <memory>
#include <string>

namespace pipescope {

class ModelPipe {
public:
    // The pipe as the kernel had it, with nobody inside.
    ModelPipe(const KernelVersion& version, const Pipe& as);
    ~ModelPipe();
    ModelPipe(const ModelPipe&) = delete;

    // `enter` with the descriptor's flags: read, readv, write, writev, vmsplice, splice. Nothing moves before its first turn.
    void begin(const Event& enter, std::uint32_t file_flags, bool takes);
    bool takes(TaskId task) const { return calls_.at(task)->takes; }
    // On until it sleeps or is over; false when that changed nothing.
    bool turn(TaskId task);
    bool over(TaskId task) const { return calls_.at(task)->over; }
    long result(TaskId task) const { return calls_.at(task)->result; }
    void interrupt(TaskId task); // a signal: it comes back with what it has
    void forget(TaskId task) { calls_.erase(task); } // one that is over, or had no turn
    bool begun(TaskId task) const { return calls_.at(task)->begun; }
    // Some call of that side that is inside; by another task than `but`. False when no turn of one changes anything.
    bool turn_of_side(bool takes, TaskId but = no_id);
    // Two calls alike of one side, one over and the other not: whose was whose only the results tell. False: none is over.
    bool change_places(TaskId task, long result);
    std::uint64_t asked(TaskId task) const { return calls_.at(task)->asked; }

    void resize(std::uint64_t bytes); // F_SETPIPE_SZ
    void ends(std::uint32_t readers, std::uint32_t writers);
    const Pipe& pipe() const { return kernel_.s.pipes[0]; }

private:
    struct Inside {
        Call call;
        Thread thread;
        Co<long> co;
        TaskId me = no_id; // in the model
        std::uint64_t asked = 0, order = 0;
        bool takes = false, begun = false, over = false;
        long result = 0;
    };
    TaskId model_task(TaskId task);
    int fd(TaskId me, std::uint32_t flags);
    void segments(Call& call, std::uint64_t offset, std::uint64_t len) const;

    BareSink sink_;
    Kernel kernel_;
    std::uint64_t memory_ = 0; // what all calls write from and read into
    std::map<TaskId, std::unique_ptr<Inside>> calls_; // by recorded task
    std::map<TaskId, TaskId> tasks_;
    std::map<std::pair<TaskId, std::uint32_t>, int> fds_;
    std::uint64_t order_ = 0;
};

} // namespace pipescope

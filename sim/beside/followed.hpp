// SPDX-License-Identifier: MIT
// One recorded pipe beside its model: who is inside, which ring is still to be met, and since when they disagree.
#pragma once
#include "sim/beside/beside.hpp"
#include "sim/beside/model_pipe.hpp"
#include "sim/beside/rings.hpp"
#include <map>

namespace pipescope {

class Followed {
public:
    Followed(const KernelVersion& version, PipeId id, BesideReport& report) : version_(version), id_(id), report_(report) {}
    void enter(const State& s, const Event& e);
    void asleep(TaskId task) { if (const auto c = calls_.find(task); c != calls_.end()) c->second.asleep = true; }
    void awake(TaskId task) { if (const auto c = calls_.find(task); c != calls_.end()) c->second.asleep = false; }
    void ring(std::uint64_t number, const Event& e) { ring_ = {number, e.task, true}; }
    void next_ring(const State& s, const Event& begin); // the one before is met now
    void settle(const State& s, const Event& e); // before any event that is no part of a ring: the ring that was read is met
    void exit(std::uint64_t number, const State& s, const Event& e);
    void lose();    // something happened that the recording does not tell
    void give_up(); // such things go on happening
    void finish();  // the recording is over
    std::optional<Divergence> first;
    std::uint64_t divergences = 0;

private:
    struct Inside {
        Event enter;
        Way way = Way::none;
        bool asleep = false, followed = false; // followed: the model knows it from its beginning
    };
    struct Ring {
        std::uint64_t number = 0;
        TaskId task = no_id;
        bool open = false;
    };
    void resume(const State& s, TaskId entering);
    void meet(const Pipe& kernel);
    bool come_up_to(const Pipe& kernel); // turns of those inside until head and tail are the kernel's
    bool takers_turn(const Pipe& kernel) const;
    void finish_call(std::uint64_t number, TaskId task, std::int64_t result);
    void diverge(Divergence what);
    Divergence parting(const rings::Difference& d, const Pipe& kernel) const; // at the ring that is met

    const KernelVersion version_;
    PipeId id_;
    BesideReport& report_;
    std::unique_ptr<ModelPipe> model_;
    std::map<TaskId, Inside> calls_;
    Ring ring_;                      // the last one, while it is not met
    TaskId entering_ = no_id;        // whose entry the last events were about
    bool caught_in_a_read(const Pipe& kernel) const;
    bool crowded() const; // several tasks of one side are inside
    std::uint64_t apart_ = 0; // rings in a row that the model did not meet
    Divergence apart_at_;     // the first of them
    // A ring that was read when nobody else was inside, and is ahead: read late, after turns of others who come now. They must
    // come before its task goes on.
    struct Late {
        Divergence what;
        TaskId task = no_id; // no_id: there is none
        bool needs_in = false, needs_out = false; // one who puts in, who takes
    } late_;
    void excuse();
    bool lost_ = false;                         // the model was given up once
    bool given_up_ = false;
    // Since the last ring that was met there was one that could not be read, or several tasks of one side were inside: whose
    // turn it was may be a guess.
    bool guess_ = false;
};

} // namespace pipescope

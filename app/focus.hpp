// SPDX-License-Identifier: MIT
// What the moment is about: the task that acts, its stage, and the slot, page and memory the stage concerns.
#pragma once
#include "core/state.hpp"
#include "sim/timeline.hpp"
#include <bitset>

namespace pipescope {

struct Focus {
    TaskId task = no_id;
    Event stage; // of that task; stage.stage is none outside a call
    PipeId pipe = no_id;
    std::uint32_t slot = no_id;
    PageId page = no_page;       // the page in the ring, or of the cluster, that the stage concerns
    MbufId mbuf = no_id;         // that it concerns, or the first one of a packet
    std::uint64_t user_addr = 0; // the user memory that it concerns
    std::uint32_t bytes = 0, offset = 0;
    bool copies = false;  // bytes go from page to page at this stage
    bool to_user = false; // … out of the ring
};

// At a state that is `n` events into the timeline.
Focus focus_at(const State& s, const Timeline& t, std::size_t n);
// The slot a stage is about, no_id where it is about none.
std::uint32_t stage_slot(const Event& stage, const Pipe* pipe);
bool stage_fills_slot(Stage s); // the slot is not between tail and head yet
// The stages the task has reached in its current call.
using StageSet = std::bitset<static_cast<std::size_t>(Stage::count)>;
StageSet stages_done(const Timeline& t, std::size_t n, TaskId task);
// The stages in the order of its kernel function, for the chips.
std::vector<Stage> stages_of(Fn f);

} // namespace pipescope

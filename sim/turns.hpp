// SPDX-License-Identifier: MIT
// The stages before which it matters who goes on: an order of tasks is told by the turns they take between these.
#pragma once
#include "core/event.hpp"

namespace pipescope {

// lock: takes a mutex · look: reads what others change without holding it · act: changes it so · none: goes on unseen. What
// is done under a mutex is one turn.
enum class TurnStage { none, lock, look, act };
TurnStage turn_stage(const Event& stage);

} // namespace pipescope

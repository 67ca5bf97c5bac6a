// SPDX-License-Identifier: MIT
// The stages before which it matters who goes on: an order of tasks is told by the turns they take between these.
#pragma once
#include "core/event.hpp"

namespace pipescope {

bool takes_mutex(Stage stage);
// A mutex is taken, what others change is looked at or changed without holding it: who is first can be seen. What is done
// under a mutex is one turn.
bool ends_turn(const Event& stage);

} // namespace pipescope

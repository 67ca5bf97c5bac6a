// SPDX-License-Identifier: MIT
// What `step` prints of an event, whether the model's alone or beside the kernel.
#pragma once
#include "core/state.hpp"
#include "core/strings.hpp"
#include <nlohmann/json.hpp>
#include <string>

namespace pipescope {

struct StepView {
    const StringTable& names;
    bool anon_prefix; // of the kernel that was modelled
};
bool step_shows(const Event& e); // stages and calls
// `before` is the state that the event changes; n counts from 1.
void print_line(const StepView& view, std::size_t n, const State& before, const Event& e);
nlohmann::json event_json(const StepView& view, std::size_t n, const State& before, const Event& e); // n, t_ns, task, stage, text
nlohmann::json pipes_json(const State& s, const StringTable& names);                                 // head, tail, ring of each

} // namespace pipescope

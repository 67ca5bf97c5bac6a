// SPDX-License-Identifier: MIT
// Lua values as one word each: what decides how a scenario's program goes on.
#pragma once
#include <cstdint>

struct lua_State;

namespace pipescope {

// Of the value at `index`: numbers, strings and booleans by content, tables by what is in them, Lua functions by the
// variables they refer to, globals among them. Objects of the scenario's count by kind alone: they never change.
std::uint64_t value_word(lua_State* L, int index);

} // namespace pipescope

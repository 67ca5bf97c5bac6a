// SPDX-License-Identifier: MIT
// Parts of sentences that several stages share: counts with their noun, the mutex, how full the ring is.
#pragma once
#include "sim/narrate.hpp"

namespace pipescope::words {

std::string plural(std::uint64_t n, const char* one, const char* many); // "1 slot", "2 slots"
std::string bytes_text(std::uint64_t n);
std::string slots_text(std::uint64_t n);
const Pipe* pipe_of(const State& s, const Event& e); // null: of no pipe
std::string takes_lock(const State& s, const StringTable& names, const Event& e);
std::string waits_for_lock(const State& s, const StringTable& names, const Event& e);
std::string releases_lock(const State& s, const StringTable& names, const Event& e);
std::string room(const State& s, const Event& e); // of a stage that asks whether the ring is full, and of one that asks for data
std::string data(const State& s, const Event& e);
std::string wakes(const Event& e, const char* yes, const char* no);

} // namespace pipescope::words

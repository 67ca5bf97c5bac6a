// SPDX-License-Identifier: MIT
// The parts of apply(), one a file, and the bounds they share. Each returns false and changes nothing for an event it refuses.
#pragma once
#include "core/state.hpp"
#include <algorithm>

namespace pipescope::part {

inline constexpr std::uint32_t max_slots = 1u << 20;   // of one ring
inline constexpr std::uint32_t max_objects = 1u << 20; // tasks, pipes, files, …
inline constexpr std::uint32_t page_growth = 1u << 19; // how far ahead of the known frames an id may lie

template <class V> bool has(const V& v, std::uint32_t i) { return i < v.size(); }
template <class P> bool has(const FrameArray<P>& v, std::uint32_t i) { return v.contains(i); }

bool apply_pipe(State& s, const Event& e);
bool apply_socket(State& s, const Event& e);
bool apply_mbuf(State& s, const Event& e);
bool apply_memory(State& s, const Event& e);
bool apply_tlb(State& s, const Event& e);
bool apply_frames(State& s, const Event& e); // page_*: also what a capture read of a page

// The content of a frame: of its own, to be written; as it is, null where all is zero.
PageBytes* page_writable(State& s, PageId p);
const PageBytes* page_content(const State& s, PageId p);

} // namespace pipescope::part

// SPDX-License-Identifier: MIT
// One plain sentence for each event: what it does to which object, and what that means.
#pragma once
#include "core/state.hpp"
#include "core/strings.hpp"
#include <string>

namespace pipescope {

// `s` is the state before the event or right after it. The task that does it is not named: views show it beside.
// `anon_prefix`: of the kernel's version; before 6.15 a pipe's functions were called pipe_write and pipe_read.
std::string narrate(const State& s, const StringTable& names, const Event& e, bool anon_prefix = true);
// A kernel function by the name it has in this kernel, for this kind of pipe: "fifo_pipe_write", "pipe_write".
const char* fn_label(Fn f, bool fifo, bool anon_prefix);
bool pipe_is_fifo(const State& s, PipeId pipe);

// The part of narrate() for stages alone.
std::string narrate_stage(const State& s, const StringTable& names, const Event& e);

// The parts of both for sockets; "" for what is none of theirs.
std::string narrate_socket_stage(const State& s, const StringTable& names, const Event& e);
std::string narrate_socket(const State& s, const StringTable& names, const Event& e);

// The same for a BSD's mbufs; a store into bytes that wait for the card says so.
std::string narrate_mbuf_stage(const State& s, const StringTable& names, const Event& e);
std::string narrate_mbuf(const State& s, const StringTable& names, const Event& e);

// "page 27 of src", "src + 904 (page 0)" or an address: where in user memory.
std::string user_place(const State& s, const StringTable& names, TaskId task, std::uint64_t addr);
// "writer"; "task 3" for one without a name.
std::string task_label(const State& s, const StringTable& names, TaskId task);
// "pipe 1", or the name a scenario gave it.
std::string pipe_label(const State& s, const StringTable& names, PipeId pipe);

} // namespace pipescope

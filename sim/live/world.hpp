// SPDX-License-Identifier: MIT
// What there is before the first recorded call, as events, and the words that notes of a recording are told in.
#pragma once
#include "core/event.hpp"
#include "core/state.hpp"
#include "core/strings.hpp"
#include <string>
#include <unordered_map>
#include <vector>

namespace pipescope {

struct RecordedTask {
    std::string name;
    std::uint64_t pid = 0;
    std::uint32_t cpu = 0;
    std::uint64_t buffer = 0, buffer_bytes = 0; // the memory it calls with
    std::uint32_t fd = 0;                       // its end of the pipe
    bool reads = false;
};

// The built-in pair is known before it runs; of any other command tasks and pipes are told of when they are met.
struct RecordedWorld {
    std::uint64_t inode = 0;
    std::uint64_t address = 0; // of the pipe_inode_info
    std::uint32_t slots = 0;   // 0: no pipe is known yet
    bool nonblock = false;
    bool to_null = false; // the reader splices to /dev/null
    RingSource source = RingSource::kernel;
    std::vector<RecordedTask> tasks; // task ids from 0 on; each has its own memory and descriptors
};

// Notes of a recording: a says which, x is the number that the words ask for.
inline constexpr const char* again_note = "calls that gave EAGAIN and are left out";
inline constexpr const char* allocs_note = "pages allocated inside the call"; // y: in so many allocations
inline constexpr const char* faults_note = "page faults inside the call";
inline constexpr const char* slow_note = "times the memory map's lock was asked for inside the call";
inline constexpr const char* stage_notes[] = { // of the bpf+fentry capture, in the order of rec_stage
    "ns of the call went into finding user pages", "ns of the call went into allocating pages", "ns of the call went into waking"};
inline constexpr const char* fork_note = "forked the process";       // x: its pid
inline constexpr const char* thread_note = "started the thread";     // x: its pid
inline constexpr const char* sample_note = "calls since the last sample"; // y: bytes they moved
inline constexpr const char* missed_note = "processes were started and could not be followed";
inline constexpr const char* idle_note = "of them gave EAGAIN";

void world_events(const RecordedWorld& world, StringTable& strings, std::vector<Event>& out);

// Where a frame is mapped: in which thread's memory, as which page of its buffer.
struct FrameUser {
    std::uint32_t tid = 0;
    std::uint32_t index = 0;
    std::uint64_t address = 0;
};
using FrameUsers = std::unordered_map<std::uint64_t, FrameUser>; // by frame number

} // namespace pipescope

// SPDX-License-Identifier: MIT
// What there is before the first call of a recorded pair: tasks, memory, the pipe and its ends, as events.
#pragma once
#include "core/event.hpp"
#include "core/state.hpp"
#include "core/strings.hpp"
#include <array>
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

struct RecordedWorld {
    std::uint64_t inode = 0;
    std::uint32_t slots = 0;
    bool nonblock = false;
    bool to_null = false; // the reader splices to /dev/null
    RingSource source = RingSource::kernel;
    std::array<RecordedTask, 2> tasks; // task ids 0 and 1; each has its own memory and descriptors
};

// The text of the note, with x the number of them, that stands for calls of a busy loop.
inline constexpr const char* again_note = "calls that gave EAGAIN and are left out";

void world_events(const RecordedWorld& world, StringTable& strings, std::vector<Event>& out);

// Where a frame is mapped: in which task, as which page of its buffer.
struct FrameUser {
    TaskId task = no_id;
    std::uint32_t index = 0;
    std::uint64_t address = 0;
};
using FrameUsers = std::unordered_map<std::uint64_t, FrameUser>; // by frame number

} // namespace pipescope

// SPDX-License-Identifier: MIT
// A process of its own for what runs on the live kernel: what goes wrong there stays there.
#pragma once
#include <functional>
#include <string>

namespace pipescope {

class RingReader;
// Opening one takes most of the time of a short case: all processes share it, one at a time. Null where rings are not to be read.
RingReader* shared_ring_reader();

// Runs `job` in a copy of this process and gives what it returned; nothing with `error` when it did not come to its end
// in time. Threads of the copy that still sleep in the kernel go with it.
std::string in_own_process(const std::function<std::string()>& job, int limit_ms, std::string& error);

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Two processes on two CPUs that take turns by looking at a word of shared memory: neither sleeps.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace pipescope {

// What both see. `stamp` and `times` are theirs to use; `turn` counts.
struct Meeting {
    static constexpr std::uint32_t most = 1 << 14;
    alignas(128) std::atomic<std::uint32_t> turn{0};
    alignas(128) std::atomic<std::uint64_t> stamp{0};
    alignas(128) std::atomic<std::uint32_t> failed{0}; // an errno
    alignas(128) std::uint64_t times[2][most]{};
    // Until turn is at least `n`; false: the other one has failed, or does not come.
    bool wait_for(std::uint32_t n) const;
};

// Forks; `other` runs in the child on its CPU, `mine` here on its own, and then the child has ended. `mine` may leave
// early: what blocks in the child is killed. False with `error`.
bool meet(const int (&cpu)[2], const std::function<void(Meeting&)>& mine, const std::function<void(Meeting&)>& other,
    const std::function<void(const Meeting&)>& after, std::string& error);

} // namespace pipescope

// SPDX-License-Identifier: MIT
// How to see from outside, through /proc, whether a thread sleeps inside a system call.
#pragma once
#include <cstdint>
#include <string>

namespace pipescope {

class KernelEye {
public:
    KernelEye() = default;
    KernelEye(int pid, int tid);
    KernelEye(KernelEye&& o) noexcept { *this = std::move(o); }
    KernelEye& operator=(KernelEye&& o) noexcept;
    ~KernelEye();

    // Whether the kernel says that it sleeps inside a system call other than the wait for work, and how often it has slept.
    struct Look {
        bool asleep = false;
        std::uint64_t switches = 0;
        bool operator==(const Look&) const = default;
    };
    Look look() const;
    // Of a thread that waits for work: why sleepers cannot be told from running ones here; empty when they can.
    std::string blind() const;

private:
    int stat_ = -1, status_ = -1, syscall_ = -1, wchan_ = -1;
};

} // namespace pipescope

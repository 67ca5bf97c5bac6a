// SPDX-License-Identifier: MIT
// A forked task: a process of its own that does one order after another, which pass through shared memory.
#pragma once
#include "core/call.hpp"
#include "sim/scenario/kernel_eye.hpp"
#include <atomic>
#include <functional>
#include <sys/types.h>

namespace pipescope {

class KernelBackend;

struct KernelOrder { // plain data, so that it can be passed on
    std::uint64_t v[4] = {};
    std::uint8_t* bytes = nullptr;
    std::size_t size = 0;
};
// The same address in both processes, since one is a copy of the other.
using KernelJob = long (*)(KernelBackend&, std::uint32_t task, KernelOrder&);
inline constexpr std::size_t order_bytes = std::size_t{1} << 20; // at most in one order

class KernelChild {
public:
    KernelChild();
    ~KernelChild(); // ends it
    KernelChild(const KernelChild&) = delete;
    KernelChild& operator=(const KernelChild&) = delete;

    // Called on the thread that is to be copied. The child stays inside, and serves.
    bool fork(KernelBackend& backend, std::uint32_t task, const std::function<long(const Call&)>& perform);
    void start(const Call& c); // it is idle
    bool busy() const;
    long result() const;
    long ask(KernelJob job, KernelOrder& o);
    std::uint32_t take_signals();
    void signal(int n);
    void exit(); // what it has open is closed when this returns
    KernelEye::Look look();

private:
    struct Block;
    [[noreturn]] void serve(KernelBackend& backend, std::uint32_t task, const std::function<long(const Call&)>& perform);
    void set(int state);
    void wait_idle();
    bool dead();

    Block* block_ = nullptr;
    pid_t pid_ = -1;
    KernelEye eye_;
};

} // namespace pipescope

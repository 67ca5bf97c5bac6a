// SPDX-License-Identifier: MIT
// What runs inside the writer and the reader process after the fork.
#pragma once
#include "sim/live/pair.hpp"
#include <atomic>

namespace pipescope {

struct Pair::Shared {
    alignas(128) std::atomic<std::uint32_t> gate{0}; // a futex: 1 lets both go
    std::atomic<std::uint32_t> stop{0};
    std::array<SideReport, 2> side; // each written by its own CPU at each call
    // behind it: frame numbers (writer before, after, reader before, after), then both logs
};

class PairChild {
public:
    PairChild(const PairOptions& options, const Pair& pair, Side side, bool log_calls)
        : options_(options), pair_(pair), side_(side), log_calls_(log_calls) {}
    [[noreturn]] void run();

private:
    const PairOptions& options_;
    const Pair& pair_;
    Side side_;
    bool log_calls_;
    int fd_ = -1, null_ = -1;
    char* memory_ = nullptr;   // from a page's beginning
    std::uint64_t stride_ = 0; // of two buffers in it, each `offset` behind its page's beginning
    Sys sys_ = Sys::none; // the call of this side, and its flags
    std::uint32_t flags_ = 0;

    SideReport& report() const;
    // pair_child.cpp: before and after
    bool prepare();
    bool prepare_memory();
    void wait_at_gate();
    bool fail(const char* what, int err = 0);
    // pair_loop.cpp: in between
    void loop();
    void loop_writer();
    void loop_reader();
    std::int64_t call(std::uint64_t addr, std::uint64_t len);
    std::int64_t system_call(std::uint64_t addr, std::uint64_t len);
    std::int64_t logged_call(std::uint64_t addr, std::uint64_t len);
    bool as_sent(std::uint64_t at, std::uint64_t len);
};

} // namespace pipescope

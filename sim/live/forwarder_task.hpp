// SPDX-License-Identifier: MIT
// What runs inside a sender, a worker and a receiver after the fork.
#pragma once
#include "sim/live/forwarder.hpp"
#include <atomic>

namespace pipescope {

struct Forwarder::Shared {
    alignas(128) std::atomic<std::uint32_t> gate{0}; // a futex: 1 lets all go
    // behind it: a ForwardReport each
};

class ForwardTask {
public:
    ForwardTask(const Forwarder& forwarder, std::size_t n)
        : forwarder_(forwarder), options_(forwarder.options_), role_(static_cast<ForwardRole>(n / forwarder.options_.connections)),
          connection_(static_cast<std::uint32_t>(n % forwarder.options_.connections)), report_(forwarder.report_of(n)) {}
    [[noreturn]] void run();
    std::string name() const; // "worker 1"

private:
    bool prepare();
    void keep_own_ends();
    void wait_at_gate();
    bool fail(const char* what, int err = 0);
    bool send_all();
    bool forward_all();
    bool receive_all();
    bool as_sent(std::uint64_t at, std::uint64_t len);
    std::int64_t take();
    std::int64_t give(const char* from, std::uint64_t len); // `from` counts where it copies

    const Forwarder& forwarder_;
    const ForwardOptions& options_;
    ForwardRole role_;
    std::uint32_t connection_;
    ForwardReport& report_;
    int in_ = -1, out_ = -1;
    std::array<int, 2> pipe_{-1, -1};
    char* buffer_ = nullptr;  // of a request
    char* pattern_ = nullptr; // of a request and a period more: what is sent from any byte on
};

// Of byte `at` of a connection; the bytes repeat after so many.
inline constexpr std::uint64_t forward_period = 251;
constexpr char forward_byte(std::uint32_t connection, std::uint64_t at) { return static_cast<char>((at + connection * 37) % forward_period); }

} // namespace pipescope

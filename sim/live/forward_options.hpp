// SPDX-License-Identifier: MIT
// What the built-in forwarder is to do: connections through it, by which calls, and how many bytes.
#pragma once
#include "core/types.hpp"
#include "sim/des/forwarder.hpp"
#include <string>

namespace pipescope {

struct ForwardOptions {
    Forward how = Forward::own_pipe;
    std::uint32_t connections = 4;         // each with a sender, a worker and a receiver
    std::uint64_t bytes = 1ull << 30;      // of all connections together, in equal shares
    std::uint64_t request = 1 << 20;       // of one call
    std::uint64_t pipe_size = 0;           // 0: 1 MiB of an own pipe, what the kernel gives of a shared one
    bool verify = false;                   // the receivers look at each byte; of a shared pipe, which mixes connections, at their sum

    static constexpr std::uint32_t most_connections = 64;
    bool shared() const { return how == Forward::shared_pipe || how == Forward::shared_waiting; }
    std::uint64_t share(std::uint32_t connection) const { return bytes / connections + (connection < bytes % connections ? 1 : 0); }
    std::uint64_t pipe_bytes() const { return pipe_size ? pipe_size : how == Forward::own_pipe ? 1 << 20 : 0; } // 0: the kernel's
    std::string text() const;  // as options of the command line
    std::string fault() const; // options that do not go together, in one sentence; empty: they do
};
// "copy", "shared", "shared-waiting", "own"; of another word nothing.
const char* forward_word(Forward how);
bool forward_of(const std::string& word, Forward& how);

} // namespace pipescope

// SPDX-License-Identifier: MIT
// The pair's options in words, and the bytes that it sends.
#include "sim/live/pair_options.hpp"
#include <fmt/format.h>
#include <utility>

namespace pipescope {

// Its buffers, one behind the other, are filled with the ten digits; calls take them in turns.
char PairOptions::byte_at(std::uint64_t at) const {
    if (untouched) return 0;
    const std::uint64_t period = vmsplice ? 2 * call_bytes() : buffer;
    return static_cast<char>('0' + at % period % 10);
}

std::string PairOptions::text() const {
    std::string s =
        fmt::format("--write {} --read {} --bytes {} --buffer {}", vmsplice ? "vmsplice" : "write", splice ? "splice" : "read", bytes, buffer);
    if (pipe_size) s += fmt::format(" --pipe-size {}", pipe_size);
    if (offset) s += fmt::format(" --offset {}", offset);
    const std::pair<bool, const char*> flags[] = {{huge_page, "huge-page"}, {gift, "gift"}, {busy_loop, "busy-loop"}, {poll, "poll"},
        {same_buffer, "same-buffer"}, {lock_memory, "lock-memory"}, {untouched, "untouched"}, {verify, "verify"}};
    for (const auto& [on, name] : flags)
        if (on) s += fmt::format(" --{}", name);
    if (cpu[0] >= 0) s += fmt::format(" --writer-cpu {}", cpu[0]);
    if (cpu[1] >= 0) s += fmt::format(" --reader-cpu {}", cpu[1]);
    return s;
}

std::string PairOptions::fault() const {
    if (gift && !vmsplice) return "--gift is a flag of vmsplice: add --write vmsplice";
    if (same_buffer && !vmsplice) return "--same-buffer is for vmsplice: write has one buffer anyway";
    if (same_buffer && buffer % 2) return "--same-buffer cuts the buffer in two: --buffer must be even";
    if (huge_page && offset) return "--offset is for small pages: with --huge-page buffers begin where a huge page does";
    if (verify && splice) return "--verify looks at what was read: with --read splice nobody sees it";
    return "";
}

} // namespace pipescope

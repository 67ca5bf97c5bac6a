// SPDX-License-Identifier: MIT
// Reads /proc/TID/schedstat and /proc/TID/status again and again.
#include "sim/live/thread_times.hpp"
#include <charconv>
#include <fcntl.h>
#include <fmt/format.h>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace pipescope {
namespace {

std::uint64_t number_in(std::string_view& text) { // the next one; text goes on behind it
    const std::size_t at = text.find_first_of("0123456789");
    std::uint64_t n = 0;
    if (at == text.npos) return 0;
    const auto end = std::from_chars(text.data() + at, text.data() + text.size(), n).ptr;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return n;
}

} // namespace

ThreadTimesReader::ThreadTimesReader(pid_t tid)
    : times_(::open(fmt::format("/proc/{}/schedstat", tid).c_str(), O_RDONLY | O_CLOEXEC)),
      status_(::open(fmt::format("/proc/{}/status", tid).c_str(), O_RDONLY | O_CLOEXEC)) {}

ThreadTimesReader::~ThreadTimesReader() {
    if (times_ >= 0) ::close(times_);
    if (status_ >= 0) ::close(status_);
}

ThreadTimesReader::ThreadTimesReader(ThreadTimesReader&& o) noexcept : times_(std::exchange(o.times_, -1)), status_(std::exchange(o.status_, -1)) {}

ThreadTimesReader& ThreadTimesReader::operator=(ThreadTimesReader&& o) noexcept {
    std::swap(times_, o.times_), std::swap(status_, o.status_);
    return *this;
}

std::optional<ThreadTimes> ThreadTimesReader::read() const {
    char block[4096];
    ThreadTimes out;
    ssize_t n = ::pread(times_, block, sizeof block, 0);
    if (n <= 0) return std::nullopt;
    std::string_view text(block, static_cast<std::size_t>(n));
    out.cpu_ns = number_in(text), out.ready_ns = number_in(text);
    n = ::pread(status_, block, sizeof block, 0);
    if (n <= 0) return std::nullopt;
    text = {block, static_cast<std::size_t>(n)};
    constexpr std::string_view state = "\nState:\t", voluntary = "\nvoluntary_ctxt_switches:";
    if (const std::size_t at = text.find(state); at != text.npos && at + state.size() < text.size()) out.asleep = text[at + state.size()] == 'S';
    const std::size_t at = text.rfind(voluntary);
    if (at == text.npos) return std::nullopt;
    text.remove_prefix(at);
    out.voluntary = number_in(text);
    return out;
}

} // namespace pipescope

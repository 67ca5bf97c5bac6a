// SPDX-License-Identifier: MIT
// Reads /proc/self/pagemap.
#include "sim/live/pagemap.hpp"
#include "core/types.hpp"
#include <fcntl.h>
#include <unistd.h>

namespace pipescope {

std::vector<std::uint64_t> frame_numbers(const void* addr, std::size_t len) {
    const auto first = reinterpret_cast<std::uintptr_t>(addr) >> page_shift;
    const auto last = (reinterpret_cast<std::uintptr_t>(addr) + len + page_size - 1) >> page_shift;
    std::vector<std::uint64_t> frames(last - first);
    const int fd = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return frames;
    const ssize_t got = ::pread(fd, frames.data(), frames.size() * 8, static_cast<off_t>(first * 8));
    ::close(fd);
    const std::size_t known = got > 0 ? static_cast<std::size_t>(got) / 8 : 0;
    constexpr std::uint64_t present = std::uint64_t{1} << 63, frame_mask = (std::uint64_t{1} << 55) - 1;
    for (std::size_t i = 0; i < frames.size(); ++i) frames[i] = i < known && frames[i] & present ? frames[i] & frame_mask : 0;
    return frames;
}

std::uint64_t frame_number(const void* addr) { return frame_numbers(addr, 1).front(); }

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Reads /proc/PID/pagemap.
#include "sim/live/pagemap.hpp"
#include "core/types.hpp"
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace pipescope {

static std::vector<std::uint64_t> read_pagemap(const char* path, std::uint64_t first, std::size_t pages) {
    std::vector<std::uint64_t> frames(pages);
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return frames;
    const ssize_t got = ::pread(fd, frames.data(), frames.size() * 8, static_cast<off_t>(first * 8));
    ::close(fd);
    const std::size_t known = got > 0 ? static_cast<std::size_t>(got) / 8 : 0;
    constexpr std::uint64_t present = std::uint64_t{1} << 63, frame_mask = (std::uint64_t{1} << 55) - 1;
    for (std::size_t i = 0; i < frames.size(); ++i) frames[i] = i < known && frames[i] & present ? frames[i] & frame_mask : 0;
    return frames;
}

std::vector<std::uint64_t> frame_numbers(const void* addr, std::size_t len) {
    const auto first = reinterpret_cast<std::uintptr_t>(addr) >> page_shift;
    const auto last = (reinterpret_cast<std::uintptr_t>(addr) + len + page_size - 1) >> page_shift;
    return read_pagemap("/proc/self/pagemap", first, last - first);
}

std::vector<std::uint64_t> frame_numbers(std::uint64_t addr, std::size_t pages, std::uint32_t tid) {
    return read_pagemap(("/proc/" + std::to_string(tid) + "/pagemap").c_str(), addr >> page_shift, pages);
}

std::uint64_t frame_number(const void* addr) { return frame_numbers(addr, 1).front(); }

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Frame numbers of a process's memory, from its pagemap.
#pragma once
#include <cstdint>
#include <vector>

namespace pipescope {

// One per page of [addr, addr + len); 0 where the page is absent or this user may not know (CAP_SYS_ADMIN).
std::vector<std::uint64_t> frame_numbers(const void* addr, std::size_t len);
// The same of so many pages of a thread, from a page address on.
std::vector<std::uint64_t> frame_numbers(std::uint64_t addr, std::size_t pages, std::uint32_t tid);
std::uint64_t frame_number(const void* addr);

} // namespace pipescope

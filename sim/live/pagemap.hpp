// SPDX-License-Identifier: MIT
// Frame numbers of this process's own memory, from /proc/self/pagemap.
#pragma once
#include <cstdint>
#include <vector>

namespace pipescope {

// One per page of [addr, addr + len); 0 where the page is absent or this user may not know (CAP_SYS_ADMIN).
std::vector<std::uint64_t> frame_numbers(const void* addr, std::size_t len);
std::uint64_t frame_number(const void* addr);

} // namespace pipescope

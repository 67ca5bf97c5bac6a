// SPDX-License-Identifier: MIT
// Room for hugetlb pages while a case runs on the live kernel, and its giving back.
#pragma once
#include <cstdint>

namespace pipescope {

// The kernel is asked to allow more pages of 2 MiB than it has set aside (nr_overcommit_hugepages): they come when they are
// mapped and go when they are unmapped, so that a run that is killed leaves a larger limit behind and no memory.
class HugetlbRoom {
public:
    static void open();                    // in the process that waits for cases, before it is copied
    static bool grow(std::uint64_t pages); // in a case's; false: not permitted, or nobody would give it back
    static void give_back();               // what all cases since open() have added
};

} // namespace pipescope

// SPDX-License-Identifier: MIT
// The limit in /sys/kernel/mm/hugepages, changed by differences so that others may change it too.
#include "sim/scenario/kernel_hugetlb.hpp"
#include <algorithm>
#include <atomic>
#include <fstream>
#include <sys/mman.h>

namespace pipescope {
namespace {

constexpr const char* limit_path = "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_overcommit_hugepages";
std::atomic<std::uint64_t>* added = nullptr; // shared with the cases' processes

bool change(std::uint64_t more, std::uint64_t less) {
    std::uint64_t now = 0;
    if (!(std::ifstream(limit_path) >> now)) return false;
    std::ofstream out(limit_path);
    out << now + more - std::min(now, less) << std::flush;
    return out.good();
}

} // namespace

void HugetlbRoom::open() {
    if (added) return;
    void* const p = ::mmap(nullptr, sizeof *added, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p != MAP_FAILED) added = new (p) std::atomic<std::uint64_t>(0);
}

bool HugetlbRoom::grow(std::uint64_t pages) {
    if (!added) return false;
    *added += pages; // first: a process that is ended here must not leave more than it wrote down
    if (change(pages, 0)) return true;
    *added -= pages;
    return false;
}

void HugetlbRoom::give_back() {
    if (added && *added) change(0, added->exchange(0));
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// What the CPUs' TLBs hold of one address space, and whether an address is among it.
#pragma once
#include "core/state.hpp"
#include <string>
#include <vector>

namespace pipescope {

struct TlbLine {
    std::uint32_t cpu = 0, order = 0; // of the page
    std::uint64_t addr = 0;
    pte_t entry = 0;
    bool here = false; // it covers the address that was asked for
};
struct TlbList {
    std::vector<TlbLine> lines; // the one asked for first, then by CPU and address
    std::uint64_t hits = 0, misses = 0, flushes = 0, invlpgs = 0; // of all CPUs
    bool any = false; // some CPU went through a TLB at all
};
TlbList tlb_list(const State& s, MmId mm, std::uint64_t addr);
std::string tlb_line_text(const TlbLine& l); // "cpu 0  0x7e3a00000000 → 512  2M  P RW US"

} // namespace pipescope

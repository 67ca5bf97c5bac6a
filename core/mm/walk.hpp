// SPDX-License-Identifier: MIT
// The software page-table walk: pgd → p4d (folded) → pud → pmd → pte, as arch/x86 lays them out with 4 levels.
#pragma once
#include "core/state.hpp"
#include <array>
#include <string>

namespace pipescope {

enum class Level : std::uint8_t { pgd, pud, pmd, pte };
struct WalkStep {
    PageId table = no_page;  // the page that holds this table
    std::uint32_t index = 0; // 0…511
    pte_t entry = 0;
};
struct Walk {
    std::array<WalkStep, 4> steps{};
    int depth = 0;           // steps that were read
    bool present = false;    // a leaf was reached
    bool protnone = false;   // a leaf that PROT_NONE has closed: page and order are given, present is false
    std::uint32_t order = 0; // of the leaf: 0, 9 (2 MiB) or 18 (1 GiB)
    PageId page = no_page;   // the 4 KiB frame at the address
    bool canonical = true;   // bits 63…47 all equal
};
// Index of `addr` in the table of a level: 9 bits each.
std::uint32_t table_index(std::uint64_t addr, Level level);
Walk walk(const State& s, MmId mm, std::uint64_t addr);
// "pgd[1] pud[2] pmd[3] pte[4] -> 4K", "… pmd[3] -> 2M", "… pte[4] -> none".
std::string walk_string(const Walk& w);

} // namespace pipescope

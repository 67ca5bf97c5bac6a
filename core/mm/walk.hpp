// SPDX-License-Identifier: MIT
// The software page-table walk: pgd → p4d → pud → pmd → pte, as arch/x86 lays them out; with 4 levels the p4d is folded.
#pragma once
#include "core/state.hpp"
#include <array>
#include <string>

namespace pipescope {

// Numbered as 4 levels have them: there the pgd covers bits 47–39, which with 5 levels are the p4d's.
enum class Level : std::int8_t { pgd5 = -1, pgd, p4d = 0, pud, pmd, pte };
struct WalkStep {
    PageId table = no_page;  // the page that holds this table
    std::uint32_t index = 0; // 0…511
    pte_t entry = 0;
};
struct Walk {
    std::array<WalkStep, 5> steps{}; // outermost first
    int depth = 0;                   // steps that were read
    int levels = 4;                  // there are at most
    bool present = false;            // a leaf was reached
    bool protnone = false;           // a leaf that PROT_NONE has closed: page and order are given, present is false
    std::uint32_t order = 0;         // of the leaf: 0, 9 (2 MiB) or 18 (1 GiB)
    PageId page = no_page;           // the 4 KiB frame at the address
    bool canonical = true;           // bits 63…47 all equal; 63…56 with 5 levels

    const WalkStep& leaf() const { return steps[static_cast<std::size_t>(depth ? depth - 1 : 0)]; } // the last one read
    bool reached(Level l) const { return depth > static_cast<int>(l) + levels - 4; }
    const WalkStep& at(Level l) const { return steps[static_cast<std::size_t>(static_cast<int>(l) + levels - 4)]; }
    // First address behind what the last entry covers, be it a page or a hole.
    std::uint64_t next(std::uint64_t addr) const {
        const std::uint64_t covers = std::uint64_t{page_size} << (9u * static_cast<unsigned>(depth ? levels - depth : 0));
        return (addr & ~(covers - 1)) + covers;
    }
};
// Index of `addr` in the table of a level: 9 bits each.
std::uint32_t table_index(std::uint64_t addr, Level level);
Walk walk(const State& s, MmId mm, std::uint64_t addr);
// The end of a walk alone, for those in a hurry: entry 0 where no leaf is present.
struct Leaf {
    pte_t entry = 0;
    std::uint32_t order = 0;
    PageId page = no_page; // the 4 KiB frame at the address
};
Leaf walk_leaf(const State& s, MmId mm, std::uint64_t addr);
// "pgd[1] pud[2] pmd[3] pte[4] -> 4K", "… pmd[3] -> 2M", "… pte[4] -> none"; "pgd[0] p4d[1] pud[2] …" with 5 levels.
std::string walk_string(const Walk& w);
// The bits of an entry: "P RW US A D NX". D also stands for the one that kernels from 6.6 on keep for an entry made read-only.
std::string entry_string(pte_t entry);

} // namespace pipescope

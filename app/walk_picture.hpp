// SPDX-License-Identifier: MIT
// What the page walk shows, as data: a strip for each table, the entry it gives, and what one batch of get_user_pages_fast takes.
#pragma once
#include "app/address.hpp"
#include "core/state.hpp"
#include <string>
#include <vector>

namespace pipescope {

struct TableStrip {
    std::uint32_t index = 0;
    bool read = false;      // the walk came as far as this table
    bool leaf = false;      // and ended at this entry
    PageId table = no_page; // the page that holds it
    pte_t entry = 0;
};
struct WalkPicture {
    AddressSplit split;
    std::vector<TableStrip> strips; // one for each level, the top first; those below a leaf are missing
    int leaf = -1;                  // the strip of the leaf, -1 without one
    bool present = false, protnone = false;
    std::uint32_t order = 0; // of the leaf
    PageId page = no_page;   // the frame at the address
};
WalkPicture walk_picture(const State& s, MmId mm, std::uint64_t addr);
const PageTable* table_of(const State& s, PageId page); // null when the page holds none
PageId entry_page(pte_t e);                             // the frame that an entry names

struct EntryBit {
    const char* name = "";
    bool set = false;
    const char* means = ""; // what it means as it stands
};
// P, RW, US, A, D, PSE, special, NX, in the order of their bits.
std::vector<EntryBit> entry_bits(pte_t e, bool leaf);
std::string entry_text(pte_t e); // the names of those set: "P RW US A"

// What get_user_pages_fast takes in one batch of `n` pages from the page of `addr` on, without faulting anything in.
struct GupRun {
    std::vector<PageId> pages;
    std::uint32_t entries = 0; // leaves looked at: one a page, or one for all that a huge page covers
    bool slow = false;         // ends before `n`: the rest goes the slow way, or fails
    std::string words;         // one sentence
};
GupRun gup_run(const State& s, MmId mm, std::uint64_t addr, std::uint32_t n = gup_batch);

} // namespace pipescope

// SPDX-License-Identifier: MIT
// The strips of MEMORY, as data: which pages stand in a row, in which order, and which of them has to be seen.
#pragma once
#include "app/focus.hpp"
#include "app/layout.hpp"

namespace pipescope {

struct MemoryStrip {
    std::string name;
    std::uint64_t pages = 0;
    std::uint32_t buffer = no_id; // of State::buffers; no_id: a list of pages
    TaskId user_of = no_id;       // recordings: frames that this task maps
    std::vector<PageId> list;
    std::uint64_t wanted = ~std::uint64_t{0}; // the page that has to be among those shown
};
// The memory of the moment first, then the kernel's pages, files, whatever else the ring of `pipe` refers to.
std::vector<MemoryStrip> memory_strips(
    const State& s, const StringTable& names, const PageNames& pages, const Focus& focus, PipeId pipe, PageId chosen);
PageId strip_page(const State& s, const MemoryStrip& strip, std::uint64_t index); // no_page where nothing is mapped
bool tables_known(const State& s, const Buffer& b);                               // recordings hold no page tables

} // namespace pipescope

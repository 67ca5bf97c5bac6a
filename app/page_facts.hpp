// SPDX-License-Identifier: MIT
// One struct page in words: what its fields hold, and the same from the side of its folio.
#pragma once
#include "core/state.hpp"
#include "core/strings.hpp"
#include <string>
#include <vector>

namespace pipescope {

class PageNames;

struct PageFact {
    const char* where = ""; // bytes from the start of struct page: "+52"; empty in the folio's list
    std::string field, value;
    std::string note; // what it means; may be empty
};
struct PageFacts {
    bool compound = false, tail = false;
    PageId head = no_page;
    std::uint32_t number = 0; // in its folio: 0 the head
    std::uint32_t pages = 1;  // of the folio
    std::vector<PageFact> page, folio;
};
// `release` is the kernel that the state is of; a recording's flags are read by its table.
PageFacts page_facts(const State& s, const StringTable& names, const PageNames& pages, PageId page, bool recorded, const std::string& release);

// "uptodate lru head"; bits without a name as "bit 21".
std::string page_flags_text(std::uint32_t flags, bool named);

} // namespace pipescope

// SPDX-License-Identifier: MIT
// A virtual address as text and as bits: what a person typed, and how 4 or 5 levels of page tables cut it up.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pipescope {

// Reads "0x0000f2705af953c0", with or without 0x, blanks and _ between digits allowed. Nothing and one line in `fault` for
// anything else; nothing and no fault for a text without digits and letters.
std::optional<std::uint64_t> address_parse(std::string_view text, std::string& fault);

struct AddressSplit {
    std::uint64_t addr = 0;
    int levels = 4;                       // 4 or 5
    bool canonical = true;                // all bits from the topmost used one up are equal
    std::array<std::uint32_t, 5> index{}; // `levels` of them, the top table first
    std::uint32_t offset = 0;             // within a page of 4 KiB
    int sign_bits() const { return 64 - 12 - 9 * levels; }
    int top_bit() const { return 63 - sign_bits(); } // the highest bit that an index uses: 47 or 56
};
AddressSplit address_split(std::uint64_t addr, int levels);

// One box of the drawing. A leaf above the last table leaves the bits below it to the offset.
struct AddressPart {
    const char* name = "";
    int bits = 0;
    std::uint64_t value = 0;
};
// `leaf` is the level whose entry maps the page, 0 the top; levels - 1, or less for a huge page.
std::vector<AddressPart> address_parts(const AddressSplit& s, int leaf);

const char* level_name(int levels, int level);  // "pgd", "p4d", "pud", "pmd", "pte"
const char* level_words(int levels, int level); // "page global directory"
// Why the address is not canonical, for people; empty when it is.
std::string canonical_fault(const AddressSplit& s);

} // namespace pipescope

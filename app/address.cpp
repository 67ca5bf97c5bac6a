// SPDX-License-Identifier: MIT
// Reading and cutting up addresses.
#include "app/address.hpp"
#include "core/mm/walk.hpp"
#include <fmt/format.h>

namespace pipescope {

std::optional<std::uint64_t> address_parse(std::string_view text, std::string& fault) {
    fault.clear();
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '_'; };
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    if (text.empty()) return std::nullopt;
    if (text.size() >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) text.remove_prefix(2);
    std::uint64_t value = 0;
    bool any = false;
    for (const char c : text) {
        if (blank(c)) continue;
        unsigned digit = 16;
        if (c >= '0' && c <= '9') digit = static_cast<unsigned>(c - '0');
        else if (c >= 'a' && c <= 'f') digit = static_cast<unsigned>(c - 'a') + 10;
        else if (c >= 'A' && c <= 'F') digit = static_cast<unsigned>(c - 'A') + 10;
        if (digit == 16) {
            const bool plain = c > ' ' && c < 127;
            return fault = plain ? fmt::format("“{}” is not a hexadecimal digit.", c) : std::string("Only hexadecimal digits make an address."),
                   std::nullopt;
        }
        if (value >> 60) return fault = "An address has 64 bits: 16 hexadecimal digits at most.", std::nullopt;
        value = value << 4 | digit;
        any = true;
    }
    if (!any) return fault = "No digit follows 0x yet.", std::nullopt;
    return value;
}

AddressSplit address_split(std::uint64_t addr, int levels) {
    AddressSplit s;
    s.addr = addr, s.levels = levels == 5 ? 5 : 4;
    const std::uint64_t top = addr >> s.top_bit(); // the topmost used bit, and all above it
    s.canonical = top == 0 || top == ~std::uint64_t{0} >> s.top_bit();
    for (int i = 0; i < s.levels; ++i)
        s.index[static_cast<std::size_t>(i)] = table_index(addr, static_cast<Level>(i + 4 - s.levels));
    s.offset = static_cast<std::uint32_t>(addr & (page_size - 1));
    return s;
}

std::vector<AddressPart> address_parts(const AddressSplit& s, int leaf) {
    std::vector<AddressPart> out{{"sign", s.sign_bits(), s.addr >> (s.top_bit() + 1)}};
    for (int i = 0; i <= leaf && i < s.levels; ++i) out.push_back({level_name(s.levels, i), 9, s.index[static_cast<std::size_t>(i)]});
    const int bits = 12 + 9 * (s.levels - static_cast<int>(out.size()) + 1);
    out.push_back({"offset", bits, s.addr & ((std::uint64_t{1} << bits) - 1)});
    return out;
}

const char* level_name(int levels, int level) {
    static constexpr const char* names[] = {"pgd", "p4d", "pud", "pmd", "pte"};
    return names[levels == 5 || level == 0 ? level : level + 1];
}

const char* level_words(int levels, int level) {
    static constexpr const char* words[] = {
        "page global directory", "page level 4 directory", "page upper directory", "page middle directory", "page table"};
    return words[levels == 5 || level == 0 ? level : level + 1];
}

std::string canonical_fault(const AddressSplit& s) {
    if (s.canonical) return "";
    return fmt::format("Not canonical: bits 63 to {} are not all equal to bit {}. The CPU would refuse it; the index bits are walked all the same.",
        s.top_bit() + 1, s.top_bit());
}

} // namespace pipescope

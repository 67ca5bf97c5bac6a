// SPDX-License-Identifier: MIT
// Walking the page tables of a state, without changing it.
#include "core/mm/walk.hpp"

namespace pipescope {

std::uint32_t table_index(std::uint64_t addr, Level level) {
    return static_cast<std::uint32_t>(addr >> (39 - 9 * static_cast<unsigned>(level))) & 511u;
}

Walk walk(const State& s, MmId mm, std::uint64_t addr) {
    Walk w;
    const std::uint64_t top = addr >> 47;
    w.canonical = top == 0 || top == 0x1ffff;
    if (mm >= s.mms.size()) return w;
    PageId table = s.mms[mm].pgd;
    for (int i = 0; i < 4; ++i) {
        if (table >= s.pages.size() || s.pages[table].table >= s.tables.size()) return w;
        WalkStep& step = w.steps[static_cast<std::size_t>(i)];
        step.table = table;
        step.index = table_index(addr, static_cast<Level>(i));
        step.entry = s.tables[s.pages[table].table][step.index];
        w.depth = i + 1;
        if (!(step.entry & (PTE_P | PTE_PROTNONE))) return w;
        const auto frame = static_cast<PageId>((step.entry & pte_addr_mask) >> page_shift);
        const bool leaf = i == 3 || ((step.entry & PTE_PSE) && i > 0);
        if (leaf) {
            w.order = 9u * static_cast<unsigned>(3 - i);
            w.page = frame + (static_cast<PageId>(addr >> page_shift) & ((1u << w.order) - 1));
            w.present = (step.entry & PTE_P) != 0;
            w.protnone = !w.present;
            return w;
        }
        table = frame;
    }
    return w;
}

std::string walk_string(const Walk& w) {
    static constexpr const char* names[] = {"pgd", "pud", "pmd", "pte"};
    std::string out;
    for (int i = 0; i < w.depth; ++i)
        out += std::string(i ? " " : "") + names[i] + "[" + std::to_string(w.steps[static_cast<std::size_t>(i)].index) + "]";
    out += " -> ";
    out += !w.present ? "none" : w.order == 0 ? "4K" : w.order == pmd_order ? "2M" : "1G";
    return out;
}

} // namespace pipescope

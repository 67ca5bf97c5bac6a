// SPDX-License-Identifier: MIT
// Walking the page tables of a state, without changing it.
#include "core/mm/walk.hpp"

namespace pipescope {

std::uint32_t table_index(std::uint64_t addr, Level level) { return static_cast<std::uint32_t>(addr >> (39 - 9 * static_cast<int>(level))) & 511u; }

Walk walk(const State& s, MmId mm, std::uint64_t addr) {
    Walk w;
    if (mm < s.mms.size()) w.levels = s.mms[mm].levels;
    const std::uint64_t top = addr >> (w.levels == 5 ? 56 : 47);
    w.canonical = top == 0 || top == ~std::uint64_t{0} >> (w.levels == 5 ? 56 : 47);
    if (mm >= s.mms.size()) return w;
    PageId table = s.mms[mm].pgd;
    for (int i = 0; i < w.levels; ++i) {
        if (table >= s.pages.size() || s.pages[table].table >= s.tables.size()) return w;
        WalkStep& step = w.steps[static_cast<std::size_t>(i)];
        const int level = i + 4 - w.levels;
        step.table = table;
        step.index = table_index(addr, static_cast<Level>(level));
        step.entry = s.tables[s.pages[table].table][step.index];
        w.depth = i + 1;
        if (!(step.entry & (PTE_P | PTE_PROTNONE))) return w;
        const auto frame = static_cast<PageId>((step.entry & pte_addr_mask) >> page_shift);
        const bool leaf = level == 3 || ((step.entry & PTE_PSE) && level > 0);
        if (leaf) {
            w.order = 9u * static_cast<unsigned>(3 - level);
            w.page = frame + (static_cast<PageId>(addr >> page_shift) & ((1u << w.order) - 1));
            w.present = (step.entry & PTE_P) != 0;
            w.protnone = !w.present;
            return w;
        }
        table = frame;
    }
    return w;
}

Leaf walk_leaf(const State& s, MmId mm, std::uint64_t addr) {
    PageId table = s.mms[mm].pgd;
    for (unsigned shift = s.mms[mm].levels == 5 ? 48 : 39;; shift -= 9) {
        const pte_t entry = s.tables[s.pages[table].table][addr >> shift & 511];
        if (!(entry & PTE_P)) return {};
        const auto frame = static_cast<PageId>((entry & pte_addr_mask) >> page_shift);
        if (shift == page_shift || ((entry & PTE_PSE) && shift < 39)) {
            const std::uint32_t order = shift - page_shift;
            return {entry, order, frame + (static_cast<PageId>(addr >> page_shift) & ((1u << order) - 1))};
        }
        table = frame;
    }
}

std::string walk_string(const Walk& w) {
    static constexpr const char* names[] = {"pgd", "p4d", "pud", "pmd", "pte"};
    std::string out;
    for (int i = 0; i < w.depth; ++i)
        out += std::string(i ? " " : "") + names[i && w.levels == 4 ? i + 1 : i] + "[" + std::to_string(w.steps[static_cast<std::size_t>(i)].index) +
               "]";
    out += " -> ";
    out += !w.present ? "none" : w.order == 0 ? "4K" : w.order == pmd_order ? "2M" : "1G";
    return out;
}

std::string entry_string(pte_t entry) {
    constexpr pte_t saved_dirty = pte_t{1} << 58;
    if (!(entry & (PTE_P | PTE_PROTNONE))) return "";
    std::string out;
    const auto add = [&](pte_t bits, const char* name) {
        if (entry & bits) out += (out.empty() ? "" : " ") + std::string(name);
    };
    add(PTE_P, "P"), add(PTE_RW, "RW"), add(PTE_US, "US"), add(PTE_A, "A"), add(PTE_D | saved_dirty, "D"), add(PTE_PSE, "PSE");
    if (!(entry & PTE_P)) add(PTE_PROTNONE, "PROTNONE");
    add(PTE_SPECIAL, "SPECIAL"), add(PTE_NX, "NX");
    return out;
}

} // namespace pipescope

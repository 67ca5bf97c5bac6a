// SPDX-License-Identifier: MIT
// Looking a translation up in a CPU's TLB.
#pragma once
#include "core/state.hpp"
#include <string>

namespace pipescope {

inline constexpr std::uint32_t max_cpus = 256; // that a TLB is kept for

constexpr bool tlb_covers(const TlbEntry& e, MmId mm, std::uint64_t addr, std::uint32_t order) {
    return e.mm == mm && e.addr == (addr & ~((std::uint64_t{page_size} << order) - 1));
}

struct TlbFound {
    const TlbEntry* entry = nullptr; // null: a miss
    PageId page = no_page;           // the 4 KiB frame at the address
};
inline TlbFound tlb_lookup(const State& s, std::uint32_t cpu, MmId mm, std::uint64_t addr) {
    if (cpu >= s.tlbs.size()) return {};
    const Tlb& t = s.tlbs[cpu];
    const auto found = [&](const TlbEntry& e, std::uint32_t order) -> TlbFound {
        const auto within = static_cast<PageId>(addr >> page_shift) & ((1u << order) - 1);
        return {&e, static_cast<PageId>((e.entry & pte_addr_mask) >> page_shift) + within};
    };
    if (const TlbEntry& e = t.small[(addr >> page_shift) % t.small.size()]; tlb_covers(e, mm, addr, 0)) return found(e, 0);
    if (const TlbEntry& e = t.huge[(addr >> 21) % t.huge.size()]; tlb_covers(e, mm, addr, pmd_order)) return found(e, pmd_order);
    if (const TlbEntry& e = t.giant[(addr >> 30) % t.giant.size()]; tlb_covers(e, mm, addr, pud_order)) return found(e, pud_order);
    return {};
}
// "" when every translation in every TLB is one that the page tables still allow, else the first that is not.
std::string tlb_stale(const State& s);

} // namespace pipescope

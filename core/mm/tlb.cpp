// SPDX-License-Identifier: MIT
// apply() for events of the TLBs, and whether what they hold is still true.
#include "core/mm/tlb.hpp"
#include "core/apply_parts.hpp"
#include "core/mm/walk.hpp"

namespace pipescope {
namespace {

constexpr std::uint64_t size_of(std::uint32_t order) { return std::uint64_t{page_size} << order; }

// Calls f(entry, order) for each entry of a TLB; stops when it says false.
template <class T, class F> void each(T& t, F f) {
    for (auto& e : t.small)
        if (!f(e, 0u)) return;
    for (auto& e : t.huge)
        if (!f(e, pmd_order)) return;
    for (auto& e : t.giant)
        if (!f(e, pud_order)) return;
}

void flush(Tlb& t, MmId mm, std::uint64_t start, std::uint64_t end) {
    const bool all = start == 0 && end == 0;
    bool met = false;
    each(t, [&](TlbEntry& e, std::uint32_t order) {
        if (e.mm != mm) return true;
        met = true;
        if (all || (e.addr < end && e.addr + size_of(order) > start)) e = {};
        return true;
    });
    if (!met) return; // a CPU that has not run the address space is left alone
    if (all) ++t.flushes;
    else t.invlpgs += (end - start) >> page_shift;
}

} // namespace

namespace part {

bool apply_tlb(State& s, const Event& e) {
    if (e.kind == EventKind::tlb_flush) {
        if (!has(s.mms, e.a) || e.x > e.y) return false;
        for (Tlb& t : s.tlbs) flush(t, e.a, e.x, e.y);
        return true;
    }
    if (e.kind == EventKind::tlb_hit) {
        if (!has(s.tlbs, e.a)) return false;
        ++s.tlbs[e.a].hits;
        return true;
    }
    if (e.a >= max_cpus || !has(s.mms, e.b) || (e.c != 0 && e.c != pmd_order && e.c != pud_order) || e.x & (size_of(e.c) - 1)) return false;
    if (e.a >= s.tlbs.size()) s.tlbs.resize(e.a + 1);
    Tlb& t = s.tlbs[e.a];
    ++t.misses;
    TlbEntry& to = e.c == 0           ? t.small[(e.x >> page_shift) % t.small.size()]
                   : e.c == pmd_order ? t.huge[(e.x >> 21) % t.huge.size()]
                                      : t.giant[(e.x >> 30) % t.giant.size()];
    to = {e.b, e.x, e.y};
    return true;
}

} // namespace part

std::string tlb_stale(const State& s) {
    std::string out;
    for (std::size_t cpu = 0; cpu < s.tlbs.size(); ++cpu)
        each(s.tlbs[cpu], [&](const TlbEntry& e, std::uint32_t order) {
            if (e.mm == no_id) return true;
            const Walk w = walk(s, e.mm, e.addr);
            const pte_t now = w.present ? w.leaf().entry : 0;
            // It may grant less than the table does, and know of fewer stores, never more.
            const pte_t rights = PTE_RW | PTE_US | PTE_A | PTE_D;
            if (w.present && w.order == order && !((e.entry ^ now) & pte_addr_mask) && !(e.entry & ~now & rights)) return true;
            out = "cpu " + std::to_string(cpu) + " still translates " + std::to_string(e.addr) + " of mm " + std::to_string(e.mm);
            return false;
        });
    return out;
}

} // namespace pipescope

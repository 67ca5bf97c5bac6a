// SPDX-License-Identifier: MIT
// Lists TLB entries.
#include "app/tlb_list.hpp"
#include "app/walk_picture.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace pipescope {

TlbList tlb_list(const State& s, MmId mm, std::uint64_t addr) {
    TlbList out;
    for (std::uint32_t cpu = 0; cpu < s.tlbs.size(); ++cpu) {
        const Tlb& t = s.tlbs[cpu];
        out.hits += t.hits, out.misses += t.misses, out.flushes += t.flushes, out.invlpgs += t.invlpgs;
        const auto take = [&](const auto& entries, std::uint32_t order) {
            const std::uint64_t size = std::uint64_t{page_size} << order;
            for (const TlbEntry& e : entries)
                if (e.mm == mm && mm != no_id) out.lines.push_back({cpu, order, e.addr, e.entry, addr >= e.addr && addr - e.addr < size});
        };
        take(t.small, 0), take(t.huge, pmd_order), take(t.giant, pud_order);
    }
    out.any = out.hits || out.misses;
    std::stable_sort(out.lines.begin(), out.lines.end(), [](const TlbLine& a, const TlbLine& b) {
        return a.here != b.here ? a.here : a.cpu != b.cpu ? a.cpu < b.cpu : a.addr < b.addr;
    });
    return out;
}

std::string tlb_line_text(const TlbLine& l) {
    return fmt::format("cpu {}  {:#x} → {}  {}  {}", l.cpu, l.addr, entry_page(l.entry), l.order == pud_order ? "1G" : l.order == pmd_order ? "2M" : "4K",
        entry_text(l.entry));
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// The page walk as data.
#include "app/walk_picture.hpp"
#include "core/mm/walk.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace pipescope {
namespace {

// Why the lockless walk stops at a leaf, or at no leaf.
std::string stop_reason(const Walk& w) {
    const pte_t e = w.depth ? w.steps[static_cast<std::size_t>(w.depth - 1)].entry : 0;
    if (w.protnone) return "PROT_NONE has closed the entry";
    if (!w.present) return "nothing is mapped there";
    if (e & PTE_SPECIAL) return "the entry is special, as that of the zero page is";
    if (!(e & PTE_US)) return "the entry is the kernel's alone";
    return "";
}

} // namespace

PageId entry_page(pte_t e) { return static_cast<PageId>((e & pte_addr_mask) >> page_shift); }

const PageTable* table_of(const State& s, PageId page) {
    return s.pages.contains(page) && s.pages[page].table < s.tables.size() ? &s.tables[s.pages[page].table] : nullptr;
}

WalkPicture walk_picture(const State& s, MmId mm, std::uint64_t addr) {
    WalkPicture out;
    const Walk w = walk(s, mm, addr);
    out.split = address_split(addr, w.levels);
    out.present = w.present, out.protnone = w.protnone, out.order = w.order, out.page = w.page;
    if (w.present || w.protnone) out.leaf = w.depth - 1;
    for (int i = 0; i < out.split.levels && (out.leaf < 0 || i <= out.leaf); ++i) {
        TableStrip strip;
        strip.index = out.split.index[static_cast<std::size_t>(i)];
        strip.read = i < w.depth;
        strip.leaf = i == out.leaf;
        if (strip.read) strip.table = w.steps[static_cast<std::size_t>(i)].table, strip.entry = w.steps[static_cast<std::size_t>(i)].entry;
        out.strips.push_back(strip);
    }
    return out;
}

std::vector<EntryBit> entry_bits(pte_t e, bool leaf) {
    const auto bit = [&](std::uint64_t mask, const char* name, const char* yes, const char* no) {
        return EntryBit{name, (e & mask) != 0, e & mask ? yes : no};
    };
    return {bit(PTE_P, "P", "present: the walk goes on through it", "not present: touching it is a fault"),
        bit(PTE_RW, "RW", "may be written", "read only: a store is a fault"), bit(PTE_US, "US", "user code may use it", "for the kernel alone"),
        bit(PTE_A, "A", "accessed: the CPU went through it", "not accessed yet"),
        bit(PTE_D, "D", leaf ? "dirty: the page was written" : "dirty, without meaning above a leaf", "not dirty"),
        bit(PTE_PSE, "PSE", leaf ? "a huge leaf: the walk ends here" : "page size", "no huge leaf"),
        bit(PTE_SPECIAL, "S", "special: no struct page of its own to count in; the lockless walk stops", "not special"),
        bit(PTE_NX, "NX", "no code may run from it", "code may run from it")};
}

std::string entry_text(pte_t e) {
    std::string out;
    for (const EntryBit& b : entry_bits(e, true))
        if (b.set) out += (out.empty() ? "" : " ") + std::string(b.name);
    return out.empty() ? "not present" : out;
}

GupRun gup_run(const State& s, MmId mm, std::uint64_t addr, std::uint32_t n) {
    GupRun run;
    const std::uint64_t start = addr & ~std::uint64_t{page_size - 1}, end = start + std::uint64_t{n} * page_size;
    if (end < start || end > (mm < s.mms.size() && s.mms[mm].levels == 5 ? task_size_max5 : task_size_max)) {
        run.words = "Refused with EFAULT: user addresses end below this one.", run.slow = true;
        return run;
    }
    std::string why;
    bool huge = false;
    while (run.pages.size() < n) {
        const std::uint64_t at = start + run.pages.size() * page_size;
        const Walk w = walk(s, mm, at);
        if (why = stop_reason(w); !why.empty()) break;
        const std::uint64_t leaf_pages = std::uint64_t{1} << w.order, behind = leaf_pages - ((at >> page_shift) & (leaf_pages - 1));
        const auto take = std::min<std::uint64_t>(n - run.pages.size(), behind);
        for (std::uint32_t i = 0; i < take; ++i) run.pages.push_back(w.page + i);
        ++run.entries;
        huge = huge || w.order != 0;
    }
    run.slow = run.pages.size() < n;
    const auto got = run.pages.size();
    const std::string looks = fmt::format("{} {}", run.entries, run.entries == 1 ? "entry" : "entries");
    if (got)
        run.words = fmt::format("{} page{} from {}: {}.", got, got == 1 ? "" : "s", looks,
            huge && run.entries == 1 ? "one addition to the head's count" : "a reference on each");
    if (run.slow) run.words += fmt::format("{}{} {}, and goes the slow way.", got ? " Then " : "At once ", got ? "stops:" : "it stops:", why);
    return run;
}

} // namespace pipescope

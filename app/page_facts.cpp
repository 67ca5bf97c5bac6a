// SPDX-License-Identifier: MIT
// The fields of a struct page, and of its folio.
#include "app/page_facts.hpp"
#include "app/layout.hpp"
#include "core/version.hpp"
#include <fmt/format.h>

namespace pipescope {
namespace {

struct FlagName {
    std::uint32_t bit;
    const char* name;
};
constexpr FlagName flag_names[] = {{0, "locked"}, {1, "writeback"}, {2, "referenced"}, {3, "uptodate"}, {4, "dirty"}, {5, "lru"}, {6, "head"},
    {7, "waiters"}, {8, "active"}, {9, "workingset"}, {11, "anon_exclusive"}, {17, "swapbacked"}, {31, "hugetlb"}};

std::string tail_words(const PageFacts& f) { return fmt::format("{} + {}", f.head, f.number); }

// The field that says whose the page is, and the one that says which part of it.
void add_mapping(PageFacts& f, const State& s, const StringTable& names, const PageNames& pages, PageId page, bool recorded) {
    const Page& head = s.pages[f.head];
    std::uint32_t owner = 0, index = 0;
    if (f.tail) {
        f.page.push_back({"+24", "mapping", "unused", "the head's tells whose memory it is"});
        return;
    }
    switch (head.owner) {
    case PageOwner::user: {
        const bool mapped = pages.user(page, owner, index);
        f.page.push_back({"+24", "mapping", "anon_vma | 1", "bit 0: anonymous memory"});
        if (mapped && !recorded) {
            const Buffer& b = s.buffers[owner];
            f.page.push_back({"+32", "index", fmt::format("{:#x}", (b.addr >> page_shift) + index),
                fmt::format("address / 4096, page {} of {}", index, names[b.name])});
        }
        return;
    }
    case PageOwner::page_cache:
        for (const Inode& i : s.inodes)
            for (const auto& [at, cached] : i.pages)
                if (cached == page) {
                    f.page.push_back({"+24", "mapping", "address_space", "of the file " + names[i.name]});
                    f.page.push_back(
                        {"+32", "index", std::to_string(at), fmt::format("byte {} of the file", digits_grouped(std::uint64_t{at} * page_size))});
                    return;
                }
        f.page.push_back({"+24", "mapping", recorded ? "address_space" : "NULL", recorded ? "of a file" : "no longer in a file's cache"});
        return;
    default: f.page.push_back({"+24", "mapping", "NULL", "neither anonymous nor a file's"}); return;
    }
}

void add_counts(PageFacts& f, const State& s, const Page& q, bool recorded) {
    const Page& head = s.pages[f.head];
    if (recorded) f.page.push_back({"+48", "_mapcount", "not recorded", ""});
    else if (q.owner == PageOwner::table) f.page.push_back({"+48", "page_type", "table", "the same bytes: a page table is mapped by nobody"});
    else {
        const std::int32_t n = f.compound ? q.own_mapcount : q.mapcount;
        std::string words = n == 0 ? "stored less one: mapped by nobody" : fmt::format("stored less one: mapped {}", n == 1 ? "once" : fmt::format("{} times", n));
        if (f.compound) words = n == 0 && head.entire_mapcount ? "mapped as a whole alone: see the folio" : words + ", apart from the folio as a whole";
        f.page.push_back({"+48", "_mapcount", std::to_string(n - 1), words});
    }
    if (f.tail) f.page.push_back({"+52", "_refcount", "0", fmt::format("a tail's is never used: counted in {}", f.head)});
    else f.page.push_back({"+52", "_refcount", std::to_string(head.refcount), head.owner == PageOwner::free ? "free" : ""});
}

} // namespace

std::string page_flags_text(std::uint32_t flags, bool named) {
    std::string out;
    for (std::uint32_t bit = 0; bit < 32; ++bit) {
        if (!(flags >> bit & 1)) continue;
        std::string name = fmt::format("bit {}", bit);
        for (const FlagName& f : flag_names)
            if (named && f.bit == bit) name = f.name;
        out += (out.empty() ? "" : " ") + name;
    }
    return out.empty() ? "none" : out;
}

PageFacts page_facts(const State& s, const StringTable& names, const PageNames& pages, PageId page, bool recorded, const std::string& release) {
    PageFacts f;
    if (!s.pages.contains(page)) return f;
    const Page& q = s.pages[page];
    const bool known_head = s.pages.contains(q.compound_head) && s.pages[q.compound_head].order == q.order && q.compound_head != no_page;
    f.head = known_head ? q.compound_head : page;
    f.compound = q.order != 0;
    f.pages = 1u << q.order;
    f.number = page - f.head;
    f.tail = f.compound && f.number != 0;
    const Page& head = s.pages[f.head];
    const bool named = !recorded || page_flags_as_modelled(release);

    const std::string flags = page_flags_text(q.flags, named);
    f.page.push_back({"+0", "flags", f.tail && !recorded ? f.number == 1 ? fmt::format("{:#04x}", q.order) : "0x0" : fmt::format("{:#x}", q.flags),
        f.tail && !recorded && f.number == 1 ? fmt::format("the low byte of page 1 is the order: {}", q.order) : flags});
    if (f.tail)
        f.page.push_back({"+8", "compound_head", fmt::format("{} | 1", f.head), fmt::format("bit 0 set: a tail, {} behind its head", f.number)});
    else f.page.push_back({"+8", "lru", head.flags & PG_lru && named ? "on a list" : "on no list", "bit 0 clear: not a tail"});
    add_mapping(f, s, names, pages, page, recorded);
    add_counts(f, s, q, recorded);

    f.folio.push_back({"", "head page", std::to_string(f.head),
        f.tail       ? tail_words(f) + " is this page"
        : f.compound ? "this page"
                     : "this page: a folio of its own"});
    f.folio.push_back({"", "order", std::to_string(q.order),
        fmt::format("{} page{}, {} KiB", digits_grouped(f.pages), f.pages == 1 ? "" : "s", digits_grouped(std::uint64_t{f.pages} * 4))});
    f.folio.push_back({"", "references", std::to_string(head.refcount), f.compound ? "of all its pages together" : ""});
    if (!recorded) f.folio.push_back({"", "mappings", std::to_string(head.mapcount), f.compound && head.mapcount == 1 && head.entire_mapcount == 1 ? "one entry maps it whole" : ""});
    if (!recorded && f.compound && head.mapcount) f.folio.push_back({"", "_entire_mapcount", std::to_string(head.entire_mapcount - 1), "stored less one: entries that map it whole"});
    if (!recorded && head.pincount) f.folio.push_back({"", "_pincount", std::to_string(head.pincount), "pins of FOLL_PIN, which no unmapping waits for"});
    f.folio.push_back({"", "flags", page_flags_text(head.flags, named), ""});
    return f;
}

} // namespace pipescope

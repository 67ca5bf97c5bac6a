// SPDX-License-Identifier: MIT
// apply() for events of page frames: allocation, counts, release, and what was seen of real ones; the first state of all.
#include "core/apply_parts.hpp"

namespace pipescope {
namespace part {
namespace {

std::int32_t add(std::int32_t v, std::uint32_t delta) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(v) + delta); } // wraps

bool ensure_page(State& s, PageId p, std::uint32_t n = 1) {
    const std::size_t need = std::size_t{p} + n;
    if (p == no_page || need > s.pages.size() + page_growth || need >= giant_base) return false;
    if (need > s.pages.size()) s.pages.resize(need);
    return true;
}

// A folio of 1 GiB: its tails share one entry.
bool giant_alloc(State& s, const Event& e) {
    const PageId p = e.a;
    if (p < giant_base || p >= 2 * giant_base || p & ((1u << pud_order) - 1)) return false;
    const std::size_t n = (p - giant_base) >> pud_order;
    auto& giants = s.pages.giants();
    if (n > giants.size() || (n < giants.size() && giants[n].head.owner != PageOwner::free)) return false;
    if (n == giants.size()) giants.emplace_back();
    std::erase(s.free_pages[pud_order], p);
    Page tail;
    tail.compound_head = p, tail.order = pud_order, tail.owner = static_cast<PageOwner>(e.c);
    Page head = tail;
    head.refcount = 1, head.flags = PG_head;
    giants[n] = {head, tail};
    return true;
}

bool page_alloc(State& s, const Event& e) {
    const PageId p = e.a;
    if (e.b > pud_order || e.c > static_cast<std::uint32_t>(PageOwner::unknown)) return false;
    if (e.b == pud_order) return e.c != static_cast<std::uint32_t>(PageOwner::table) && giant_alloc(s, e);
    const std::uint32_t n = 1u << e.b;
    if (!ensure_page(s, p, n) || s.pages[p].owner != PageOwner::free) return false;
    auto& list = s.free_pages[e.b];
    if (!list.empty() && list.back() == p) list.pop_back();
    else std::erase(list, p);
    s.next_page = std::max(s.next_page, p + n);
    const auto owner = static_cast<PageOwner>(e.c);
    for (std::uint32_t i = 0; i < n; ++i) {
        Page& q = s.pages[p + i];
        const std::uint32_t cpu = q.last_cpu;
        q = Page{};
        q.last_cpu = cpu;
        q.compound_head = p;
        q.order = static_cast<std::uint8_t>(e.b);
        q.owner = owner;
    }
    s.pages[p].refcount = 1;
    if (e.b) s.pages[p].flags = PG_head;
    if (owner == PageOwner::table) {
        s.pages[p].table = static_cast<std::uint32_t>(s.tables.size());
        for (std::uint32_t t = 0; t < s.tables.size(); ++t) // a table whose page was freed is used again
            if (s.tables[t][511] == ~pte_t{0}) { s.pages[p].table = t; break; }
        if (s.pages[p].table == s.tables.size()) s.tables.emplace_back();
        s.tables[s.pages[p].table] = PageTable{};
    }
    return true;
}

bool page_map(State& s, const Event& e) {
    const PageId head = s.pages[e.a].compound_head;
    Page& h = s.pages[head];
    if (e.c > static_cast<std::uint32_t>(MapBy::each) || h.order > pud_order) return false;
    const auto by = h.order ? static_cast<MapBy>(e.c) : MapBy::page;
    if (by == MapBy::whole) h.entire_mapcount = add(h.entire_mapcount, e.b);
    else if (h.order == pud_order) return false; // never mapped in pieces
    if (by == MapBy::page && h.order) s.pages[e.a].own_mapcount = add(s.pages[e.a].own_mapcount, e.b);
    const std::uint32_t n = by == MapBy::each ? 1u << h.order : 1;
    for (std::uint32_t i = 0; n > 1 && i < n && has(s.pages, head + i); ++i) s.pages[head + i].own_mapcount = add(s.pages[head + i].own_mapcount, e.b);
    h.mapcount = add(h.mapcount, e.b * n);
    return true;
}

bool page_free(State& s, const Event& e) {
    Page& h = s.pages[e.a];
    if (h.owner == PageOwner::free || h.compound_head != e.a || e.a == zero_page) return false;
    const std::uint8_t order = h.order;
    if (e.a >= giant_base) {
        const auto first = s.bytes.lower_bound(e.a);
        s.bytes.erase(first, std::find_if(first, s.bytes.end(), [&](const auto& p) { return p.first - e.a >= 1u << pud_order; }));
        s.pages.giants()[(e.a - giant_base) >> pud_order] = {};
        s.free_pages[pud_order].push_back(e.a);
        return true;
    }
    if (order > pud_order || (std::size_t{1} << order) > s.pages.size() - e.a) return false;
    if (h.table != no_id && has(s.tables, h.table)) s.tables[h.table].fill(~pte_t{0});
    for (std::uint32_t i = 0; i < (1u << order); ++i) {
        Page& q = s.pages[e.a + i];
        if (q.has_bytes) s.bytes.erase(e.a + i);
        const std::uint32_t cpu = q.last_cpu;
        q = Page{};
        q.last_cpu = cpu;
    }
    s.free_pages[order].push_back(e.a);
    return true;
}

bool page_seen(State& s, const Event& e) {
    if (!ensure_page(s, e.a)) return false;
    Page& p = s.pages[e.a];
    if (e.kind == EventKind::page_user) {
        p.owner = PageOwner::user;
        p.user_task = e.b;
        p.user_index = e.c;
        return true;
    }
    const auto owner = e.c & 0xff;
    if (owner > static_cast<std::uint32_t>(PageOwner::unknown) || (e.c >> 8 & 0xff) > pud_order) return false;
    p.refcount = static_cast<std::int32_t>(e.b);
    if (p.owner != PageOwner::user || owner != static_cast<std::uint32_t>(PageOwner::unknown)) p.owner = static_cast<PageOwner>(owner);
    p.order = static_cast<std::uint8_t>(e.c >> 8);
    p.seen = static_cast<std::uint8_t>(e.c >> 16);
    p.pfn = e.x;
    p.flags = static_cast<std::uint32_t>(e.y);
    if (p.compound_head == no_page) p.compound_head = e.a;
    return true;
}

} // namespace

bool apply_frames(State& s, const Event& e) {
    switch (e.kind) {
    case EventKind::page_alloc: return page_alloc(s, e);
    case EventKind::page_seen: case EventKind::page_user: return page_seen(s, e);
    default:
        if (!has(s.pages, e.a)) return false;
    }
    switch (e.kind) {
    case EventKind::page_free: return page_free(s, e);
    case EventKind::page_ref: {
        Page& h = s.pages[s.pages[e.a].compound_head];
        h.refcount = add(h.refcount, e.b);
        h.last_cpu = e.c;
        return true;
    }
    case EventKind::page_map: return page_map(s, e);
    case EventKind::page_flags:
        s.pages[e.a].flags = (s.pages[e.a].flags | e.b) & ~e.c;
        return true;
    case EventKind::page_pin: {
        Page& h = s.pages[s.pages[e.a].compound_head];
        h.refcount = add(h.refcount, h.order ? e.b : e.b * static_cast<std::uint32_t>(gup_pin_counting_bias));
        if (h.order) h.pincount = add(h.pincount, e.b);
        return true;
    }
    default: return false;
    }
}

} // namespace part

State::State() {
    pages.resize(2);
    pages[zero_page].owner = PageOwner::zero;
    pages[zero_page].refcount = 1;
    pages[zero_page].compound_head = zero_page;
    pages[zero_page].flags = PG_uptodate;
}

} // namespace pipescope

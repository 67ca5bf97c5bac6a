// SPDX-License-Identifier: MIT
// apply() for events of page frames, page tables, address spaces and contents.
#include "core/apply_parts.hpp"
#include <algorithm>
#include <cstring>

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

bool page_free(State& s, const Event& e) {
    if (!has(s.pages, e.a)) return false;
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

PageBytes* writable(State& s, PageId p) {
    auto& ptr = s.bytes[p];
    s.pages[p].has_bytes = 1;
    if (!ptr) ptr = std::make_shared<PageBytes>();
    else if (ptr.use_count() > 1) ptr = std::make_shared<PageBytes>(*ptr);
    return const_cast<PageBytes*>(ptr.get()); // sole owner: nobody else can see the change
}

const PageBytes* content(const State& s, PageId p) { // null: all zero
    if (!s.pages[p].has_bytes) return nullptr;
    const auto it = s.bytes.find(p); // the tails of a giant folio share the mark
    return it == s.bytes.end() ? nullptr : it->second.get();
}

bool store(State& s, const Event& e) {
    if (!has(s.pages, e.a) || e.c > 16 || e.b > page_size - e.c || e.a == no_page) return false;
    if (e.x == 0 && e.y == 0 && !s.pages[e.a].has_bytes) return true;
    std::uint8_t raw[16];
    std::memcpy(raw, &e.x, 8);
    std::memcpy(raw + 8, &e.y, 8);
    std::memcpy(writable(s, e.a)->data() + e.b, raw, e.c);
    return true;
}

bool copy(State& s, Event e) {
    const bool hit = e.c & copy_tlb_hit;
    e.c &= ~copy_tlb_hit;
    if (!has(s.pages, e.a) || !has(s.pages, e.b) || e.c > page_size || e.x > page_size - e.c || e.y > page_size - e.c) return false;
    s.bytes_copied += e.c;
    if (hit && has(s.tasks, e.task) && has(s.tlbs, s.tasks[e.task].cpu)) ++s.tlbs[s.tasks[e.task].cpu].hits;
    if (!s.pages[e.a].has_bytes && !s.pages[e.b].has_bytes) return true;
    if (e.b == no_page) return true; // to nowhere
    std::uint8_t* const to = writable(s, e.b)->data() + e.y;
    const PageBytes* const source = content(s, e.a);
    if (!source) {
        std::memset(to, 0, e.c);
        return true;
    }
    const std::uint8_t* const from = source->data() + e.x;
    if (e.a != e.b) std::memcpy(to, from, e.c);
    else
        for (std::uint32_t i = 0; i < e.c; ++i) to[i] = from[i]; // a page onto itself, upwards; what a CPU makes of an overlap is its own affair
    return true;
}

} // namespace

bool apply_memory(State& s, const Event& e) {
    switch (e.kind) {
    case EventKind::vma_new: {
        if (!has(s.mms, e.a) || e.x >= e.y || (e.x | e.y) % page_size) return false;
        s.mms[e.a].vmas.push_back({e.x, e.y, e.b});
        return true;
    }
    case EventKind::vma_prot: case EventKind::vma_del: {
        if (!has(s.mms, e.a) || e.x >= e.y || (e.x | e.y) % page_size) return false;
        std::vector<Vma> out;
        for (const Vma& v : s.mms[e.a].vmas) {
            const std::uint64_t from = std::max(v.start, e.x), to = std::min(v.end, e.y);
            if (from >= to) {
                out.push_back(v);
                continue;
            }
            if (v.start < from) out.push_back({v.start, from, v.flags});
            if (e.kind == EventKind::vma_prot) out.push_back({from, to, e.b});
            if (to < v.end) out.push_back({to, v.end, v.flags});
        }
        s.mms[e.a].vmas = std::move(out);
        return true;
    }
    case EventKind::page_alloc: return page_alloc(s, e);
    case EventKind::page_free: return page_free(s, e);
    case EventKind::page_ref: {
        if (!has(s.pages, e.a)) return false;
        Page& h = s.pages[s.pages[e.a].compound_head];
        h.refcount = add(h.refcount, e.b);
        h.last_cpu = e.c;
        return true;
    }
    case EventKind::page_map: {
        if (!has(s.pages, e.a)) return false;
        Page& h = s.pages[s.pages[e.a].compound_head];
        h.mapcount = add(h.mapcount, e.b);
        return true;
    }
    case EventKind::page_flags:
        if (!has(s.pages, e.a)) return false;
        s.pages[e.a].flags = (s.pages[e.a].flags | e.b) & ~e.c;
        return true;
    case EventKind::pte_set: {
        if (!has(s.pages, e.a) || e.b >= 512 || !has(s.tables, s.pages[e.a].table)) return false;
        s.tables[s.pages[e.a].table][e.b] = e.y;
        return true;
    }
    case EventKind::page_pin: {
        if (!has(s.pages, e.a)) return false;
        Page& h = s.pages[s.pages[e.a].compound_head];
        h.refcount = add(h.refcount, h.order ? e.b : e.b * static_cast<std::uint32_t>(gup_pin_counting_bias));
        if (h.order) h.pincount = add(h.pincount, e.b);
        return true;
    }
    case EventKind::store: return store(s, e);
    case EventKind::fill: {
        if (!has(s.pages, e.a) || e.a == no_page) return false;
        if ((e.b & 0xff) == 0 && !s.pages[e.a].has_bytes) return true;
        writable(s, e.a)->fill(static_cast<std::uint8_t>(e.b));
        return true;
    }
    case EventKind::pattern: {
        if (!has(s.pages, e.a) || e.a == no_page || e.c > page_size) return false;
        PageBytes& bytes = *writable(s, e.a);
        for (std::uint32_t i = 0; i < e.c; ++i) bytes[i] = file_pattern(e.x + i);
        return true;
    }
    case EventKind::copy: return copy(s, e);
    default: return false;
    }
}

bool apply_seen(State& s, const Event& e) {
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

} // namespace part

State::State() {
    pages.resize(2);
    pages[zero_page].owner = PageOwner::zero;
    pages[zero_page].refcount = 1;
    pages[zero_page].compound_head = zero_page;
    pages[zero_page].flags = PG_uptodate;
}

} // namespace pipescope

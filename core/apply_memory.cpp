// SPDX-License-Identifier: MIT
// apply() for events of page tables, address spaces and contents.
#include "core/apply_parts.hpp"
#include <cstring>

namespace pipescope {
namespace part {

PageBytes* page_writable(State& s, PageId p) {
    auto& ptr = s.bytes[p];
    s.pages[p].has_bytes = 1;
    if (!ptr) ptr = std::make_shared<PageBytes>();
    else if (ptr.use_count() > 1) ptr = std::make_shared<PageBytes>(*ptr);
    return const_cast<PageBytes*>(ptr.get()); // sole owner: nobody else can see the change
}

const PageBytes* page_content(const State& s, PageId p) { // null: all zero
    if (!s.pages[p].has_bytes) return nullptr;
    const auto it = s.bytes.find(p); // the tails of a giant folio share the mark
    return it == s.bytes.end() ? nullptr : it->second.get();
}

namespace {

bool store(State& s, const Event& e) {
    if (!has(s.pages, e.a) || e.c > 16 || e.b > page_size - e.c || e.a == no_page) return false;
    if (e.x == 0 && e.y == 0 && !s.pages[e.a].has_bytes) return true;
    std::uint8_t raw[16];
    std::memcpy(raw, &e.x, 8);
    std::memcpy(raw + 8, &e.y, 8);
    std::memcpy(page_writable(s, e.a)->data() + e.b, raw, e.c);
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
    std::uint8_t* const to = page_writable(s, e.b)->data() + e.y;
    const PageBytes* const source = page_content(s, e.a);
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
        if (e.c && !has(s.inodes, e.c - 1)) return false;
        s.mms[e.a].vmas.push_back({e.x, e.y, e.b & 0xff, e.c ? e.c - 1 : no_id, e.b >> 8});
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
            const auto part = [&](std::uint64_t start, std::uint64_t end, std::uint32_t flags) {
                if (start < end) out.push_back({start, end, flags, v.inode, v.pgoff + static_cast<std::uint32_t>((start - v.start) >> page_shift)});
            };
            part(v.start, from, v.flags);
            if (e.kind == EventKind::vma_prot) part(from, to, e.b);
            part(to, v.end, v.flags);
        }
        s.mms[e.a].vmas = std::move(out);
        return true;
    }
    case EventKind::pte_set: {
        if (!has(s.pages, e.a) || e.b >= 512 || !has(s.tables, s.pages[e.a].table)) return false;
        s.tables[s.pages[e.a].table][e.b] = e.y;
        return true;
    }
    case EventKind::store: return store(s, e);
    case EventKind::fill: {
        if (!has(s.pages, e.a) || e.a == no_page) return false;
        if ((e.b & 0xff) == 0 && !s.pages[e.a].has_bytes) return true;
        page_writable(s, e.a)->fill(static_cast<std::uint8_t>(e.b));
        return true;
    }
    case EventKind::pattern: {
        if (!has(s.pages, e.a) || e.a == no_page || e.c > page_size) return false;
        PageBytes& bytes = *page_writable(s, e.a);
        for (std::uint32_t i = 0; i < e.c; ++i) bytes[i] = file_pattern(e.x + i);
        return true;
    }
    case EventKind::copy: return copy(s, e);
    default: return false;
    }
}

} // namespace part
} // namespace pipescope

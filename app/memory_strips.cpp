// SPDX-License-Identifier: MIT
// Sorts the pages of a state into strips.
#include "app/memory_strips.hpp"
#include "core/mm/walk.hpp"
#include "sim/narrate.hpp"
#include <algorithm>
#include <unordered_set>

namespace pipescope {
namespace {

constexpr std::uint64_t nothing = ~std::uint64_t{0};
constexpr std::size_t most_others = 4096;

std::uint64_t first_page(const Buffer& b) { return b.addr & ~std::uint64_t{page_size - 1}; }

std::vector<MemoryStrip> buffer_strips(const State& s, const StringTable& names, const PageNames& pages, const Focus& focus, PageId chosen) {
    std::vector<MemoryStrip> out;
    const MmId mm = focus.task < s.tasks.size() ? s.tasks[focus.task].mm : no_id;
    std::uint32_t chosen_buffer = no_id, chosen_index = 0;
    if (chosen != no_page) pages.user(chosen, chosen_buffer, chosen_index);
    for (std::uint32_t i = 0; i < s.buffers.size(); ++i) {
        const Buffer& b = s.buffers[i];
        if (b.scratch || !b.len) continue;
        MemoryStrip strip;
        strip.name = names[b.name], strip.buffer = i;
        strip.pages = ((b.addr & (page_size - 1)) + b.len + page_size - 1) / page_size;
        if (focus.user_addr >= b.addr && focus.user_addr - b.addr < b.len && mm == b.mm) strip.wanted = (focus.user_addr - first_page(b)) / page_size;
        else if (i == chosen_buffer) strip.wanted = chosen_index;
        out.push_back(std::move(strip));
    }
    std::stable_sort(
        out.begin(), out.end(), [](const MemoryStrip& a, const MemoryStrip& b) { return (a.wanted != nothing) > (b.wanted != nothing); });
    return out;
}

// Pages that only the ring leads to: they have lost their buffer or file, or belong to something without a strip of its own.
const char* other_name(PageOwner o) {
    switch (o) {
    case PageOwner::zero: return "zero page";
    case PageOwner::user: return "no longer mapped";
    case PageOwner::page_cache: return "page cache";
    default: return "other pages";
    }
}

void add_others(std::vector<MemoryStrip>& out, const State& s, const PageNames& pages, const Pipe& pipe) {
    std::unordered_set<PageId> listed;
    for (const MemoryStrip& strip : out) listed.insert(strip.list.begin(), strip.list.end());
    std::vector<MemoryStrip> others;
    for (std::uint32_t i = pipe.tail; i != pipe.head && i - pipe.tail < most_others; ++i) {
        const PageId page = pipe.bufs[pipe.slot(i)].page;
        std::uint32_t buffer = 0, index = 0;
        if (page == no_page || !s.pages.contains(page) || listed.contains(page) || pages.user(page, buffer, index)) continue;
        if (page == zero_page && std::any_of(out.begin(), out.end(), [&](const MemoryStrip& x) {
                for (std::uint64_t k = 0; x.buffer != no_id && k < std::min<std::uint64_t>(x.pages, 64); ++k)
                    if (strip_page(s, x, k) == zero_page) return true;
                return false;
            }))
            continue; // a buffer shows it
        listed.insert(page);
        const char* name = other_name(s.pages[page].owner);
        auto it = std::find_if(others.begin(), others.end(), [&](const MemoryStrip& x) { return x.name == name; });
        if (it == others.end()) it = others.insert(others.end(), MemoryStrip{name, 0, no_id, no_id, {}, nothing});
        it->list.push_back(page);
    }
    for (MemoryStrip& strip : others) out.push_back(std::move(strip));
}

} // namespace

bool tables_known(const State& s, const Buffer& b) { return b.mm < s.mms.size() && s.mms[b.mm].pgd != no_page; }

PageId strip_page(const State& s, const MemoryStrip& strip, std::uint64_t index) {
    if (strip.buffer == no_id) return index < strip.list.size() ? strip.list[index] : no_page;
    const Buffer& b = s.buffers[strip.buffer];
    const Walk w = walk(s, b.mm, first_page(b) + index * page_size);
    return (w.present || w.protnone) && s.pages.contains(w.page) ? w.page : no_page;
}

std::vector<MemoryStrip> memory_strips(
    const State& s, const StringTable& names, const PageNames& pages, const Focus& focus, PipeId pipe, PageId chosen) {
    std::vector<MemoryStrip> out = buffer_strips(s, names, pages, focus, chosen);
    MemoryStrip kernel{"kernel pages", 0, no_id, no_id, {}, nothing};
    MemoryStrip sockets{"socket pages", 0, no_id, no_id, {}, nothing};
    std::vector<MemoryStrip> seen; // recordings name user memory by frame
    for (PageId page = 2; page < s.pages.size(); ++page) {
        const Page& q = s.pages[page];
        if (q.owner == PageOwner::kernel) {
            if (page == focus.page || (page == chosen && kernel.wanted == nothing)) kernel.wanted = kernel.list.size();
            kernel.list.push_back(page);
        } else if (q.owner == PageOwner::socket) {
            if (page == focus.page || (page == chosen && sockets.wanted == nothing)) sockets.wanted = sockets.list.size();
            sockets.list.push_back(page);
        } else if (q.owner == PageOwner::user && q.user_task < s.tasks.size()) {
            auto it = std::find_if(seen.begin(), seen.end(), [&](const MemoryStrip& x) { return x.user_of == q.user_task; });
            if (it == seen.end())
                it = seen.insert(seen.end(), MemoryStrip{task_label(s, names, q.user_task) + "'s pages", 0, no_id, q.user_task, {}, nothing});
            it->list.push_back(page);
        }
    }
    for (MemoryStrip& strip : seen) {
        std::sort(strip.list.begin(), strip.list.end(), [&](PageId a, PageId b) { return s.pages[a].user_index < s.pages[b].user_index; });
        out.push_back(std::move(strip));
    }
    std::size_t at = std::min<std::size_t>(1, out.size());
    const bool no_kernel = kernel.list.empty();
    if (!no_kernel) out.insert(out.begin() + static_cast<std::ptrdiff_t>(at++), std::move(kernel));
    if (!sockets.list.empty()) out.insert(out.begin() + static_cast<std::ptrdiff_t>(at++), std::move(sockets));
    for (const Inode& inode : s.inodes) { // files stand with the kernel's pages, above buffers that nothing happens to
        MemoryStrip strip{names[inode.name] + " in the cache", 0, no_id, no_id, {}, nothing};
        for (const auto& [index, page] : inode.pages) {
            if (page == no_page || !s.pages.contains(page) || s.pages[page].owner != PageOwner::page_cache) continue;
            if (page == focus.page || page == chosen) strip.wanted = strip.list.size();
            strip.list.push_back(page);
        }
        if (!strip.list.empty()) out.insert(out.begin() + static_cast<std::ptrdiff_t>(at++), std::move(strip));
    }
    if (pipe < s.pipes.size()) {
        const std::size_t before = out.size();
        add_others(out, s, pages, s.pipes[pipe]);
        std::rotate(out.begin() + static_cast<std::ptrdiff_t>(at), out.begin() + static_cast<std::ptrdiff_t>(before), out.end());
    }
    for (MemoryStrip& strip : out)
        if (strip.buffer == no_id) strip.pages = strip.list.size();
    return out;
}

} // namespace pipescope

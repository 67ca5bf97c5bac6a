// SPDX-License-Identifier: MIT
// Finds the page and the address that WHY is about.
#include "app/gui/subject.hpp"
#include "app/address.hpp"
#include "core/mm/walk.hpp"
#include <fmt/format.h>

namespace pipescope {
namespace {

std::uint64_t page_start(std::uint64_t addr) { return addr & ~std::uint64_t{page_size - 1}; }

// " of child" where there is more than one address space.
std::string whose(const Scene& scene, MmId mm) {
    if (scene.s.mms.size() < 2) return "";
    for (TaskId t = 0; t < scene.s.tasks.size(); ++t)
        if (scene.s.tasks[t].mm == mm) return " of " + task_label(scene.s, scene.names, t);
    return "";
}

std::string place_title(const Scene& scene, MmId mm, std::uint64_t addr) {
    for (const Buffer& b : scene.s.buffers)
        if (b.mm == mm && !b.scratch && addr >= page_start(b.addr) && addr < b.addr + b.len)
            return fmt::format("{}, page {}{}", scene.names[b.name], (addr - page_start(b.addr)) / page_size, whose(scene, mm));
    return "";
}

Subject at_place(const Scene& scene, MmId mm, std::uint64_t addr, bool chosen) {
    Subject x;
    x.title = place_title(scene, mm, addr), x.mm = mm, x.addr = addr, x.chosen = chosen;
    if (const Walk w = walk(scene.s, mm, addr); w.present || w.protnone) x.page = w.page;
    return x;
}

Subject of_page(const Scene& scene, PageId page, bool chosen) {
    const State& s = scene.s;
    std::uint32_t buffer = 0, index = 0;
    if (page != no_page && scene.pages.user(page, buffer, index)) {
        const Buffer& b = s.buffers[buffer];
        Subject x = at_place(scene, b.mm, page_start(b.addr) + std::uint64_t{index} * page_size, chosen);
        x.page = page;
        return x;
    }
    Subject x;
    x.page = page, x.chosen = chosen;
    if (page == no_page || !s.pages.contains(page)) return x;
    x.title = "page " + scene.page(page);
    switch (s.pages[page].owner) {
    case PageOwner::kernel:
        x.no_walk =
            "A page that the kernel allocated for the pipe: no user page table leads to it. The kernel reaches it through its own map of all memory.";
        break;
    case PageOwner::page_cache: x.no_walk = "A page of a file's page cache: no user page table leads to it, for the file is not mapped."; break;
    case PageOwner::socket: x.no_walk = "A page of a socket's buffer: no user page table leads to it."; break;
    case PageOwner::free: x.no_walk = "This page is free: nothing leads to it."; break;
    case PageOwner::table: x.no_walk = "A page table itself."; break;
    default: x.no_walk = "No buffer maps this page at this moment.";
    }
    return x;
}

} // namespace

Subject subject_of(const Scene& scene) {
    const State& s = scene.s;
    const Selection& sel = scene.sel;
    if (sel.place && sel.place->mm < s.mms.size()) {
        Subject x = at_place(scene, sel.place->mm, sel.place->addr, true);
        if (x.title.empty()) x.title = sel.address.empty() ? "no buffer" : "typed address";
        return x;
    }
    if (sel.page != no_page) return of_page(scene, sel.page, true);
    if (scene.focus.user_addr && scene.focus.task < s.tasks.size() && s.tasks[scene.focus.task].mm < s.mms.size())
        if (Subject x = at_place(scene, s.tasks[scene.focus.task].mm, scene.focus.user_addr, false); !x.title.empty()) return x;
    if (scene.focus.page != no_page)
        if (Subject x = of_page(scene, scene.focus.page, false); x.mm != no_id) return x;
    for (const Buffer& b : s.buffers)
        if (!b.scratch && b.mm < s.mms.size() && s.mms[b.mm].pgd != no_page) return at_place(scene, b.mm, b.addr, false);
    PageId page = scene.focus.page;
    if (const PipeId id = scene.pipe(); page == no_page && id < s.pipes.size() && !s.pipes[id].empty())
        page = s.pipes[id].bufs[s.pipes[id].slot(s.pipes[id].tail)].page;
    return of_page(scene, page, false); // else the page that is read next
}

void select_nothing(Selection& sel) { sel.page = no_page, sel.place.reset(), sel.address.clear(), sel.address_fault.clear(); }

void select_page(Scene& scene, PageId page) {
    select_nothing(scene.sel);
    scene.sel.page = page;
}

void select_place(Scene& scene, MmId mm, std::uint64_t addr, PageId page) {
    select_nothing(scene.sel);
    scene.sel.place = Place{mm, addr};
    scene.sel.page = page;
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Text forms of the model's objects.
#include "core/describe.hpp"
#include "core/mm/walk.hpp"
#include <poll.h>
#include <vector>

namespace pipescope {

std::string buf_flags_string(std::uint32_t flags) {
    static constexpr struct {
        std::uint32_t bit;
        char letter;
    } letters[] = {{PIPE_BUF_FLAG_CAN_MERGE, 'M'}, {PIPE_BUF_FLAG_PACKET, 'P'}, {PIPE_BUF_FLAG_GIFT, 'G'},
                   {PIPE_BUF_FLAG_LRU, 'L'},       {PIPE_BUF_FLAG_ATOMIC, 'A'}, {PIPE_BUF_FLAG_WHOLE, 'W'}};
    std::string out;
    for (const auto& l : letters)
        if (flags & l.bit) {
            if (!out.empty()) out += ' ';
            out += l.letter;
        }
    return out;
}

std::string page_user_name(const State& s, const StringTable& names, PageId page) {
    if (page == no_page || !s.pages.contains(page)) return "";
    const Page& p = s.pages[page];
    if (p.owner == PageOwner::user && p.user_task < s.tasks.size()) // a recording knows it from the frame number
        return names[s.tasks[p.user_task].name] + "[" + std::to_string(p.user_index) + "]";
    if (p.owner == PageOwner::page_cache) {
        for (const Inode& i : s.inodes)
            for (const auto& [index, cached] : i.pages)
                if (cached == page && i.name) return names[i.name] + "[" + std::to_string(index) + "]";
    } // shared memory is a file without a name: it is called after what maps it
    for (const Buffer& b : s.buffers) {
        if (b.scratch) continue;
        const std::uint64_t end = b.addr + b.len;
        for (std::uint64_t addr = b.addr; addr < end;) { // leaf by leaf, hole by hole
            const Walk w = walk(s, b.mm, addr);
            const std::uint64_t next = std::min(end, w.next(addr));
            const std::uint64_t pages = (next - (addr & ~std::uint64_t{page_size - 1}) + page_size - 1) / page_size;
            if ((w.present || w.protnone) && page != zero_page && page >= w.page && page - w.page < pages)
                return names[b.name] + "[" + std::to_string((addr - b.addr) / page_size + (page - w.page)) + "]";
            addr = next;
        }
    }
    return "";
}

std::string page_label(const State& s, const StringTable& names, PageId page) {
    if (page == zero_page) return "z";
    std::string user = page_user_name(s, names, page);
    return user.empty() ? "k" + std::to_string(page) : user;
}

std::string ring_string(const State& s, const StringTable& names, PipeId pipe) {
    if (pipe >= s.pipes.size()) return "no such pipe";
    const Pipe& p = s.pipes[pipe];
    std::string out = "head=" + std::to_string(p.head) + " tail=" + std::to_string(p.tail);
    std::vector<PageId> kernel_pages;
    for (std::uint32_t i = p.tail; i != p.head; ++i) {
        const PipeBuffer& b = p.bufs[p.slot(i)];
        std::string name = b.page == zero_page ? "z" : page_user_name(s, names, b.page);
        if (name.empty()) {
            std::size_t k = 0;
            while (k < kernel_pages.size() && kernel_pages[k] != b.page) ++k;
            if (k == kernel_pages.size()) kernel_pages.push_back(b.page);
            name = "k" + std::to_string(k + 1);
        }
        out += " | " + std::to_string(p.slot(i)) + ":" + name + "@" + std::to_string(b.offset) + "+" + std::to_string(b.len);
        if (const std::string f = buf_flags_string(b.flags); !f.empty()) out += " " + f;
    }
    return out;
}

std::string poll_string(std::uint32_t revents) {
    std::string out;
    const auto add = [&](std::uint32_t bit, const char* name) {
        if (revents & bit) out += (out.empty() ? "" : "|") + std::string(name);
    };
    add(POLLIN, "IN");
    add(POLLOUT, "OUT");
    add(POLLERR, "ERR");
    add(POLLHUP, "HUP");
    return out;
}

} // namespace pipescope

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
    if (page == no_page || page >= s.pages.size()) return "";
    const Page& p = s.pages[page];
    if (p.owner == PageOwner::user && p.user_task < s.tasks.size()) // a recording knows it from the frame number
        return names[s.tasks[p.user_task].name] + "[" + std::to_string(p.user_index) + "]";
    if (p.owner == PageOwner::page_cache) {
        for (const Inode& i : s.inodes)
            for (const auto& [index, cached] : i.pages)
                if (cached == page) return names[i.name] + "[" + std::to_string(index) + "]";
        return "";
    }
    for (const Buffer& b : s.buffers) {
        if (b.scratch) continue;
        for (std::uint64_t off = 0; off < b.len; off += page_size) {
            const Walk w = walk(s, b.mm, b.addr + off);
            if ((w.present || w.protnone) && w.page == page && page != zero_page) return names[b.name] + "[" + std::to_string(off / page_size) + "]";
            if (!w.present && !w.protnone && w.depth < 4) // nothing is mapped below this entry: go on behind it
                off |= (page_size << (9u * static_cast<unsigned>(4 - w.depth))) - page_size;
            if (w.present && w.order && (page < w.page || page - w.page >= (1u << w.order)) && off + huge_size < b.len && w.order == pmd_order &&
                ((b.addr + off) & (huge_size - 1)) == 0)
                off += huge_size - page_size; // a huge leaf that does not hold it
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

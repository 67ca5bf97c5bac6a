// SPDX-License-Identifier: MIT
// Figures, times, calls and page names as the views print them.
#include "app/layout.hpp"
#include "core/describe.hpp"
#include "core/mm/walk.hpp"
#include "core/net/mbuf.hpp"
#include <fmt/format.h>
#include <algorithm>

namespace pipescope {
namespace {

struct Unit {
    double ns;
    const char* name;
};
Unit unit_for(std::uint64_t ns) {
    if (ns < 1'000) return {1, "ns"};
    if (ns < 1'000'000) return {1e3, "µs"};
    if (ns < 1'000'000'000) return {1e6, "ms"};
    return {1e9, "s"};
}

// "src", "src + 4096", or the bare address.
std::string address_text(const State& s, const StringTable& names, std::uint64_t addr, MmId mm) {
    for (const Buffer& b : s.buffers) {
        if (b.mm != mm || addr < b.addr || addr - b.addr >= b.len || names[b.name].empty()) continue;
        return addr == b.addr ? names[b.name] : names[b.name] + " + " + digits_grouped(addr - b.addr);
    }
    return fmt::format("{:#x}", addr);
}

std::string open_flags(std::uint32_t f) {
    const std::string mode = (f & F_read) && (f & F_write) ? "O_RDWR" : f & F_write ? "O_WRONLY" : "O_RDONLY";
    return mode + (f & F_nonblock ? "|O_NONBLOCK" : "") + (f & F_direct ? "|O_DIRECT" : "");
}

} // namespace

std::string digits_grouped(std::uint64_t n) {
    std::string out = std::to_string(n);
    for (std::size_t i = out.size(); i > 3; i -= 3) out.insert(i - 3, 1, ' ');
    return out;
}

std::string time_text(std::uint64_t ns) {
    const Unit u = unit_for(ns);
    return u.ns == 1 ? fmt::format("{} ns", ns) : fmt::format("{:.3f} {}", static_cast<double>(ns) / u.ns, u.name);
}

std::string time_span_text(std::uint64_t from, std::uint64_t to, std::uint64_t whole) {
    const Unit u = unit_for(whole);
    int digits = u.ns == 1 ? 0 : 1; // enough that the two ends differ in more than the last digit
    for (double span = static_cast<double>(to - from) / u.ns * 10; u.ns != 1 && span < 10 && digits < 9; span *= 10) ++digits;
    return fmt::format("{:.{}f} – {:.{}f} {} of {:.{}f}", static_cast<double>(from) / u.ns, digits, static_cast<double>(to) / u.ns, digits, u.name,
        static_cast<double>(whole) / u.ns, std::min(digits, 3));
}

std::string tick_text(std::uint64_t ns, std::uint64_t step_ns, std::uint64_t whole_ns) {
    const Unit u = unit_for(whole_ns);
    int digits = 0;
    for (double step = static_cast<double>(step_ns) / u.ns; step < 0.999 && digits < 9; step *= 10) ++digits;
    return fmt::format("{:.{}f}", static_cast<double>(ns) / u.ns, digits);
}

std::string index_text(const Pipe& p, std::uint32_t index) {
    return fmt::format("{} & {} = slot {}", digits_grouped(index), p.ring_size - 1, p.slot(index));
}

const char* run_text(const Task& t) {
    switch (t.run) {
    case RunState::lock_spin:
    case RunState::lock_sleep: return "waits for the lock";
    case RunState::sleep: return t.wait_for == WaitFor::space ? "sleeps: full" : t.wait_for == WaitFor::data ? "sleeps: empty" : "sleeps";
    case RunState::exited: return "ended";
    case RunState::runnable: return t.sys == Sys::none ? "in user code" : "woken";
    case RunState::user:
    case RunState::running:
    case RunState::parked: break;
    }
    return t.sys == Sys::none ? "in user code" : "in the call";
}

std::string call_text(const State& s, const StringTable& names, const Event& call) {
    const auto sys = static_cast<Sys>(call.a);
    const MmId mm = call.task < s.tasks.size() ? s.tasks[call.task].mm : no_id;
    const std::string fd = call.b == no_id ? "" : std::to_string(static_cast<int>(call.b));
    const std::string where = call.x ? address_text(s, names, call.x, mm) : "";
    const std::string bytes = digits_grouped(call.y);
    std::vector<std::string> args;
    switch (sys) {
    case Sys::write:
    case Sys::read: args = {fd, where, bytes}; break;
    case Sys::writev:
    case Sys::readv:
    case Sys::vmsplice: args = {fd, where, bytes}; break;
    case Sys::splice:
    case Sys::tee:
    case Sys::sendfile: args = {fd, bytes}; break;
    case Sys::fcntl_setpipe_sz: return fmt::format("fcntl({}, F_SETPIPE_SZ, {})", fd, bytes);
    case Sys::fcntl_getpipe_sz: return fmt::format("fcntl({}, F_GETPIPE_SZ)", fd);
    case Sys::fcntl_setfl: return fmt::format("fcntl({}, F_SETFL)", fd);
    case Sys::fionread: return fmt::format("ioctl({}, FIONREAD)", fd);
    case Sys::sendto: args = {where, bytes, call.c & bsd::send_share ? "share" : "copy"}; break;
    case Sys::munmap:
    case Sys::mprotect:
    case Sys::madvise:
    case Sys::touch: args = {where, bytes}; break;
    case Sys::close:
    case Sys::dup:
    case Sys::poll: args = {fd}; break;
    case Sys::open: args = {call.x < s.fifos.size() ? names[s.fifos[call.x].name] : "", open_flags(call.c)}; break;
    default: break;
    }
    if (sys == Sys::vmsplice || sys == Sys::splice || sys == Sys::tee) {
        std::string flags;
        const auto add = [&](std::uint32_t bit, const char* name) {
            if (call.c & bit) flags += (flags.empty() ? "" : "|") + std::string(name);
        };
        add(PS_SPLICE_F_MOVE, "MOVE"), add(PS_SPLICE_F_NONBLOCK, "NONBLOCK"), add(PS_SPLICE_F_MORE, "MORE"), add(PS_SPLICE_F_GIFT, "GIFT");
        args.push_back(flags);
    }
    std::string out = std::string(sys_name(sys)) + "(";
    bool first = true;
    for (const std::string& a : args) {
        if (a.empty()) continue;
        out += (first ? "" : ", ") + a;
        first = false;
    }
    return out + ")";
}

std::string result_text(std::int64_t result) {
    if (result < 0 && result > -4096) return errno_name(static_cast<int>(-result));
    return result < 0 ? "-" + digits_grouped(static_cast<std::uint64_t>(-result)) : digits_grouped(static_cast<std::uint64_t>(result));
}

void PageNames::rebuild(const State& s) {
    place_.assign(s.pages.size(), Place{});
    const auto put = [&](PageId page, std::uint32_t buffer, std::uint64_t index) {
        if (page < place_.size() && page != zero_page && place_[page].buffer == no_id)
            place_[page] = {buffer, static_cast<std::uint32_t>(index), false};
    };
    for (std::uint32_t n = 0; n < s.buffers.size(); ++n) {
        const Buffer& b = s.buffers[n];
        if (b.scratch) continue;
        const std::uint64_t start = b.addr & ~std::uint64_t{page_size - 1};
        for (std::uint64_t addr = start; addr < b.addr + b.len;) { // one walk for every 2 MiB: the last table is read straight through
            const std::uint64_t end = std::min(b.addr + b.len, (addr & ~(huge_size - 1)) + huge_size);
            const Walk w = walk(s, b.mm, addr);
            const std::uint64_t pages = (end - addr + page_size - 1) / page_size;
            const PageTable* table = nullptr;
            if (w.depth == w.levels && w.leaf().table < s.pages.size() && s.pages[w.leaf().table].table < s.tables.size())
                table = &s.tables[s.pages[w.leaf().table].table];
            const bool mapped = table || (w.present && w.order);
            for (std::uint64_t i = 0; mapped && i < pages; ++i) {
                if (w.present && w.order) put(w.page + static_cast<PageId>(i), n, (addr - start) / page_size + i);
                else if (table) {
                    const pte_t e = (*table)[std::min<std::uint64_t>(w.leaf().index + i, 511)];
                    if (e & PTE_P) put(static_cast<PageId>((e & pte_addr_mask) >> page_shift), n, (addr - start) / page_size + i);
                }
            }
            addr = end;
        }
    }
    add_files(s);
}

void PageNames::add_files(const State& s) {
    for (std::uint32_t n = 0; n < s.inodes.size(); ++n)
        for (const auto& [index, page] : s.inodes[n].pages)
            if (page < place_.size() && s.pages[page].owner == PageOwner::page_cache) place_[page] = {n, index, true};
}

bool PageNames::user(PageId page, std::uint32_t& buffer, std::uint32_t& index) const { return find(page, buffer, index) && !place_[page].cached; }

bool PageNames::find(PageId page, std::uint32_t& buffer, std::uint32_t& index) const {
    if (page >= place_.size() || place_[page].buffer == no_id) return false;
    buffer = place_[page].buffer, index = place_[page].index;
    return true;
}

std::string PageNames::label(const State& s, const StringTable& names, PageId page) const {
    if (page == zero_page) return "z";
    if (page == no_page || !s.pages.contains(page)) return "k" + std::to_string(page);
    const Page& p = s.pages[page];
    if (p.owner == PageOwner::user && p.user_task < s.tasks.size())
        return names[s.tasks[p.user_task].name] + "[" + std::to_string(p.user_index) + "]";
    std::uint32_t buffer = 0, index = 0;
    if (find(page, buffer, index))
        return names[place_[page].cached ? s.inodes[buffer].name : s.buffers[buffer].name] + "[" + std::to_string(index) + "]";
    return "k" + std::to_string(page);
}

std::vector<std::string_view> lines_split(std::string_view text) {
    std::vector<std::string_view> out;
    while (!text.empty()) {
        const std::size_t n = text.find('\n');
        out.push_back(text.substr(0, n));
        if (n == std::string_view::npos) break;
        text.remove_prefix(n + 1);
    }
    return out;
}

} // namespace pipescope

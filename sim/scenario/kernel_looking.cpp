// SPDX-License-Identifier: MIT
// Looking at the live kernel: its ring, pages and page tables in the words of a litmus case.
#include "core/describe.hpp"
#include "core/mm/walk.hpp"
#include "sim/scenario/kernel_backend.hpp"
#include <algorithm>
#include <fcntl.h>
#include <fstream>

namespace pipescope {

std::optional<LiveRing> KernelBackend::snapshot(int fd) {
    if (!reader_ || real(fd) < 0) return std::nullopt;
    for (int tries = 0; tries < 100; ++tries) {
        auto ring = reader_->read(real(fd));
        if (!ring || !ring->torn) return ring;
    }
    return std::nullopt;
}

std::optional<std::string> KernelBackend::ring(int fd) {
    const auto ring = snapshot(fd);
    if (!ring) return std::nullopt;
    std::unordered_map<std::uint64_t, std::string> names;
    files_.names(memory_, names); // a page of a file is called so, whoever maps it
    names.merge(memory_.names());
    const std::uint64_t zero = reader_->facts().zero_pfn;
    std::vector<std::uint64_t> kernel_pages;
    std::string out = "head=" + std::to_string(ring->head) + " tail=" + std::to_string(ring->tail);
    for (const LiveSlot& s : ring->slots) {
        std::string name;
        if (s.pfn && s.pfn == zero) {
            name = "z";
        } else if (const auto it = names.find(s.pfn); it != names.end()) {
            name = it->second;
        } else {
            auto k = std::find(kernel_pages.begin(), kernel_pages.end(), s.page);
            if (k == kernel_pages.end()) k = kernel_pages.insert(k, s.page);
            name = "k" + std::to_string(k - kernel_pages.begin() + 1);
        }
        out += " | " + std::to_string(s.index) + ":" + name + "@" + std::to_string(s.offset) + "+" + std::to_string(s.len);
        if (const std::string f = buf_flags_string(s.flags); !f.empty()) out += " " + f;
    }
    return out;
}

std::optional<std::uint32_t> KernelBackend::ring_size(int fd) {
    if (const auto ring = snapshot(fd)) return ring->ring_size;
    const int bytes = ::fcntl(real(fd), F_GETPIPE_SZ); // the same figure, told to everybody
    if (bytes < 0) return std::nullopt;
    return static_cast<std::uint32_t>(bytes) / page_size;
}

std::optional<std::uint32_t> KernelBackend::max_usage(int fd) {
    const auto ring = snapshot(fd);
    return ring ? std::optional(ring->max_usage) : std::nullopt;
}

std::optional<std::uint32_t> KernelBackend::tmp_pages(int fd) {
    const auto ring = snapshot(fd);
    return ring ? std::optional(ring->tmp_pages) : std::nullopt;
}

std::optional<PageInfo> KernelBackend::page(TaskId t, std::uint64_t addr) {
    if (!reader_ || runners_[t].child) return std::nullopt; // the memory looked at is the parent's
    runners_[0].worker->call([this] { return memory_.drain(), 0L; }); // main waits while anybody's code looks
    const auto word = memory_.pagemap(addr);
    if (!word) return std::nullopt;
    PageInfo out;
    if (!(*word & pagemap_present)) return out;
    const std::uint64_t pfn = *word & pagemap_pfn;
    if (!pfn) return std::nullopt;
    const auto p = reader_->page(pfn);
    if (!p) return std::nullopt;
    const auto entries = reader_->walk(addr);
    const auto maps = memory_.mapcount(pfn);
    if (!entries || !maps) return std::nullopt;
    out.present = true;
    out.huge = (entries->size() == 3 || entries->size() == 2) && (entries->back() & PTE_PSE);
    out.zero = memory_.is_zero_page(pfn);
    out.hugetlb = memory_.is_hugetlb(pfn);
    if (!p->order) out.pincount = p->refcount / gup_pin_counting_bias;
    out.head = p->head;
    out.tail = p->tail;
    out.order = p->order;
    out.refcount = p->refcount;
    out.mapcount = static_cast<std::int32_t>(*maps);
    return out;
}

std::optional<std::string> KernelBackend::walk(TaskId t, std::uint64_t addr) {
    if (!reader_ || runners_[t].child || !memory_.model_addresses()) return std::nullopt;
    const auto entries = reader_->walk(addr, !five_levels_);
    if (!entries || entries->empty()) return std::nullopt;
    Walk w;
    w.levels = five_levels_ ? 5 : 4;
    for (int i = 0; i < std::min(static_cast<int>(entries->size()), w.levels); ++i) {
        const auto n = static_cast<std::size_t>(i);
        w.steps[n] = {no_page, table_index(addr, static_cast<Level>(i + 4 - w.levels)), (*entries)[n]};
        w.depth = i + 1;
    }
    w.present = (entries->back() & PTE_P) && (w.depth == w.levels || (entries->back() & PTE_PSE));
    w.order = 9u * static_cast<unsigned>(w.levels - w.depth);
    return walk_string(w);
}

std::optional<std::string> KernelBackend::entry(TaskId t, std::uint64_t addr) {
    if (!reader_ || runners_[t].child) return std::nullopt;
    const auto entries = reader_->walk(addr);
    if (!entries || entries->empty()) return std::nullopt;
    return entry_string(entries->back());
}

std::string KernelBackend::paging_levels(int levels) {
    std::ifstream in("/proc/cpuinfo");
    bool la57 = false;
    for (std::string line; !la57 && std::getline(in, line);) la57 = line.compare(0, 5, "flags") == 0 && (line + ' ').find(" la57 ") != std::string::npos;
    five_levels_ = la57 && levels == 5;
    return la57 == (levels == 5) ? "" : "this machine's page tables have " + std::string(la57 ? "5" : "4") + " levels";
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Snapshots on demand of the kernel's own ring of a pipe this process has open, by a BPF program of type syscall.
#pragma once
#include "core/state.hpp"
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pipescope {

struct LiveSlot {
    std::uint32_t index = 0; // slot number in the array
    std::uint64_t page = 0;  // address of its struct page
    std::uint64_t pfn = 0;   // 0 where the vmemmap base could not be learnt
    std::uint32_t offset = 0, len = 0, flags = 0;
    BufOps ops = BufOps::unknown; // learnt from private pipes; unknown where it matches none
    std::int32_t refcount = 0;    // of the compound head
    std::uint32_t order = 0;
    bool head = false, tail = false; // of a compound page
};
struct LiveRing {
    std::uint32_t head = 0, tail = 0, ring_size = 0, max_usage = 0, readers = 0, writers = 0, files = 0, tmp_pages = 0;
    bool poll_usage = false;
    bool torn = false;           // somebody was in the pipe while it was read: the slots may not belong together
    std::uint32_t owner_tid = 0; // thread that holds the mutex, 0 nobody
    std::uint64_t address = 0;   // of the pipe_inode_info
    std::vector<LiveSlot> slots; // tail … head-1
};
struct LivePage { // struct page of one frame
    bool head = false, tail = false;
    std::uint32_t order = 0;
    std::int32_t refcount = 0, mapcount = 0;
};

// What kallsyms does not tell, learnt once by looking at private pipes and pages.
struct LiveFacts {
    std::uint64_t vmemmap = 0;                         // address of the struct page of frame 0; 0 where frame numbers may not be read
    std::uint32_t page_bytes = 64;                     // sizeof(struct page)
    std::uint64_t zero_pfn = 0;                        // of ZERO_PAGE(0)
    std::vector<std::pair<std::uint64_t, BufOps>> ops; // addresses of the operations tables

    BufOps ops_at(std::uint64_t address) const;
    BufOps ops_at_low(std::uint32_t half) const; // by the low half of the address
    std::uint64_t pfn_of(std::uint64_t page) const { return vmemmap && page >= vmemmap ? (page - vmemmap) / page_bytes : 0; }
};

// Not for use by two threads at a time.
class RingReader {
public:
    // Nothing when it is not permitted or not built; `why` is then one sentence.
    static std::unique_ptr<RingReader> open(std::string& why);
    ~RingReader();
    std::optional<LiveRing> read(int fd);            // a pipe end of this process
    std::optional<LivePage> page(std::uint64_t pfn); // by frame number
    // The page-table walk of an address of this process: entries of pgd, pud, pmd, pte; fewer than 4 when it ends early,
    // at an entry that is absent or a leaf. With 5 levels the first one, the same for all of the lower 256 TiB, is left out.
    std::optional<std::vector<std::uint64_t>> walk(std::uint64_t addr, bool folded = true);
    const LiveFacts& facts() const;

private:
    RingReader();
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace pipescope

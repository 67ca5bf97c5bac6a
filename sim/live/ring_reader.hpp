// SPDX-License-Identifier: MIT
// Snapshots on demand of the kernel's own ring of a pipe this process has open, by a BPF program of type syscall.
#pragma once
#include "core/state.hpp"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pipescope {

struct LiveSlot {
    std::uint32_t index = 0;             // slot number in the array
    std::uint64_t page = 0;              // address of its struct page
    std::uint64_t pfn = 0;               // 0 where the vmemmap base could not be learnt
    std::uint32_t offset = 0, len = 0, flags = 0;
    BufOps ops = BufOps::unknown;        // learnt from private pipes; unknown where it matches none
    std::int32_t refcount = 0;           // of the compound head
    std::uint32_t order = 0;
    bool head = false, tail = false;     // of a compound page
};
struct LiveRing {
    std::uint32_t head = 0, tail = 0, ring_size = 0, max_usage = 0, readers = 0, writers = 0, files = 0, tmp_pages = 0;
    bool poll_usage = false;
    std::vector<LiveSlot> slots; // tail … head-1
};
struct LivePage { // struct page of one frame
    bool head = false, tail = false;
    std::uint32_t order = 0;
    std::int32_t refcount = 0, mapcount = 0;
};

class RingReader {
public:
    // Nothing when it is not permitted or not built; `why` is then one sentence.
    static std::unique_ptr<RingReader> open(std::string& why);
    ~RingReader();
    std::optional<LiveRing> read(int fd);              // a pipe end of this process
    std::optional<LivePage> page(std::uint64_t pfn);   // by frame number
    // The page-table walk of an address of this process: entries from pgd down; fewer than 4 when it ends early.
    std::optional<std::vector<std::uint64_t>> walk(std::uint64_t addr);

private:
    RingReader();
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace pipescope

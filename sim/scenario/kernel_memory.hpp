// SPDX-License-Identifier: MIT
// The real memory of a litmus case: buffers at the model's addresses, with holes between, and what maps them now.
#pragma once
#include "sim/backend.hpp"
#include <string>
#include <unordered_map>
#include <vector>

namespace pipescope {

class KernelMemory {
public:
    KernelMemory();
    ~KernelMemory();
    KernelMemory(const KernelMemory&) = delete;
    KernelMemory& operator=(const KernelMemory&) = delete;

    bool usable() const { return arena_ != 0; }
    bool model_addresses() const { return model_addresses_; }
    // All of these are for the thread whose task asks: a page belongs to the CPU that touched it first.
    Memory buffer(const BufferOptions& o, int file = -1); // the real descriptor of its file; len 0: no memory; throws NotHere
    Memory scratch(TaskId t, std::uint64_t len);
    bool store(std::uint64_t addr, std::span<const std::uint8_t> bytes);
    bool load(std::uint64_t addr, std::span<std::uint8_t> bytes);
    // As the system calls, on what was handed out alone: the holes between are no memory. A call's result.
    long protect(std::uint64_t addr, std::uint64_t len, int prot);
    long advise(std::uint64_t addr, std::uint64_t len, int advice);
    long unmap(std::uint64_t addr, std::uint64_t len);
    long touch(std::uint64_t addr, std::uint64_t len); // a store into every page that changes nothing
    // Gives up the references that batches of pages on their way to the LRU lists hold on this CPU.
    void drain() const;

    // pagemap's word for an address; nothing where it may not be read.
    std::optional<std::uint64_t> pagemap(std::uint64_t addr) const;
    std::optional<std::uint32_t> mapcount(std::uint64_t pfn) const; // /proc/kpagecount
    bool is_zero_page(std::uint64_t pfn) const;                     // by /proc/kpageflags; the huge one too
    bool is_hugetlb(std::uint64_t pfn) const;
    // "b[3]" by frame number, for every page that a buffer maps at this moment.
    std::unordered_map<std::uint64_t, std::string> names() const;

private:
    struct Piece {
        std::string name; // empty: scratch
        std::uint64_t base, addr, len;
        bool readonly;
        std::vector<bool> gone = {}; // pages that were unmapped
    };
    struct Run { // mapped memory
        std::uint64_t start, end;
    };
    std::vector<Run> runs(std::uint64_t start, std::uint64_t end) const;
    std::uint64_t take(std::uint64_t len, std::uint64_t align); // 0: none left
    Memory map(const BufferOptions& o, int file);
    Memory hugetlb(const BufferOptions& o);
    bool page_flag(std::uint64_t pfn, int bit) const;
    bool maps_zero_page() const;
    const Piece* piece(std::uint64_t addr, std::uint64_t len) const;

    std::uint64_t arena_ = 0, arena_end_ = 0, next_ = 0, touched_ = 0;
    bool model_addresses_ = false;
    int pagemap_ = -1, kpagecount_ = -1, kpageflags_ = -1, unnamed_ = 0;
    void* dummy_ = nullptr; // a page that nobody touches, for drain()
    std::vector<Piece> pieces_;
    std::unordered_map<TaskId, Memory> scratch_;
};

inline constexpr std::uint64_t pagemap_present = std::uint64_t{1} << 63;
inline constexpr std::uint64_t pagemap_pfn = (std::uint64_t{1} << 55) - 1;

} // namespace pipescope

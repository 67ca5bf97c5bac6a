// SPDX-License-Identifier: MIT
// The two sides that the same operations run on: the model and this kernel, with what can be seen of each afterwards.
#pragma once
#include "core/kernel/kernel.hpp"
#include "sim/conform/op.hpp"
#include "sim/live/ring_reader.hpp"
#include <array>
#include <memory>
#include <optional>
#include <span>

namespace pipescope::conform {

struct Look { // of one pipe
    long fionread = 0, size = 0;
    std::uint32_t poll_read = 0, poll_write = 0; // poll(2) bits of each end; 0xffff when it is closed
    bool operator==(const Look&) const = default;
};
struct SocketLook { // of one end of a pair
    long fionread = 0;
    std::uint32_t poll = 0; // 0xffff when it is closed
    bool operator==(const SocketLook&) const = default;
};
using SocketLooks = std::array<SocketLook, 2 * socket_pairs>;
struct Slot {
    std::uint64_t page = 0; // kernel: address of its struct page; model: its number. Compared by which slots share one
    std::uint64_t user = 0; // 1 + its number among the pages that the areas map now, 0 for none of theirs
    std::uint32_t offset = 0, len = 0, flags = 0;
};
struct Ring {
    std::uint32_t head = 0, tail = 0, ring_size = 0, tmp_pages = 0;
    std::vector<Slot> slots; // tail … head-1
};

class ModelSide {
public:
    ModelSide(const KernelVersion& v, bool anon_zero_page);
    ~ModelSide();
    long call(const Op& op);
    std::array<Look, pipes> look();
    SocketLooks look_sockets();
    Ring ring(std::uint32_t pipe, bool identify); // identify: fill Slot::user in
    // The bytes of an area as the program would read them; a page at a time, null for one that is all zero.
    const std::uint8_t* page(Area area, std::uint32_t index) const;

private:
    void make(std::uint32_t p);
    void make_sockets(std::uint32_t pair);
    void set_fd(std::uint32_t p, bool write, int fd);
    long run(const Call& c);
    std::uint64_t addr(const Op& op) const;
    BareSink sink_;
    Kernel kernel_;
    std::array<std::uint64_t, areas> areas_{};
    std::array<std::array<int, 2>, pipes> fds_{};
    std::array<PipeId, pipes> ids_{};
    std::array<int, files> files_{};
    std::array<std::array<int, 2>, socket_pairs> sockets_{};
    int null_ = -1, zero_ = -1;
    Call call_;
};

class KernelSide {
public:
    // `reader` may be null: no rings. Nothing with `error` when a resource cannot be had.
    static std::unique_ptr<KernelSide> make(RingReader* reader, std::string& error);
    ~KernelSide();
    long call(const Op& op);
    std::array<Look, pipes> look();
    SocketLooks look_sockets();
    std::optional<Ring> ring(std::uint32_t pipe, bool identify); // nothing when it is closed or may not be read
    const std::uint8_t* page(Area area, std::uint32_t index) const; // null where it may not be read
    bool anon_zero_page() const { return anon_zero_page_; } // whether a read of untouched memory maps the zero page here

private:
    KernelSide() = default;
    bool make_pipe(std::uint32_t p);
    bool make_sockets(std::uint32_t pair);
    std::uint8_t* at(const Op& op) const { return areas_[static_cast<std::size_t>(op.area)] + op.off; }
    RingReader* reader_ = nullptr;
    std::array<std::uint8_t*, areas> areas_{};
    std::array<void*, areas - 3> rooms_{}; // that the mappings of files lie in
    std::array<std::array<int, 2>, pipes> fds_{};
    std::array<int, files> files_{};
    std::array<std::array<int, 2>, socket_pairs> sockets_{};
    int null_ = -1, zero_ = -1, pagemap_ = -1;
    bool anon_zero_page_ = true;
    std::uint32_t raw_protection_[raw_pages] = {};
};

// What src holds at the start.
constexpr std::uint8_t src_byte(std::uint64_t i) { return static_cast<std::uint8_t>(1 + (i * 7 + i / page_size * 13) % 250); }

} // namespace pipescope::conform

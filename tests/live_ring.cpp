// SPDX-License-Identifier: MIT
// RingReader on pipes of this process: known contents, own pages, and the walk to them.
#include "sim/live/pagemap.hpp"
#include "sim/live/ring_reader.hpp"
#include <array>
#include <cstring>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace pipescope;

namespace {

struct OwnPipe {
    std::array<int, 2> fd{-1, -1};
    OwnPipe() { REQUIRE(::pipe2(fd.data(), O_CLOEXEC | O_NONBLOCK) == 0); }
    ~OwnPipe() {
        ::close(fd[0]);
        ::close(fd[1]);
    }
};

RingReader* reader() { // opened once: it takes a while
    static std::string why;
    static const std::unique_ptr<RingReader> one = RingReader::open(why);
    if (!one) {
        CHECK(!why.empty());
        MESSAGE("skipped: " << why);
    }
    return one.get();
}

} // namespace

TEST_CASE("ring reader: a short write and a whole page") {
    RingReader* const r = reader();
    if (!r) return;
    const OwnPipe p;
    char bytes[4096] = {};
    REQUIRE(::write(p.fd[1], bytes, 100) == 100);
    REQUIRE(::write(p.fd[1], bytes, 4096) == 4096);
    const auto ring = r->read(p.fd[0]);
    REQUIRE(ring);
    CHECK(ring->head == 2);
    CHECK(ring->tail == 0);
    CHECK(ring->ring_size == static_cast<std::uint32_t>(::fcntl(p.fd[0], F_GETPIPE_SZ)) / 4096);
    CHECK(ring->max_usage == ring->ring_size);
    CHECK(ring->readers == 1);
    CHECK(ring->writers == 1);
    CHECK(ring->files == 2);
    CHECK(!ring->torn);
    REQUIRE(ring->slots.size() == 2);
    const LiveSlot &a = ring->slots[0], &b = ring->slots[1];
    CHECK(a.index == 0);
    CHECK(a.offset == 0);
    CHECK(a.len == 100);
    CHECK(a.flags == PIPE_BUF_FLAG_CAN_MERGE);
    CHECK(a.ops == BufOps::anon);
    CHECK(a.refcount == 1);
    CHECK(b.index == 1);
    CHECK(b.offset == 0);
    CHECK(b.len == 4096);
    CHECK(b.flags == PIPE_BUF_FLAG_CAN_MERGE);
    CHECK(a.page != b.page);

    REQUIRE(::read(p.fd[0], bytes, 150) == 150);
    const auto later = r->read(p.fd[1]); // the other end is the same pipe
    REQUIRE(later);
    CHECK(later->tail == 1);
    REQUIRE(later->slots.size() == 1);
    CHECK(later->slots[0].offset == 50);
    CHECK(later->slots[0].len == 4046);
    CHECK(later->tmp_pages == 1); // the first page went back to the spares
}

TEST_CASE("ring reader: a vmspliced slot holds the caller's own page") {
    RingReader* const r = reader();
    if (!r) return;
    if (!r->facts().vmemmap) {
        MESSAGE("skipped: frame numbers are hidden from this user");
        return;
    }
    const OwnPipe p;
    char* const memory = static_cast<char*>(::mmap(nullptr, 4 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(memory != MAP_FAILED);
    std::memset(memory, 1, 4 * 4096);
    const iovec iov{memory + 100, 3 * 4096};
    REQUIRE(::vmsplice(p.fd[1], &iov, 1, SPLICE_F_GIFT) == 3 * 4096);
    const auto ring = r->read(p.fd[0]);
    REQUIRE(ring);
    REQUIRE(ring->slots.size() == 4);
    const auto frames = frame_numbers(memory, 4 * 4096);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(ring->slots[i].pfn == frames[i]);
        CHECK(ring->slots[i].ops == BufOps::user_page);
        CHECK(ring->slots[i].flags == PIPE_BUF_FLAG_GIFT);
        CHECK(ring->slots[i].refcount >= 2); // mapped, and in the slot
    }
    CHECK(ring->slots[0].offset == 100);
    CHECK(ring->slots[0].len == 3996);
    CHECK(ring->slots[3].len == 100);

    const auto page = r->page(frames[0]);
    REQUIRE(page);
    CHECK(page->refcount >= 2); // a batch that waits for the LRU lists may hold one more for a while
    CHECK(page->refcount <= 3);
    CHECK(page->mapcount == 1);
    const auto walk = r->walk(reinterpret_cast<std::uintptr_t>(memory));
    REQUIRE(walk);
    REQUIRE(!walk->empty());
    if (walk->size() == 4) CHECK(((walk->back() & pte_addr_mask) >> page_shift) == frames[0]);
    ::munmap(memory, 4 * 4096);
    const auto gone = r->walk(reinterpret_cast<std::uintptr_t>(memory));
    REQUIRE(gone);
    CHECK((gone->back() & PTE_P) == 0);
}

TEST_CASE("ring reader: many slots, and what is no pipe") {
    RingReader* const r = reader();
    if (!r) return;
    const OwnPipe p;
    const int size = ::fcntl(p.fd[1], F_SETPIPE_SZ, 1 << 20);
    if (size > 0) {
        std::vector<char> bytes(static_cast<std::size_t>(size));
        REQUIRE(::write(p.fd[1], bytes.data(), bytes.size()) == size);
        const auto ring = r->read(p.fd[0]);
        REQUIRE(ring);
        CHECK(ring->slots.size() == bytes.size() / 4096);
        CHECK(ring->slots.back().index == bytes.size() / 4096 - 1);
    }
    const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    CHECK(!r->read(null));
    ::close(null);
    CHECK(!r->read(-1));
    CHECK(!r->read(1 << 20));
    CHECK(!r->page(std::uint64_t{1} << 40)); // beyond all memory
}

// SPDX-License-Identifier: MIT
// The built-in pair, not recorded: each combination of its options moves the right bytes; huge pages are looked up.
#include "sim/live/huge_pages.hpp"
#include "core/types.hpp"
#include "sim/live/pair.hpp"
#include "sim/live/pagemap.hpp"
#include <cstring>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/kernel-page-flags.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

using namespace pipescope;

namespace {

struct Ran {
    std::string error;
    SideReport writer, reader;
    std::uint32_t slots = 0;

    explicit Ran(const PairOptions& o) {
        const auto pair = Pair::start(o, false, error);
        if (!pair) return;
        slots = pair->slots();
        pair->go();
        const timespec nap{0, 500'000};
        while (pair->running()) ::nanosleep(&nap, nullptr);
        error = pair->error();
        writer = pair->report(side_writer), reader = pair->report(side_reader);
    }
};

constexpr std::uint64_t odd_bytes = (256 << 10) + 4097; // ends inside a page, inside a buffer

// Where the kernel has no huge pages to give, that is what is said.
bool huge_refused(const Ran& r) {
    return r.error.find("are in huge pages") != std::string::npos || r.error.find("no huge pages") != std::string::npos;
}

} // namespace

TEST_CASE("every combination of the pair's options moves the right bytes") {
    int ran = 0;
    for (unsigned bits = 0; bits < 1u << 9; ++bits) {
        const auto bit = [&](unsigned n) { return (bits >> n & 1) != 0; };
        PairOptions o;
        o.bytes = odd_bytes;
        o.buffer = bits % 3 ? 32 << 10 : 6002; // the latter ends inside a page
        o.vmsplice = bit(0), o.splice = bit(1), o.huge_page = bit(2), o.busy_loop = bit(3), o.poll = bit(4);
        if (bits % 4 == 3 && !o.huge_page) o.offset = bits % 8 == 3 ? 16 : 4095;
        o.gift = bit(5), o.same_buffer = bit(6), o.untouched = bit(7), o.lock_memory = bit(8);
        o.verify = !o.splice;
        if (!o.fault().empty()) continue;
        if (o.busy_loop && bits % 5) continue; // two that burn a CPU each, on a machine that may be busy: a few are enough
        const Ran r(o);
        INFO(o.text());
        if (o.huge_page && huge_refused(r)) continue;
        if (o.lock_memory && r.error.find("cannot be locked") != std::string::npos) continue;
        CHECK(r.error == "");
        CHECK(r.writer.bytes == odd_bytes);
        CHECK(r.reader.bytes == odd_bytes);
        if (o.vmsplice) CHECK(r.slots == (o.buffer == 6002 ? 1 : 4));
        ++ran;
    }
    CHECK(ran > 60);
}

TEST_CASE("options that do not go together are told in a sentence") {
    for (const auto& wrong : {PairOptions{.gift = true}, PairOptions{.same_buffer = true},
             PairOptions{.vmsplice = true, .buffer = 5, .same_buffer = true}, PairOptions{.splice = true, .verify = true},
             PairOptions{.offset = 16, .huge_page = true}}) {
        CHECK(wrong.fault() != "");
        CHECK(wrong.fault().find('\n') == std::string::npos);
    }
    CHECK(PairOptions{.vmsplice = true, .gift = true, .same_buffer = true, .verify = true}.fault() == "");
}

TEST_CASE("the bytes of the pair: digits over the whole buffer, or both buffers") {
    PairOptions o;
    o.buffer = 13;
    CHECK(o.byte_at(12) == '2');
    CHECK(o.byte_at(13) == '0');
    o.vmsplice = true;
    CHECK(o.byte_at(13) == '3'); // the second buffer goes on counting
    CHECK(o.byte_at(26) == '0');
    o.buffer = 14, o.same_buffer = true;
    CHECK(o.byte_at(7) == '7');
    CHECK(o.byte_at(14) == '0');
    o.untouched = true;
    CHECK(o.byte_at(7) == 0);
}

TEST_CASE("the writer and the reader run where they are told to, and a CPU that is none is an error") {
    cpu_set_t set;
    REQUIRE(::sched_getaffinity(0, sizeof set, &set) == 0);
    int last = CPU_SETSIZE - 1;
    while (last > 0 && !CPU_ISSET(last, &set)) --last;
    PairOptions o;
    o.bytes = odd_bytes, o.cpu = {last, last};
    const Ran r(o);
    CHECK(r.error == "");
    CHECK(r.writer.cpu == static_cast<std::uint32_t>(last));
    CHECK(r.reader.cpu == static_cast<std::uint32_t>(last));
    CHECK(r.reader.bytes == odd_bytes);
    o.cpu = {-1, 1'000'000};
    CHECK(Ran(o).error.find("the reader: it cannot run on CPU 1000000") == 0);
}

TEST_CASE("the pipe has the size that is asked for, and its sleeps are counted") {
    PairOptions o;
    o.bytes = 4 << 20, o.pipe_size = 4096;
    const Ran r(o);
    CHECK(r.slots == 1);
    CHECK(r.writer.sleeps + r.reader.sleeps > 0); // with one slot one of them has to wait for the other
    CHECK(r.reader.end_ns > r.reader.start_ns);
}

TEST_CASE("huge pages are those that the page flags call huge") {
    const std::size_t bytes = 4 * huge_size;
    void* all = ::mmap(nullptr, bytes + huge_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(all != MAP_FAILED);
    char* at = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(all) + huge_size - 1) & ~(huge_size - 1));
    ::madvise(at, bytes, MADV_HUGEPAGE);
    ::madvise(at + huge_size, huge_size, MADV_NOHUGEPAGE); // the second of the four is small
    CHECK(huge_page_bytes(at, bytes) == 0);                // nothing is there yet
    std::memset(at, 1, bytes);
    std::uint64_t by_smaps = 0;
    for (std::size_t i = 0; i < 4; ++i) by_smaps += huge_page_bytes(at + i * huge_size, huge_size);
    CHECK(huge_page_bytes(at + huge_size, huge_size) == 0);
    CHECK(by_smaps <= 3 * huge_size);
    const int flags = ::open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
    if (flags >= 0 && frame_number(at)) { // root
        std::uint64_t by_flags = 0;
        for (const std::uint64_t frame : frame_numbers(at, bytes)) {
            std::uint64_t f = 0;
            if (::pread(flags, &f, 8, static_cast<off_t>(frame * 8)) == 8 && f >> KPF_THP & 1) by_flags += page_size;
        }
        CHECK(by_smaps == by_flags);
    } else MESSAGE("page flags are hidden from this user");
    if (flags >= 0) ::close(flags);
    ::munmap(all, bytes + huge_size);
}

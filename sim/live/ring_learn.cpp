// SPDX-License-Identifier: MIT
// What RingReader finds out for itself: where struct pages lie, which operations table is which, where the direct map is.
#include "sim/live/ring_impl.hpp"
#if PIPESCOPE_HAVE_BPF
#include "sim/live/pagemap.hpp"
#include <array>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace pipescope {
namespace {

struct Fds { // two descriptors, closed together
    std::array<int, 2> fd{-1, -1};
    ~Fds() {
        for (const int f : fd)
            if (f >= 0) ::close(f);
    }
};

struct OwnPage {
    void* addr = ::mmap(nullptr, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ~OwnPage() {
        if (ok()) ::munmap(addr, page_size);
    }
    bool ok() const { return addr != MAP_FAILED; }
    void write() const { std::memset(addr, 1, page_size); }
    void read() const { (void)*static_cast<const volatile char*>(addr); }
};

} // namespace

void RingReader::Impl::learn() {
    learn_pages();
    learn_ops();
    learn_direct_map();
}

// A page whose frame number is known, put into a pipe, shows the address of its struct page.
void RingReader::Impl::learn_pages() {
    const OwnPage own;
    Fds pipe;
    if (!own.ok() || ::pipe2(pipe.fd.data(), O_CLOEXEC | O_NONBLOCK)) return;
    own.write();
    const iovec iov{own.addr, page_size};
    if (::vmsplice(pipe.fd[1], &iov, 1, SPLICE_F_NONBLOCK) != page_size || !ring(pipe.fd[0]) || answer->ring.slots != 1) return;
    facts.page_bytes = answer->page_bytes;
    const std::uint64_t frame = frame_number(own.addr);
    const std::uint64_t page = answer->ring.slot[0].page;
    if (frame && page > frame * facts.page_bytes) facts.vmemmap = page - frame * facts.page_bytes;

    const OwnPage a, b; // read but never written: both show the zero page, unless this kernel does without
    if (!a.ok() || !b.ok()) return;
    a.read();
    b.read();
    if (const std::uint64_t zero = frame_number(a.addr); zero == frame_number(b.addr)) facts.zero_pfn = zero;
}

// Each kind of slot is made once on a pipe of its own; what its ops points to is the table of that kind.
void RingReader::Impl::learn_ops() {
    const auto note = [this](BufOps kind, int fd) {
        if (!ring(fd) || answer->ring.slots == 0) return;
        const std::uint64_t address = answer->ring.slot[0].ops;
        if (facts.ops_at(address) != BufOps::unknown) return;
        facts.ops.emplace_back(address, kind);
        if (kind == BufOps::zero && !facts.zero_pfn) facts.zero_pfn = facts.pfn_of(answer->ring.slot[0].page);
    };
    const auto learn_one = [&](BufOps kind, auto&& fill) {
        Fds pipe;
        if (::pipe2(pipe.fd.data(), O_CLOEXEC | O_NONBLOCK) == 0 && fill(pipe.fd[1])) note(kind, pipe.fd[0]);
    };
    learn_one(BufOps::anon, [](int w) { return ::write(w, "x", 1) == 1; });
    const OwnPage own;
    if (own.ok()) own.write();
    learn_one(BufOps::user_page, [&](int w) {
        const iovec iov{own.addr, page_size};
        return own.ok() && ::vmsplice(w, &iov, 1, SPLICE_F_NONBLOCK) > 0;
    });
    const int file = ::memfd_create("pipescope", MFD_CLOEXEC);
    const bool sized = file >= 0 && ::ftruncate(file, 2 * page_size) == 0 && ::pwrite(file, "x", 1, 0) == 1;
    const auto splice_file = [&](loff_t at) {
        return [=](int w) mutable { return sized && ::splice(file, &at, w, nullptr, 1, SPLICE_F_NONBLOCK) > 0; };
    };
    learn_one(BufOps::page_cache, splice_file(0));
    const int zero = ::open("/dev/zero", O_RDONLY | O_CLOEXEC);
    learn_one(BufOps::default_, [&](int w) { return zero >= 0 && ::splice(zero, nullptr, w, nullptr, 1, SPLICE_F_NONBLOCK) > 0; });
    Fds sockets;
    const bool connected =
        ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sockets.fd.data()) == 0 && ::write(sockets.fd[0], "x", 1) == 1;
    learn_one(BufOps::nosteal, [&](int w) { return connected && ::splice(sockets.fd[1], nullptr, w, nullptr, 1, SPLICE_F_NONBLOCK) > 0; });
    learn_one(BufOps::zero, splice_file(page_size)); // a hole; older kernels fill it with a page, already known as such
    if (file >= 0) ::close(file);
    if (zero >= 0) ::close(zero);
}

// The direct map begins at one of two addresses, or at a random multiple of 1 GiB below the tables it holds. Of a wrong
// guess the walk to a page of known frame number ends elsewhere.
void RingReader::Impl::learn_direct_map() {
    const OwnPage own;
    if (!own.ok()) return;
    own.write();
    const std::uint64_t frame = frame_number(own.addr);
    if (!frame) return;
    const auto right = [&](std::uint64_t base, std::uint32_t depth) {
        ring_args args{};
        args.addr = reinterpret_cast<std::uintptr_t>(own.addr);
        args.base = base;
        args.levels = depth;
        if (!run(walk_prog, args) || answer->levels != depth) return false;
        return (answer->entry[depth - 1] & pte_addr_mask) >> page_shift == frame;
    };
    const auto take = [&](std::uint64_t base, std::uint32_t depth) {
        if (!right(base, depth)) return false;
        direct_map = base;
        levels = depth;
        return true;
    };
    if (take(0xffff888000000000ull, 4) || take(0xff11000000000000ull, 5)) return;
    constexpr std::uint64_t step = std::uint64_t{1} << 30;
    constexpr int most = 4096; // GiB of memory below the table
    std::uint64_t base = answer->pgd & ~(step - 1);
    for (int i = 0; i < most && base >> 63; ++i, base -= step)
        if (take(base, 4) || take(base, 5)) return;
}

} // namespace pipescope
#endif

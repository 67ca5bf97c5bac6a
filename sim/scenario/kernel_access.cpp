// SPDX-License-Identifier: MIT
// Stores and loads that find a fault instead of dying of it, and changes to memory that was handed out.
#include "sim/scenario/kernel_memory.hpp"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

namespace pipescope {
namespace {

void* at(std::uint64_t addr) { return reinterpret_cast<void*>(addr); }
std::uint64_t round_up(std::uint64_t n, std::uint64_t to) { return (n + to - 1) / to * to; }

// By way of the kernel: where a plain store would end this process it says EFAULT. 1 done, 0 a fault, -1 not permitted.
int copy(bool store, std::uint64_t addr, std::uint8_t* bytes, std::size_t n) {
    const iovec local{bytes, n}, remote{at(addr), n};
    const ssize_t r = store ? ::process_vm_writev(::getpid(), &local, 1, &remote, 1, 0) : ::process_vm_readv(::getpid(), &local, 1, &remote, 1, 0);
    if (r < 0 && errno != EFAULT) return -1;
    return r == static_cast<ssize_t>(n);
}

// A byte of memory that may be written and not read.
bool peek(std::uint64_t addr, std::uint8_t& byte) {
    const int fd = ::open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    const bool got = fd >= 0 && ::pread(fd, &byte, 1, static_cast<off_t>(addr)) == 1;
    if (fd >= 0) ::close(fd);
    return got;
}

} // namespace

const KernelMemory::Piece* KernelMemory::piece(std::uint64_t addr, std::uint64_t len) const {
    for (const Piece& p : pieces_)
        if (addr >= p.addr && addr + len <= p.addr + p.len) return &p;
    return nullptr;
}

bool KernelMemory::store(std::uint64_t addr, std::span<const std::uint8_t> bytes) {
    const Piece* const p = piece(addr, bytes.size());
    if (!p) return false;
    std::vector<std::uint8_t> copied(bytes.begin(), bytes.end());
    const int done = copy(true, addr, copied.data(), copied.size());
    if (done >= 0) return done;
    if (p->readonly) return false;
    std::memcpy(at(addr), bytes.data(), bytes.size());
    return true;
}

bool KernelMemory::load(std::uint64_t addr, std::span<std::uint8_t> bytes) {
    const Piece* const p = piece(addr, bytes.size());
    if (!p) return false;
    const int done = copy(false, addr, bytes.data(), bytes.size());
    if (done >= 0) return done;
    if (p->readonly) return false;
    std::memcpy(bytes.data(), at(addr), bytes.size());
    return true;
}

// Pieces lie in the order of their addresses.
std::vector<KernelMemory::Run> KernelMemory::runs(std::uint64_t start, std::uint64_t end) const {
    std::vector<Run> out;
    for (const Piece& p : pieces_) {
        const std::uint64_t from = std::max(start, p.base), to = std::min(end, round_up(p.addr + p.len, page_size));
        for (std::uint64_t a = from; a < to; a += page_size) {
            const std::size_t i = (a - p.base) / page_size;
            if (i < p.gone.size() && p.gone[i]) continue;
            if (!out.empty() && out.back().end == a) out.back().end += page_size;
            else out.push_back({a, a + page_size});
        }
    }
    return out;
}

long KernelMemory::protect(std::uint64_t addr, std::uint64_t len, int prot) {
    if (addr % page_size) return -EINVAL;
    const std::uint64_t end = round_up(addr + len, page_size);
    if (end < addr) return -ENOMEM;
    if (end == addr) return 0;
    const std::vector<Run> all = runs(addr, end);
    if (all.empty() || all[0].start != addr) return -ENOMEM;
    if (::mprotect(at(addr), all[0].end - addr, prot) < 0) return -errno;
    for (Piece& p : pieces_)
        if (p.base < end && p.addr + p.len > addr) p.readonly = true; // not to be written behind the kernel's back
    return all[0].end == end ? 0 : -ENOMEM;
}

long KernelMemory::advise(std::uint64_t addr, std::uint64_t len, int advice) {
    if (addr % page_size) return -EINVAL;
    const std::uint64_t end = round_up(addr + len, page_size);
    if (end < addr) return -EINVAL;
    std::uint64_t covered = 0;
    for (const Run& r : runs(addr, end)) {
        if (::madvise(at(r.start), r.end - r.start, advice) < 0) return -errno;
        covered += r.end - r.start;
    }
    return covered == end - addr ? 0 : -ENOMEM;
}

// The place stays taken, inaccessible, so that nothing of this program comes to lie where the case may still point.
long KernelMemory::unmap(std::uint64_t addr, std::uint64_t len) {
    if (addr % page_size || len == 0 || addr > arena_end_ || len > (std::uint64_t{1} << 47)) return -EINVAL;
    const std::uint64_t end = round_up(addr + len, page_size);
    for (const Run& r : runs(addr, end)) {
        if (::munmap(at(r.start), r.end - r.start) < 0) return -errno;
        // The kernel gives places from the top down, far above: nothing comes to lie here meanwhile.
        if (::mmap(at(r.start), r.end - r.start, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) return -errno;
    }
    for (Piece& p : pieces_) {
        const std::uint64_t from = std::max(addr, p.base), to = std::min(end, round_up(p.addr + p.len, page_size));
        p.readonly = p.readonly || from < to;
        for (std::uint64_t a = from; a < to; a += page_size) {
            p.gone.resize(round_up(p.addr + p.len - p.base, page_size) / page_size);
            p.gone[(a - p.base) / page_size] = true;
        }
    }
    return 0;
}

long KernelMemory::touch(std::uint64_t addr, std::uint64_t len) {
    for (std::uint64_t a = addr; a < addr + len; a = (a & ~std::uint64_t{page_size - 1}) + page_size) {
        const Piece* const p = piece(a, 1);
        if (!p) return -EFAULT;
        constexpr int populate_write = 23; // MADV_POPULATE_WRITE, 5.14
        if (::madvise(at(a & ~std::uint64_t{page_size - 1}), page_size, populate_write) == 0) continue;
        std::uint8_t byte = 0;
        if (copy(false, a, &byte, 1) != 1 && !peek(a, byte)) return -EFAULT;
        if (copy(true, a, &byte, 1) != 1) return -EFAULT;
    }
    return 0;
}

} // namespace pipescope

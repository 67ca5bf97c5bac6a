// SPDX-License-Identifier: MIT
// Real buffers: placed, touched, made huge or read-only, and looked up by frame number.
#include "sim/scenario/kernel_memory.hpp"
#include "sim/live/huge_pages.hpp"
#include "sim/scenario/kernel_hugetlb.hpp"
#include "sim/scenario/not_here.hpp"
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace pipescope {
namespace {

constexpr std::uint64_t model_base = 0x7e3a'0000'0000; // where the model's address space hands out memory, bottom up
constexpr std::uint64_t arena_size = std::uint64_t{8} << 30; // libraries lie at random near there: a small target
constexpr const char* no_zero_page = "this kernel was started without the zero page, which untouched memory shows";
constexpr int collapse_advice = 25; // MADV_COLLAPSE, 6.1

void* at(std::uint64_t addr) { return reinterpret_cast<void*>(addr); }
std::uint64_t round_up(std::uint64_t n, std::uint64_t to) { return (n + to - 1) / to * to; }

} // namespace

KernelMemory::KernelMemory() {
    // One reservation: whatever is not handed out in it stays inaccessible, so that running off a buffer is a fault, as in
    // the model, and never reaches memory of this program.
    for (const std::uint64_t wanted : {model_base, std::uint64_t{0}}) {
        void* const p =
            ::mmap(at(wanted), arena_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (wanted ? MAP_FIXED_NOREPLACE : 0), -1, 0);
        if (p == MAP_FAILED) continue;
        arena_ = reinterpret_cast<std::uint64_t>(p);
        arena_end_ = arena_ + arena_size;
        model_addresses_ = arena_ == model_base;
        next_ = round_up(arena_, huge_size);
        break;
    }
    pagemap_ = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    kpagecount_ = ::open("/proc/kpagecount", O_RDONLY | O_CLOEXEC);
    kpageflags_ = ::open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
    dummy_ = ::mmap(nullptr, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

KernelMemory::~KernelMemory() {
    if (arena_) ::munmap(at(arena_), arena_size);
    if (dummy_ != MAP_FAILED) ::munmap(dummy_, page_size);
    for (const int fd : {pagemap_, kpagecount_, kpageflags_})
        if (fd >= 0) ::close(fd);
}

std::uint64_t KernelMemory::take(std::uint64_t len, std::uint64_t align) {
    const std::uint64_t start = round_up(next_, align), end = start + round_up(len, page_size);
    if (!arena_ || end + page_size > arena_end_) return 0;
    next_ = end + page_size; // the hole behind it
    if (::mmap(at(start), end - start, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        return 0;
    return start;
}

Memory KernelMemory::buffer(const BufferOptions& o, int file) {
    const std::uint64_t len = o.offset + o.size;
    if (o.high) throw NotHere{"buffers above 47 bits are the model's alone"};
    if (!o.touched && !o.hugetlb && !o.shared && o.file < 0 && !maps_zero_page()) throw NotHere{no_zero_page};
    if (o.touched) { // a case must not push the machine it is tried on into swapping
        touched_ += len;
        const auto free_bytes = static_cast<std::uint64_t>(std::max(0L, ::sysconf(_SC_AVPHYS_PAGES))) * page_size;
        if (touched_ > free_bytes / 2) return {};
    }
    if (o.hugetlb) return hugetlb(o);
    if (o.shared || o.file >= 0) return map(o, file);
    const std::uint64_t base = take(len, o.huge ? huge_size : page_size);
    if (!base) return {};
    // Without huge pages compiled in, both fail: then the ordinary ones are small anyway, and the huge ones are found missing.
    ::madvise(at(base), round_up(len, page_size), o.huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    if (o.touched) {
        for (std::uint64_t a = base; a < base + len; a += page_size) *static_cast<volatile char*>(at(a)) = 0;
        drain();
        const std::uint64_t whole = len / huge_size * huge_size;
        if (o.huge && whole && smaps_bytes(base, len, "AnonHugePages:") < whole) {
            ::madvise(at(base), whole, collapse_advice);
            if (smaps_bytes(base, len, "AnonHugePages:") < whole) throw NotHere{"no huge page to be had here"};
        }
    }
    if (o.readonly) ::mprotect(at(base), round_up(len, page_size), PROT_READ);
    pieces_.push_back({o.name.empty() ? fmt::format("b{}", ++unnamed_) : o.name, base, base + o.offset, o.size, o.readonly});
    return {base + o.offset, o.size};
}

Memory KernelMemory::map(const BufferOptions& o, int file) {
    struct stat st {};
    if (!o.shared && ::fstat(file, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 5) && !maps_zero_page()) throw NotHere{no_zero_page};
    const std::uint64_t len = round_up(o.offset + o.size, page_size), base = take(len, page_size);
    if (!base) return {};
    const int kind = o.shared ? MAP_SHARED : MAP_PRIVATE, what = o.file < 0 ? MAP_ANONYMOUS : 0;
    if (::mmap(at(base), len, PROT_READ | PROT_WRITE, kind | what | MAP_FIXED, o.file < 0 ? -1 : file, static_cast<off_t>(o.from)) == MAP_FAILED) {
        const int error = errno;
        ::mmap(at(base), len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        next_ = base; // the model takes no place for it either
        return {0, 0, -error};
    }
    for (std::uint64_t a = base; o.touched && o.file < 0 && a < base + len; a += page_size) *static_cast<volatile char*>(at(a)) = 0;
    drain();
    if (o.readonly) ::mprotect(at(base), len, PROT_READ);
    pieces_.push_back({o.name.empty() ? fmt::format("b{}", ++unnamed_) : o.name, base, base + o.offset, o.size, true}); // written by way of the kernel alone
    return {base + o.offset, o.size};
}

Memory KernelMemory::hugetlb(const BufferOptions& o) {
    const std::uint64_t size = std::uint64_t{page_size} << o.hugetlb, base = take(o.size, size);
    if (!base) return {};
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_HUGETLB | static_cast<int>(o.hugetlb + page_shift) << MAP_HUGE_SHIFT;
    const auto map = [&] { return ::mmap(at(base), o.size, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED; };
    // Where none are set aside, room is made for them, and for the copies that a store after fork() takes.
    if (!map() && !(o.hugetlb == pmd_order && HugetlbRoom::grow(2 * (o.size / size) + 4) && map()))
        throw NotHere{"no hugetlb page to be had here"};
    for (std::uint64_t a = base; o.touched && a < base + o.size; a += size) *static_cast<volatile char*>(at(a)) = 0;
    if (o.readonly) ::mprotect(at(base), o.size, PROT_READ);
    pieces_.push_back({o.name.empty() ? fmt::format("b{}", ++unnamed_) : o.name, base, base, o.size, o.readonly});
    return {base, o.size};
}

Memory KernelMemory::scratch(TaskId t, std::uint64_t len) {
    Memory& m = scratch_[t];
    if (m.len >= len) return m;
    const std::uint64_t size = std::max<std::uint64_t>(std::bit_ceil(len), page_size);
    const std::uint64_t base = take(size, page_size);
    if (!base) return {};
    ::madvise(at(base), size, MADV_NOHUGEPAGE);
    std::memset(at(base), 0, size);
    pieces_.push_back({"", base, base, size, false});
    return m = {base, size};
}

void KernelMemory::drain() const {
    // This advice drains the CPU's batches before it looks at a page, and there is none to look at. Needs no privilege.
    ::madvise(dummy_, page_size, MADV_COLD);
}

// Some machines run a kernel that gives every page that is read a frame of its own. The zero page does not count as
// resident; a frame does.
bool KernelMemory::maps_zero_page() const {
    void* const p = ::mmap(nullptr, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return true;
    ::madvise(p, page_size, MADV_NOHUGEPAGE); // also keeps it apart from its neighbours in smaps
    (void)*static_cast<volatile char*>(p);
    const bool zero = smaps_bytes(reinterpret_cast<std::uint64_t>(p), page_size, "Rss:") == 0;
    ::munmap(p, page_size);
    return zero;
}

std::optional<std::uint64_t> KernelMemory::pagemap(std::uint64_t addr) const {
    std::uint64_t word = 0;
    if (pagemap_ < 0 || ::pread(pagemap_, &word, sizeof word, static_cast<off_t>(addr / page_size * sizeof word)) != sizeof word) return std::nullopt;
    return word;
}

std::optional<std::uint32_t> KernelMemory::mapcount(std::uint64_t pfn) const {
    std::uint64_t n = 0;
    if (kpagecount_ < 0 || ::pread(kpagecount_, &n, sizeof n, static_cast<off_t>(pfn * sizeof n)) != sizeof n) return std::nullopt;
    return static_cast<std::uint32_t>(n);
}

bool KernelMemory::page_flag(std::uint64_t pfn, int bit) const {
    std::uint64_t flags = 0;
    return kpageflags_ >= 0 && ::pread(kpageflags_, &flags, sizeof flags, static_cast<off_t>(pfn * sizeof flags)) == sizeof flags &&
           (flags >> bit & 1);
}
bool KernelMemory::is_zero_page(std::uint64_t pfn) const { return page_flag(pfn, 24); }
bool KernelMemory::is_hugetlb(std::uint64_t pfn) const { return page_flag(pfn, 17); }

std::unordered_map<std::uint64_t, std::string> KernelMemory::names() const {
    std::unordered_map<std::uint64_t, std::string> out;
    std::vector<std::uint64_t> words;
    for (const Piece& p : pieces_) {
        if (p.name.empty()) continue;
        words.assign((p.addr + p.len - p.base + page_size - 1) / page_size, 0);
        const ssize_t got =
            ::pread(pagemap_, words.data(), words.size() * sizeof(std::uint64_t), static_cast<off_t>(p.base / page_size * sizeof(std::uint64_t)));
        for (std::size_t i = 0; got > 0 && i < static_cast<std::size_t>(got) / sizeof(std::uint64_t); ++i)
            if ((words[i] & pagemap_present) && (words[i] & pagemap_pfn)) out.emplace(words[i] & pagemap_pfn, fmt::format("{}[{}]", p.name, i));
    }
    return out;
}

} // namespace pipescope

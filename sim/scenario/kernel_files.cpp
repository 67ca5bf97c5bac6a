// SPDX-License-Identifier: MIT
// memfds filled with the known pattern, FIFOs that are unlinked at once, and the frames of a page cache.
#include "sim/scenario/kernel_files.hpp"
#include "core/state.hpp"
#include "sim/scenario/kernel_memory.hpp"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pipescope {
namespace {

std::string by_number(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

bool fill(int fd, std::uint64_t size) {
    std::vector<std::uint8_t> block(std::size_t{64} << 10);
    for (std::uint64_t at = 0; at < size; at += block.size()) {
        const std::size_t n = std::min<std::uint64_t>(block.size(), size - at);
        for (std::size_t i = 0; i < n; ++i) block[i] = file_pattern(at + i);
        if (::pwrite(fd, block.data(), n, static_cast<off_t>(at)) != static_cast<ssize_t>(n)) return false;
    }
    return true;
}

} // namespace

KernelFiles::~KernelFiles() {
    for (const Cached& f : files_) ::close(f.look);
    for (const int fd : fifos_) ::close(fd);
}

int KernelFiles::file(const FileOptions& o) {
    const std::string name = o.name.empty() ? "f" + std::to_string(++unnamed_) : o.name;
    const int fd = ::memfd_create("pipescope", MFD_CLOEXEC);
    if (fd < 0) return -errno;
    const int look = ::open(by_number(fd).c_str(), O_RDWR | O_CLOEXEC);
    if (look < 0 || (o.cached ? !fill(look, o.size) : ::ftruncate(look, static_cast<off_t>(o.size)) < 0)) {
        const int e = errno;
        ::close(fd);
        if (look >= 0) ::close(look);
        return e ? -e : -EIO;
    }
    files_.push_back({name, look});
    return fd;
}

// Its name is gone before anybody opens it: opens go through this process's own descriptor.
std::uint32_t KernelFiles::fifo() {
    const char* const tmp = std::getenv("TMPDIR");
    for (const std::string& parent : {std::string(tmp && *tmp ? tmp : "/tmp"), std::string("/dev/shm")}) {
        std::string dir = parent + "/pipescope-XXXXXX";
        if (!::mkdtemp(dir.data())) continue;
        const std::string path = dir + "/fifo";
        const int fd = ::mkfifo(path.c_str(), 0600) == 0 ? ::open(path.c_str(), O_PATH | O_CLOEXEC) : -1;
        ::unlink(path.c_str());
        ::rmdir(dir.c_str());
        if (fd < 0) continue;
        fifos_.push_back(fd);
        return static_cast<std::uint32_t>(fifos_.size() - 1);
    }
    return no_id;
}

long KernelFiles::open_fifo(std::uint64_t number, int flags) const {
    if (number >= fifos_.size()) return -ENOENT;
    const int fd = ::open(by_number(fifos_[number]).c_str(), flags | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

void KernelFiles::names(const KernelMemory& memory, std::unordered_map<std::uint64_t, std::string>& out) const {
    for (const Cached& f : files_) {
        struct stat st {};
        if (::fstat(f.look, &st) < 0 || st.st_size == 0) continue;
        const auto len = static_cast<std::size_t>(st.st_size);
        void* const map = ::mmap(nullptr, len, PROT_READ, MAP_SHARED, f.look, 0);
        if (map == MAP_FAILED) continue;
        // A look at a hole would fill it: only where there is data.
        for (off_t at = ::lseek(f.look, 0, SEEK_DATA); at >= 0;) {
            const off_t end = std::min<off_t>(::lseek(f.look, at, SEEK_HOLE), st.st_size);
            if (end <= at) break;
            for (std::uint64_t i = static_cast<std::uint64_t>(at) / page_size; i * page_size < static_cast<std::uint64_t>(end); ++i) {
                const auto* const p = static_cast<const volatile char*>(map) + i * page_size;
                (void)*p;
                const auto word = memory.pagemap(reinterpret_cast<std::uint64_t>(p));
                if (word && (*word & pagemap_present) && (*word & pagemap_pfn)) out.emplace(*word & pagemap_pfn, f.name + "[" + std::to_string(i) + "]");
            }
            at = ::lseek(f.look, end, SEEK_DATA);
        }
        ::munmap(map, len);
    }
    memory.drain(); // what was looked at is not to be held by this CPU's batches
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Files by descriptor.
#include "sim/recording/file.hpp"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pipescope::rec {
namespace {

bool fail(std::string& error, const std::string& path, std::string_view what) {
    error = fmt::format("{}: {}", path, what);
    return false;
}

} // namespace

FileHandle::~FileHandle() {
    if (fd_ >= 0) ::close(fd_);
}

bool FileHandle::open_to_read(const std::string& path, std::string& error) {
    path_ = path;
    fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st {};
    if (fd_ < 0 || ::fstat(fd_, &st) != 0) return fail(error, path, std::strerror(errno));
    if (S_ISDIR(st.st_mode)) return fail(error, path, "is a directory");
    if (!S_ISREG(st.st_mode)) return fail(error, path, "is not a regular file");
    size_ = static_cast<std::uint64_t>(st.st_size);
    return true;
}

bool FileHandle::create(const std::string& path, std::string& error) {
    path_ = path;
    fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
    if (fd_ < 0) return fail(error, path, fmt::format("cannot be written: {}", std::strerror(errno)));
    return true;
}

bool FileHandle::read_at(std::uint64_t offset, std::span<std::uint8_t> into, std::string& error) const {
    while (!into.empty()) {
        const ssize_t n = ::pread(fd_, into.data(), into.size(), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail(error, path_, std::strerror(errno));
        if (n == 0) return fail(error, path_, "became shorter while it was read");
        offset += static_cast<std::uint64_t>(n);
        into = into.subspan(static_cast<std::size_t>(n));
    }
    return true;
}

bool FileHandle::write(std::string_view bytes, std::string& error) {
    for (std::string_view rest = bytes; !rest.empty();) {
        const ssize_t n = ::write(fd_, rest.data(), rest.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            const int err = n < 0 ? errno : ENOSPC;
            if (::ftruncate(fd_, static_cast<off_t>(size_)) == 0) ::lseek(fd_, 0, SEEK_END);
            return fail(error, path_, fmt::format("cannot be written: {}", std::strerror(err)));
        }
        rest.remove_prefix(static_cast<std::size_t>(n));
    }
    size_ += bytes.size();
    return true;
}

bool FileHandle::close(std::string& error) {
    if (fd_ < 0) return true;
    const int fd = fd_;
    fd_ = -1;
    // Some file systems report a full disk only here.
    if (::close(fd) != 0 && errno != EINTR) return fail(error, path_, fmt::format("cannot be written: {}", std::strerror(errno)));
    return true;
}

} // namespace pipescope::rec

// SPDX-License-Identifier: MIT
// Files by descriptor, with every failure as a sentence.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pipescope::rec {

class FileHandle {
public:
    FileHandle() = default;
    FileHandle(const FileHandle&) = delete;
    FileHandle& operator=(const FileHandle&) = delete;
    ~FileHandle();

    // Regular files only: a FIFO would block, a device need not end. False with `error`, which names the file.
    bool open_to_read(const std::string& path, std::string& error);
    bool create(const std::string& path, std::string& error);

    std::uint64_t size() const { return size_; } // when it was opened, or what was written
    // All of the bytes, or false with `error`.
    bool read_at(std::uint64_t offset, std::span<std::uint8_t> into, std::string& error) const;
    // Appends all of the bytes. On failure the file is cut back to where it was, as far as that is possible.
    bool write(std::string_view bytes, std::string& error);
    bool close(std::string& error);

private:
    std::string path_;
    int fd_ = -1;
    std::uint64_t size_ = 0;
};

} // namespace pipescope::rec

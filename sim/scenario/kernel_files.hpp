// SPDX-License-Identifier: MIT
// The real files of a litmus case: in memory, without names in any file system, FIFOs included.
#pragma once
#include "sim/backend.hpp"
#include <string>
#include <unordered_map>
#include <vector>

namespace pipescope {

class KernelMemory;

class KernelFiles {
public:
    KernelFiles() = default;
    ~KernelFiles();
    KernelFiles(const KernelFiles&) = delete;
    KernelFiles& operator=(const KernelFiles&) = delete;

    int file(const FileOptions& o);                        // a descriptor, or -errno
    std::uint32_t fifo();                                  // its number; no_id on failure
    long open_fifo(std::uint64_t number, int flags) const; // a descriptor, or -errno; may sleep
    // Adds "f1[0]" by frame number for every page that a file's cache holds at this moment.
    void names(const KernelMemory& memory, std::unordered_map<std::uint64_t, std::string>& out) const;

private:
    struct Cached {
        std::string name;
        int look; // opened apart, so that looking moves nobody's position
    };
    std::vector<Cached> files_;
    std::vector<int> fifos_; // O_PATH
    int unnamed_ = 0;
};

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Records as they came from the ring buffer, which is not in order of time, waiting to be handed out in it.
#pragma once
#include "sim/bpf/shared.h"
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace pipescope {

class RecordQueue {
public:
    void keep(const void* record, std::size_t size); // a copy
    // Hands out what is older than this, in order of time, and forgets it. `use` may keep more, for the next time.
    void take(std::uint64_t before_ns, const std::function<void(const rec_head&)>& use);
    std::size_t bytes() const { return bytes_; } // kept

private:
    struct Waiting {
        std::uint64_t t_ns;
        const std::byte* record;
        std::size_t size;
    };
    std::byte* room(std::size_t bytes);

    std::vector<Waiting> waiting_;
    std::vector<std::unique_ptr<std::byte[]>> chunks_;
    std::size_t chunk_used_ = 0, bytes_ = 0;
};

} // namespace pipescope

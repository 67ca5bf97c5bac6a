// SPDX-License-Identifier: MIT
// Records as they came from the ring buffer, which is not in order of time, waiting to be handed out in it.
#pragma once
#include "sim/bpf/shared.h"
#include <cstddef>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

namespace pipescope {

// Brief records are handed out as whole ones. A call that did not wait has one record, which is handed out once for each of these moments that it tells of.
enum class RecordPart : std::uint8_t { own, enter, lock_begin, lock_end }; // own: what its head says

class RecordQueue {
public:
    // Makes room beforehand, so that the first so many bytes cost no page faults.
    void prepare(std::size_t bytes);
    void keep(const void* record, std::size_t size); // a copy
    // Hands out what is older than this, in order of time, and forgets it. `use` may keep more, for the next time.
    void take(std::uint64_t before_ns, const std::function<void(const rec_head&, RecordPart)>& use);
    std::size_t bytes() const { return bytes_; } // kept

private:
    struct Waiting {
        std::uint64_t t_ns;
        const std::byte* record;
        std::uint32_t size;
        RecordPart part;
    };
    struct Unmap {
        void operator()(std::byte* memory) const;
    };
    struct Chunk {
        std::unique_ptr<std::byte, Unmap> memory;
        std::size_t used = 0;
    };
    static Chunk new_chunk();
    static void list_parts(const std::byte* record, std::uint32_t size, std::vector<Waiting>& list);
    const rec_head* spelled_out(const Waiting& w);

    std::vector<Chunk> chunks_, spare_; // of lengths, each with its record behind it
    std::size_t bytes_ = 0;
    std::vector<Waiting> left_; // of the last round: parts that were too new, with copies of their records
    std::unique_ptr<std::byte[]> left_bytes_;
    struct Exit {
        rec_call_info info;
        std::uint32_t ring_size, max_usage, readers, writers;
    };
    std::unordered_map<std::uint32_t, Exit> last_exit_; // by tid: what brief records leave out
    std::unique_ptr<rec_call> scratch_ = std::make_unique<rec_call>();
};

} // namespace pipescope

// SPDX-License-Identifier: MIT
// The writer and the reader of the published pipe speed test, as state machines between their system calls.
#pragma once
#include "sim/des/engine.hpp"

namespace pipescope {

struct SpeedOptions { // the options of those programs that change what they do
    bool vmsplice = false, splice = false, huge_page = false, busy_loop = false, touch = true, same_buffer = false;
    std::uint64_t buf_size = 256 << 10;
    std::uint64_t offset = 0; // bytes past the beginning of a page at which each buffer begins
};

class Writer final : public Program { // the same buffer again and again, or two in turn with vmsplice
public:
    Writer(int fd, const SpeedOptions& o, std::uint64_t buffer0, std::uint64_t buffer1);
    const Call* next(long result) override;

private:
    Call call_;
    std::uint64_t buffers_[2], size_;
    bool two_;
    std::uint32_t which_ = 0;
};

class Reader final : public Program { // until it has `bytes`
public:
    Reader(int fd, int null_fd, const SpeedOptions& o, std::uint64_t buffer, std::uint64_t bytes);
    const Call* next(long result) override;

private:
    Call call_;
    std::uint64_t left_;
};

// Both at the two ends of one pipe, each on a CPU of its own; the reader sleeps before the writer starts.
class SpeedPair {
public:
    SpeedPair(EventSink& into, const Profile& profile, const SpeedOptions& options, std::uint64_t bytes, std::uint64_t warm_up, std::uint64_t seed);
    bool run(); // false: nobody could go on
    Engine& engine() { return engine_; }
    TaskId writer() const { return writer_task_; }
    TaskId reader() const { return reader_task_; }
    std::uint64_t ring_bytes() const { return ring_bytes_; }

private:
    class Warm final : public Program { // forgets times and counts when the wrapped reader has its first bytes
    public:
        Warm(Engine& e, Program& inner, std::uint64_t bytes) : engine_(e), inner_(inner), left_(static_cast<long>(bytes)) {}
        const Call* next(long result) override;

    private:
        Engine& engine_;
        Program& inner_;
        long left_;
    };
    std::uint64_t memory(TaskId t, const SpeedOptions& o, bool touch); // the address of a buffer

    Engine engine_;
    TaskId writer_task_ = 0, reader_task_ = 0;
    std::uint64_t ring_bytes_ = 0;
    std::unique_ptr<Program> writer_, reader_, warm_;
};

} // namespace pipescope

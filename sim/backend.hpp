// SPDX-License-Identifier: MIT
// What a scenario runs on: the model's kernel or the live one, behind one set of questions.
#pragma once
#include "core/call.hpp"
#include "core/stage.hpp"
#include <array>
#include <optional>
#include <span>
#include <string>

namespace pipescope {

struct PipeOptions {
    std::uint32_t slots = pipe_def_buffers; // a power of two; another number is rounded up as F_SETPIPE_SZ does
    bool nonblock = false, packet = false;  // O_NONBLOCK on both ends, O_DIRECT on the write end
};
struct BufferOptions {
    std::string name;          // empty: b1, b2 … in the order made
    std::uint64_t size = 0;    // bytes
    std::uint32_t offset = 0;  // bytes into its first page where it begins
    bool huge = false, touched = true, readonly = false;
    std::uint32_t hugetlb = 0; // order of its pages when they are hugetlbfs': 9 or 18
    bool high = false;         // above 47 bits, where there are 5 levels
    int file = -1;             // descriptor of the file that is mapped, not touched
    std::uint64_t from = 0;    // byte of the file at the start, of whole pages
    bool shared = false;       // MAP_SHARED
};
struct FileOptions {
    std::string name;        // empty: f1, f2 … in the order made
    std::uint64_t size = 0;  // bytes, filled with file_pattern()
    bool cached = true;      // false: a hole of that size, nothing in the page cache
};
struct SocketOptions {
    bool dgram = false, nonblock = false;
};
struct Memory { // a range in the address space of the task that made it
    std::uint64_t addr = 0, len = 0;
    int error = 0; // of a file that is not to be mapped: -errno, and len 0
};
struct PageInfo {
    bool present = false, huge = false, zero = false, head = false, tail = false;
    std::uint32_t order = 0;
    std::int32_t refcount = 0, mapcount = 0; // folio-wide refcount, as page_count() gives it
    bool hugetlb = false;
    std::optional<std::int32_t> pincount{}; // of a small page what its refcount says; nothing where it cannot be seen
};
struct TlbInfo { // of the CPU a task is on
    std::uint64_t hits = 0, misses = 0, flushes = 0, invlpgs = 0;
};

// Task 0 is the main one and exists from the start; tasks share descriptors and memory. Results of calls are numbers,
// or -errno. A question whose answer needs privileges that are missing gives nothing.
class Backend {
public:
    virtual ~Backend() = default;
    virtual const char* name() const = 0; // "model", "kernel"

    virtual TaskId task_new(const std::string& name, int cpu) = 0;
    virtual std::array<int, 2> pipe_new(TaskId t, const PipeOptions& o) = 0; // {read fd, write fd}, or -errno in both
    virtual Memory buffer_new(TaskId t, const BufferOptions& o) = 0;         // len 0 when there is no memory for it
    virtual int open_null(TaskId t) = 0;
    // A back end that cannot do one of these yet gives -ENOSYS, or no_id.
    virtual int open_zero(TaskId) { return -ENOSYS; }
    virtual int file_new(TaskId, const FileOptions&) { return -ENOSYS; } // fd, open for reading and writing at position 0
    virtual std::array<int, 2> socketpair_new(TaskId, const SocketOptions&) { return {-ENOSYS, -ENOSYS}; } // AF_UNIX; fds, or -errno in both
    virtual std::uint32_t fifo_new(TaskId) { return no_id; } // Call::addr of Sys::open, whose flags are FileFlag bits
    virtual TaskId fork_task(TaskId, const std::string&) { return no_id; } // memory and descriptors copied at once; no_id on failure
    virtual void hold(TaskId, bool) {} // its program, in user code, is not to be run until it is let go
    virtual void exit_task(TaskId) {} // its program has ended; a forked one closes and unmaps what it has
    virtual void kill(TaskId, int) {} // handled by nobody in particular, SIGUSR2 with SA_RESTART
    virtual long epoll_add(TaskId, int /*fd*/, std::uint32_t /*events*/, bool /*edge*/) { return -ENOSYS; } // an item's number, or -errno; bits of poll(2)
    virtual std::uint32_t epoll_wait(TaskId, std::uint32_t /*item*/) { return 0; } // bits reported at this moment

    virtual void start(TaskId t, const Call& c) = 0; // enters the call; t is in user code
    virtual void settle() = 0;                       // everybody inside the kernel goes on until done or asleep
    // Where a task can be stopped inside the kernel: it goes on until it stands before the stage, and stays there until
    // it is run again; false when it slept or came back first. A back end that cannot do that never stops anybody.
    virtual bool can_stop() const { return false; }
    virtual bool run_to(TaskId, Stage) { return false; }
    virtual void let_go(TaskId) {}
    // n references more to the page at addr, which nobody holds; false where that is not to be had.
    virtual bool pin(TaskId, std::uint64_t /*addr*/, std::uint32_t /*n*/) { return false; }
    // The result of t's call, once; nothing while it is still inside.
    virtual std::optional<long> finished(TaskId t) = 0;

    virtual bool store(TaskId t, std::uint64_t addr, std::span<const std::uint8_t> bytes) = 0; // false: a fault
    virtual bool load(TaskId t, std::uint64_t addr, std::span<std::uint8_t> bytes) = 0;
    virtual Memory scratch(TaskId t, std::uint64_t len) = 0; // touched memory for strings and for reads into nowhere
    virtual std::uint32_t take_signals(TaskId t) = 0;        // bit n is signal n; delivered ones, since last asked

    virtual std::optional<std::string> ring(int fd) = 0; // as litmus.md prints it
    virtual std::optional<std::uint32_t> ring_size(int fd) = 0;
    virtual std::optional<std::uint32_t> max_usage(int fd) = 0;
    virtual std::optional<std::uint32_t> tmp_pages(int fd) = 0;
    virtual std::optional<std::uint64_t> wakeups() { return std::nullopt; } // sleepers woken so far, by whom and for what ever
    virtual std::optional<PageInfo> page(TaskId t, std::uint64_t addr) = 0;
    virtual std::optional<std::string> walk(TaskId t, std::uint64_t addr) = 0;
    virtual std::optional<std::string> entry(TaskId, std::uint64_t /*addr*/) { return std::nullopt; } // entry_string() of the last one read
    virtual std::optional<TlbInfo> tlb(TaskId) { return std::nullopt; }
    virtual std::string paging_levels(int) { return "not offered here"; } // before there is memory; why it is not so, or ""
    virtual long pin_pages(TaskId, std::uint64_t /*addr*/, std::uint64_t /*len*/, bool /*write*/) { return -ENOSYS; } // pages, or -errno
    // A BSD's pool of clusters, once; -ENOSYS where there is none to be had. Then n clusters side by side for a program.
    virtual long mbuf_pool_new(TaskId, std::uint32_t /*clusters*/) { return -ENOSYS; }
    virtual Memory clusters_take(TaskId, std::uint32_t /*n*/) { return {}; } // len 0: not as many are free
    virtual std::string packets_text() { return ""; }                       // of the card's queue
    virtual std::string fetched_text() { return ""; }                       // of the last packet fetched, "A x 1400"
    virtual long unpin_pages(TaskId, std::uint64_t /*addr*/, std::uint64_t /*len*/) { return -ENOSYS; }
};

} // namespace pipescope

// SPDX-License-Identifier: MIT
// The two programs, and the world they run in.
#include "sim/des/speed_test.hpp"
#include <stdexcept>

namespace pipescope {

Writer::Writer(int fd, const SpeedOptions& o, std::uint64_t buffer0, std::uint64_t buffer1)
    : buffers_{buffer0, buffer1}, size_(o.buf_size), two_(o.vmsplice) {
    if (o.vmsplice && o.same_buffer) size_ /= 2;
    call_.nr = o.vmsplice ? Sys::vmsplice : Sys::write;
    call_.fd = fd;
    call_.flags = o.vmsplice && o.busy_loop ? std::uint32_t{PS_SPLICE_F_NONBLOCK} : 0;
    call_.iov = {{buffer0, size_}};
}

const Call* Writer::next(long result) {
    IoVec& v = call_.iov[0];
    if (result > 0) v.addr += static_cast<std::uint64_t>(result), v.len -= static_cast<std::uint64_t>(result);
    if (result < 0 && result != -EAGAIN) return nullptr;
    if (v.len == 0) {
        if (two_) which_ ^= 1;
        v = {buffers_[which_], size_};
    }
    return &call_;
}

Reader::Reader(int fd, int null_fd, const SpeedOptions& o, std::uint64_t buffer, std::uint64_t bytes) : left_(bytes) {
    call_.nr = o.splice ? Sys::splice : Sys::read;
    call_.fd = fd;
    if (o.splice) call_.fd_out = null_fd, call_.len = o.buf_size, call_.flags = o.busy_loop ? std::uint32_t{PS_SPLICE_F_NONBLOCK} : 0;
    else call_.iov = {{buffer, o.buf_size}};
}

const Call* Reader::next(long result) {
    if (result > 0) left_ -= std::min(left_, static_cast<std::uint64_t>(result));
    return left_ && (result >= 0 || result == -EAGAIN) ? &call_ : nullptr;
}

const Call* SpeedPair::Warm::next(long result) {
    if (left_ > 0 && result > 0 && (left_ -= result) <= 0) engine_.forget();
    return inner_.next(result);
}

std::uint64_t SpeedPair::memory(TaskId t, const SpeedOptions& o, bool touch) {
    Kernel& k = engine_.kernel();
    const std::uint64_t unit = o.huge_page ? huge_size : page_size;
    const std::uint64_t len = (o.offset + o.buf_size + unit - 1) & ~(unit - 1);
    const std::uint64_t a = k.mmap(t, len, VMA_READ | VMA_WRITE | (o.huge_page ? std::uint32_t{VMA_HUGEPAGE} : 0), unit);
    if (touch && k.touch(t, a, len) != 0) throw std::logic_error("a buffer could not be touched");
    return a + o.offset;
}

SpeedPair::SpeedPair(EventSink& into, const Profile& profile, const SpeedOptions& o, std::uint64_t bytes, std::uint64_t warm_up, std::uint64_t seed)
    : engine_(into, profile, kernel_version(profile.kernel).value(), {.cpus = 2, .seed = seed, .preempt = false}) {
    Kernel& k = engine_.kernel();
    const auto process = [&](std::uint64_t pid, std::uint32_t cpu) {
        const MmId mm = k.mm_new();
        return k.task_new(0, mm, k.fdtable_new(), pid, cpu);
    };
    writer_task_ = process(4711, 0);
    reader_task_ = process(4712, 1);
    int fds[2];
    const std::uint32_t nonblock = o.busy_loop ? std::uint32_t{F_nonblock} : 0;
    const PipeId pipe = k.pipe_new(writer_task_, pipe_def_buffers, 0, o.vmsplice && o.splice ? 0 : nonblock, fds);
    // The reader's end goes to the reader's table of descriptors, as after fork() and two close().
    const FdTableId from = k.s.tasks[writer_task_].fds, to = k.s.tasks[reader_task_].fds;
    const FileId end = k.s.fdtables[from][static_cast<std::size_t>(fds[0])];
    k.emit(EventKind::fd_install, reader_task_, no_id, to, 3, end);
    k.emit(EventKind::fd_remove, writer_task_, no_id, from, static_cast<std::uint32_t>(fds[0]));
    k.emit(EventKind::file_put, writer_task_, no_id, end);
    const int null_fd = k.file_open(reader_task_, FileKind::null, F_write, no_id);
    if (o.vmsplice) k.emit(EventKind::ring_resize, writer_task_, pipe, static_cast<std::uint32_t>(o.buf_size / 2 / page_size)); // F_SETPIPE_SZ
    ring_bytes_ = std::uint64_t{k.s.pipes[pipe].ring_size} * page_size;

    const std::uint64_t b0 = memory(writer_task_, o, o.touch);
    const std::uint64_t b1 = !o.vmsplice ? b0 : o.same_buffer ? b0 + o.buf_size / 2 : memory(writer_task_, o, o.touch);
    const std::uint64_t rb = o.splice ? 0 : memory(reader_task_, o, true);
    writer_ = std::make_unique<Writer>(fds[1], o, b0, b1);
    reader_ = std::make_unique<Reader>(3, null_fd, o, rb, bytes + warm_up);
    warm_ = std::make_unique<Warm>(engine_, *reader_, warm_up);
    engine_.add(reader_task_, "read", *warm_, 0);
    engine_.add(writer_task_, "write", *writer_, 100'000); // the shell starts it first, but it has buffers to touch
}

bool SpeedPair::run() { return engine_.run(reader_task_); }

} // namespace pipescope

// SPDX-License-Identifier: MIT
// A bare kernel with one pipe; contents and the identity of pages do not matter here, so all memory is one piece.
#include "sim/beside/model_pipe.hpp"
#include <algorithm>
#include <csignal>

namespace pipescope {
namespace {

constexpr std::uint64_t memory_bytes = 1 << 20;

} // namespace

ModelPipe::ModelPipe(const KernelVersion& version, const Pipe& as) : kernel_(sink_, version) {
    kernel_.observe = false;
    kernel_.limits.cap_sys_resource = true; // what was granted is known from the results
    const MmId mm = kernel_.mm_new();
    const TaskId owner = kernel_.task_new(0, mm, kernel_.fdtable_new(), 1, 0);
    memory_ = kernel_.mmap(owner, memory_bytes, VMA_READ | VMA_WRITE, page_size);
    kernel_.touch(owner, memory_, memory_bytes);
    kernel_.emit(EventKind::pipe_new, owner, 0, as.ring_size);
    kernel_.emit(EventKind::pipe_counts, owner, 0, 1, 1, 2, 1, 1);
    kernel_.emit(EventKind::ring_begin, owner, 0, as.head, as.tail, as.ring_size, as.max_usage);
    for (std::uint32_t i = as.tail; i != as.head; ++i) {
        const PipeBuffer& b = as.bufs[as.slot(i)];
        const PageId page = kernel_.alloc_pages(owner, 0, b.ops == BufOps::user_page ? PageOwner::user : PageOwner::kernel);
        kernel_.emit(EventKind::ring_slot, owner, 0, as.slot(i), page, b.flags, std::uint64_t{b.offset} << 32 | b.len, static_cast<std::uint64_t>(b.ops));
    }
    kernel_.emit(EventKind::ring_end, owner, 0, 1, 1, no_id);
}

ModelPipe::~ModelPipe() {
    kernel_.quiet = true;
    calls_.clear();
}

TaskId ModelPipe::model_task(TaskId task) {
    const auto [it, fresh] = tasks_.try_emplace(task, no_id);
    if (fresh) it->second = kernel_.task_new(0, 0, kernel_.fdtable_new(), 2 + task, 0);
    return it->second;
}

int ModelPipe::fd(TaskId me, std::uint32_t flags) {
    const auto [it, fresh] = fds_.try_emplace({me, flags}, -1);
    if (fresh) it->second = kernel_.file_open(me, FileKind::pipe, flags, 0);
    return it->second;
}

// Long calls use the same memory over and over.
void ModelPipe::segments(Call& call, std::uint64_t offset, std::uint64_t len) const {
    while (len) {
        const std::uint64_t n = std::min(len, memory_bytes - offset);
        call.iov.push_back({memory_ + offset, n});
        len -= n, offset = 0;
    }
}

void ModelPipe::begin(const Event& enter, std::uint32_t file_flags, bool takes) {
    auto in = std::make_unique<Inside>();
    in->me = model_task(enter.task);
    in->takes = takes, in->asked = enter.y, in->order = order_++;
    Call& c = in->call;
    const auto sys = static_cast<Sys>(enter.a);
    c.fd = fd(in->me, (file_flags & (F_nonblock | F_direct)) | (takes ? F_read : F_write));
    c.flags = sys == Sys::vmsplice || sys == Sys::splice ? enter.c & PS_SPLICE_F_ALL : 0;
    if (takes && sys == Sys::splice) {
        c.nr = Sys::splice, c.len = enter.y;
        c.fd_out = kernel_.file_open(in->me, FileKind::null, F_write, no_id);
    } else {
        c.nr = takes ? sys == Sys::vmsplice ? Sys::vmsplice : Sys::readv : sys == Sys::vmsplice ? Sys::vmsplice : Sys::writev;
        segments(c, sys == Sys::vmsplice ? enter.x % page_size : 0, enter.y);
    }
    calls_[enter.task] = std::move(in);
}

bool ModelPipe::turn(TaskId task) {
    Inside& in = *calls_.at(task);
    if (in.over) return false;
    const Pipe& p = pipe();
    const std::uint32_t head = p.head, tail = p.tail;
    const std::uint64_t bytes = p.bytes();
    if (!in.begun) {
        in.begun = true;
        in.co = kernel_.syscall(in.me, in.call);
        in.co.start(in.thread);
    }
    in.thread.run();
    kernel_.woken.clear();
    if (in.thread.done()) in.over = true, in.result = in.co.result();
    return in.over || head != pipe().head || tail != pipe().tail || bytes != pipe().bytes();
}

bool ModelPipe::change_places(TaskId task, long result) {
    Inside& in = *calls_.at(task);
    for (auto& [other, o] : calls_)
        if (other != task && o->takes == in.takes && o->call.nr == in.call.nr && o->asked == in.asked && o->over && o->result == result) {
            std::swap(o, calls_.at(task));
            return true;
        }
    return false;
}

void ModelPipe::interrupt(TaskId task) {
    Inside& in = *calls_.at(task);
    if (!in.begun || in.over) return;
    kernel_.kill(in.me, SIGUSR1);
    turn(task);
}

bool ModelPipe::turn_of_side(bool takes, TaskId but) {
    std::vector<std::pair<std::uint64_t, TaskId>> in_order;
    for (const auto& [task, in] : calls_)
        if (in->takes == takes && task != but && !in->over) in_order.emplace_back(in->order, task);
    std::sort(in_order.begin(), in_order.end());
    for (const auto& [order, task] : in_order)
        if (turn(task)) return true;
    return false;
}

void ModelPipe::resize(std::uint64_t bytes) {
    const TaskId me = model_task(no_id);
    Call c;
    c.nr = Sys::fcntl_setpipe_sz, c.fd = fd(me, F_write), c.len = bytes;
    Thread t;
    Co<long> co = kernel_.syscall(me, c);
    co.start(t);
    t.run();
    kernel_.woken.clear();
}

void ModelPipe::ends(std::uint32_t readers, std::uint32_t writers) {
    const Pipe& p = pipe();
    if (p.readers == readers && p.writers == writers) return;
    kernel_.emit(EventKind::pipe_counts, 0, 0, readers, writers, p.files, p.r_counter, p.w_counter);
}

} // namespace pipescope

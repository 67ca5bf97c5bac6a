// SPDX-License-Identifier: MIT
// Records to events: tasks, programs, pipes and descriptors, told of when they are first met.
#include "sim/live/convert.hpp"
#include <algorithm>
#include <fcntl.h>
#include <fmt/format.h>

namespace pipescope {

RecordConverter::RecordConverter(
    const LiveFacts& facts, const FrameUsers& users, const RecordedWorld& world, StringTable& strings, std::uint64_t start_ns)
    : facts_(facts), users_(users), strings_(strings), source_(world.source), start_ns_(start_ns) {
    for (const RecordedTask& task : world.tasks) {
        const auto tid = static_cast<std::uint32_t>(task.pid);
        know(tid, tid, task.name);
        threads_[tid].task = next_task_++;
        Process& process = processes_[tid];
        process.id = next_process_++;
        if (world.slots) process.fds[task.fd] = {0, next_file_++};
    }
    if (!world.slots) return;
    if (world.to_null) ++next_file_;
    pipes_[world.address] = {0, world.inode};
    rings_.emplace_back();
}

void RecordConverter::know(std::uint32_t tid, std::uint32_t tgid, const std::string& name) {
    Thread& t = threads_[tid];
    t = Thread{};
    t.tid = tid, t.tgid = tgid, t.name = name;
}

Event& RecordConverter::emit(std::vector<Event>& out, EventKind kind, const Thread* t, PipeId pipe) {
    Event e;
    e.t_ns = now_ns_, e.kind = kind, e.pipe = pipe;
    if (t) e.task = t->task;
    out.push_back(e);
    return out.back();
}

void RecordConverter::note(const char* text, std::uint64_t x, std::uint64_t y, const Thread& t, std::vector<Event>& out) {
    Event& e = emit(out, EventKind::note, &t, t.pipe);
    e.a = strings_.intern(text), e.x = x, e.y = y;
}

TaskId RecordConverter::task_of(std::uint32_t tid) const {
    const auto t = threads_.find(tid);
    return t == threads_.end() ? no_id : t->second.task;
}

void RecordConverter::task_record(const rec_task& record, Thread& t, std::vector<Event>& out) {
    const auto comm = [&] { return std::string(record.comm, strnlen(record.comm, sizeof record.comm)); };
    switch (record.head.kind) {
    case rec_fork:
        if (t.task != no_id) {
            t.pipe = no_id;
            note(record.tgid == t.tgid ? thread_note : fork_note, record.other, 0, t, out);
        }
        know(record.other, record.tgid, comm()); // invalidates t
        return;
    case rec_exec: { // another program in the same process: its memory and its name are new, and so is the task
        const std::uint32_t old = t.tid;
        end_task(t, out);
        threads_.erase(old);
        know(record.other, record.tgid, comm());
        processes_.erase(record.tgid);
        return;
    }
    default: {
        const std::uint32_t tid = t.tid, tgid = t.tgid;
        end_task(t, out);
        threads_.erase(tid);
        if (std::none_of(threads_.begin(), threads_.end(), [&](const auto& other) { return other.second.tgid == tgid; })) processes_.erase(tgid);
        return;
    }
    }
}

void RecordConverter::become_task(Thread& t, std::uint32_t cpu, std::vector<Event>& out) {
    if (t.task != no_id) return;
    Process& process = processes_[t.tgid];
    if (process.id == no_id) {
        process.id = next_process_++;
        emit(out, EventKind::mm_new, nullptr, no_id).a = process.id;
        emit(out, EventKind::fdtable_new, nullptr, no_id).a = process.id;
    }
    t.task = next_task_++;
    Event& e = emit(out, EventKind::task_new, &t, no_id);
    e.a = strings_.intern(t.name), e.b = process.id, e.c = process.id, e.x = t.tid, e.y = cpu;
}

void RecordConverter::end_task(Thread& t, std::vector<Event>& out) {
    if (t.task == no_id) return;
    leave_waits(t, out);
    emit(out, EventKind::task_exit, &t, no_id);
}

// By address and inode: the memory of a pipe that is gone serves another one.
PipeId RecordConverter::pipe_at(const rec_call& call, std::vector<Event>& out) {
    KnownPipe& known = pipes_[call.info.pipe];
    if (known.id != no_id && known.ino == call.info.ino) return known.id;
    if (known.id != no_id) emit(out, EventKind::pipe_free, nullptr, known.id);
    const std::uint32_t size = call.info.has_ring ? call.ring.ring_size : 0;
    known = {static_cast<PipeId>(rings_.size()), call.info.ino};
    rings_.emplace_back();
    Event& e = emit(out, EventKind::pipe_new, nullptr, known.id);
    e.a = size && !(size & (size - 1)) ? size : pipe_def_buffers;
    e.b = strings_.intern(fmt::format("pipe:[{}]", known.ino)), e.x = known.ino;
    emit(out, EventKind::ring_source, nullptr, known.id).a = static_cast<std::uint32_t>(source_);
    return known.id;
}

void RecordConverter::use_fd(const rec_call_info& call, PipeId pipe, Thread& t, std::vector<Event>& out) {
    OpenFd& open = processes_[t.tgid].fds[call.fd];
    if (open.pipe == pipe) return;
    if (open.pipe != no_id) {
        close_fd(call.fd, t, out);
        return use_fd(call, pipe, t, out);
    }
    open = {pipe, next_file_++};
    const std::uint32_t mode = call.file_flags & O_ACCMODE;
    Event& file = emit(out, EventKind::file_new, nullptr, pipe);
    file.a = open.file, file.b = static_cast<std::uint32_t>(FileKind::pipe);
    file.c = (mode != O_WRONLY ? F_read : 0u) | (mode != O_RDONLY ? F_write : 0u) | (call.file_flags & O_NONBLOCK ? F_nonblock : 0u) |
             (call.file_flags & O_DIRECT ? F_direct : 0u);
    file.x = no_id;
    Event& fd = emit(out, EventKind::fd_install, &t, no_id);
    fd.a = processes_[t.tgid].id, fd.b = call.fd, fd.c = open.file;
}

void RecordConverter::close_fd(std::uint32_t fd, Thread& t, std::vector<Event>& out) {
    Process& process = processes_[t.tgid];
    const auto open = process.fds.find(fd);
    if (open == process.fds.end()) return;
    Event& e = emit(out, EventKind::fd_remove, &t, no_id);
    e.a = process.id, e.b = fd;
    emit(out, EventKind::file_put, &t, no_id).a = open->second.file;
    process.fds.erase(open);
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Records to events: calls, waits and wake-ups.
#include "sim/live/convert.hpp"
#include <algorithm>
#include <fcntl.h>
#include <sys/syscall.h>

namespace pipescope {

Sys sys_of_number(std::uint32_t nr) {
    switch (nr) {
    case SYS_read: return Sys::read;
    case SYS_write: return Sys::write;
    case SYS_readv:
    case SYS_preadv2: return Sys::readv;
    case SYS_writev:
    case SYS_pwritev2: return Sys::writev;
    case SYS_vmsplice: return Sys::vmsplice;
    case SYS_splice: return Sys::splice;
    case SYS_tee: return Sys::tee;
    case SYS_sendfile: return Sys::sendfile;
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6: return Sys::poll;
    case SYS_close: return Sys::close;
    case SYS_fcntl: return Sys::fcntl_setpipe_sz;
    case SYS_ioctl: return Sys::fionread;
    default: return Sys::none;
    }
}

namespace {

bool may_take(Sys s) { return s == Sys::read || s == Sys::readv || s == Sys::splice || s == Sys::vmsplice; }

// Asleep in one of these a task waits for the pipe and nothing else.
bool sleeps_for_pipe(Sys s) {
    return s == Sys::read || s == Sys::readv || s == Sys::write || s == Sys::writev || s == Sys::vmsplice || s == Sys::poll;
}

} // namespace

void RecordConverter::add(const rec_head& record, RecordPart part, std::vector<Event>& out) {
    const auto known = threads_.find(record.tid);
    if (known == threads_.end()) return;
    Thread& t = known->second;
    const auto at = [&](std::uint64_t t_ns) { // what a preempted program sent late is told at the time that the stream has reached
        if (t_ns > start_ns_) now_ns_ = std::max(now_ns_, t_ns - start_ns_);
    };
    if (part == RecordPart::lock_begin || part == RecordPart::lock_end) {
        const auto& call = reinterpret_cast<const rec_call_info&>(record);
        at(part == RecordPart::lock_begin ? call.lock_begin_ns : call.lock_end_ns);
        return part == RecordPart::lock_begin ? lock_begin(t, call.lock_flags, out) : lock_end(t, out);
    }
    if (part == RecordPart::enter) {
        at(reinterpret_cast<const rec_call_info&>(record).enter_ns);
        return call_record(reinterpret_cast<const rec_call&>(record), rec_enter, t, out);
    }
    at(record.t_ns);
    switch (record.kind) {
    case rec_fork:
    case rec_exec:
    case rec_gone: return task_record(reinterpret_cast<const rec_task&>(record), t, out);
    case rec_enter:
    case rec_exit:
    case rec_look:
    case rec_sample: return call_record(reinterpret_cast<const rec_call&>(record), static_cast<rec_kind>(record.kind), t, out);
    default: return wait_record(reinterpret_cast<const rec_small&>(record), t, out);
    }
}

// `kind`: which moment of the call it is about; a record of its exit may tell of its enter too.
void RecordConverter::call_record(const rec_call& record, rec_kind kind, Thread& t, std::vector<Event>& out) {
    const rec_call_info& call = record.info;
    if (kind == rec_exit && !t.in_call) return; // its enter record was lost, or the call began before the recording did
    // A program that only closes the ends it was born with has no part in what moves through the pipe.
    if (t.task == no_id && (call.nr == SYS_close || (kind == rec_look && !call.has_ring))) return;
    become_task(t, call.head.cpu, out);
    const PipeId pipe = pipe_at(record, out);
    if (kind == rec_look) {
        if (call.has_ring) ring(record.ring, pipe, t, out);
        return;
    }
    t.pipe = pipe;
    t.sys = sys_of_number(call.nr);
    const std::uint32_t mode = call.file_flags & O_ACCMODE;
    t.reads = mode == O_RDONLY || (mode == O_RDWR && may_take(t.sys));
    switch (kind) {
    case rec_enter: return enter(record, t, out);
    case rec_exit: return exit(record, t, out);
    default: return sample(record, t, out);
    }
}

void RecordConverter::lock_begin(Thread& t, std::uint32_t flags, std::vector<Event>& out) {
    constexpr std::uint32_t lcb_f_spin = 1;
    if (!t.in_call) return;
    const bool spins = flags & lcb_f_spin;
    if (!t.waits_for_lock) emit(out, EventKind::mutex_wait, &t, t.pipe).a = spins ? 1 : 2;
    t.waits_for_lock = true;
    run(t, spins ? RunState::lock_spin : RunState::lock_sleep, WaitFor::nothing, out);
}

void RecordConverter::lock_end(Thread& t, std::vector<Event>& out) {
    if (!t.in_call) return;
    if (t.waits_for_lock) emit(out, EventKind::mutex_leave, &t, t.pipe);
    t.waits_for_lock = false;
    run(t, RunState::running, WaitFor::nothing, out);
}

void RecordConverter::wait_record(const rec_small& small, Thread& t, std::vector<Event>& out) {
    if (!t.in_call) return;
    switch (small.head.kind) {
    case rec_lock_begin: return lock_begin(t, small.what, out);
    case rec_lock_end: return lock_end(t, out);
    case rec_off_cpu: return off_cpu(t, small.what, small.fill, out);
    case rec_on_cpu:
        if (t.queued) { // woken by something that was not seen, a signal for one
            emit(out, EventKind::wq_remove, &t, t.pipe).a = static_cast<std::uint32_t>(queue_of(t));
            t.queued = false;
        }
        return run(t, t.waits_for_lock ? RunState::lock_spin : RunState::running, WaitFor::nothing, out);
    case rec_waking:
        if (t.queued) {
            t.queued = false;
            t.run = RunState::runnable;
            Event& e = emit(out, EventKind::wake, nullptr, t.pipe);
            e.task = task_of(small.what);
            e.a = static_cast<std::uint32_t>(queue_of(t)), e.b = t.task;
        } else if (t.run == RunState::sleep || t.run == RunState::lock_sleep) {
            run(t, RunState::runnable, WaitFor::nothing, out);
        }
        return;
    default: return;
    }
}

void RecordConverter::run(Thread& t, RunState state, WaitFor wait_for, std::vector<Event>& out) {
    if (t.run == state) return;
    t.run = state;
    Event& e = emit(out, EventKind::run_state, &t, t.pipe);
    e.a = static_cast<std::uint32_t>(state), e.b = static_cast<std::uint32_t>(wait_for), e.c = source_ == RingSource::inferred;
}

void RecordConverter::off_cpu(Thread& t, std::uint32_t state, std::uint32_t fill, std::vector<Event>& out) {
    constexpr std::uint32_t interruptible = 1, uninterruptible = 2;
    const WaitFor wait_for = t.reads ? WaitFor::data : WaitFor::space;
    if (state & interruptible) {
        // A splice can also sleep in what is at its other side.
        const bool here = sleeps_for_pipe(t.sys) || fill == (t.reads ? fill_empty : fill_full);
        if (here && !t.queued && source_ != RingSource::inferred) {
            Event& e = emit(out, EventKind::wq_add, &t, t.pipe);
            e.a = static_cast<std::uint32_t>(queue_of(t)), e.b = t.sys != Sys::poll;
            t.queued = true;
        }
        run(t, RunState::sleep, here ? wait_for : WaitFor::nothing, out);
    } else if (state & uninterruptible) {
        run(t, t.waits_for_lock ? RunState::lock_sleep : RunState::sleep, WaitFor::nothing, out);
    } else {
        run(t, state ? RunState::sleep : RunState::runnable, WaitFor::nothing, out); // stopped, or preempted
    }
}

// A call that is over waits for nothing any more, whatever was lost of it.
void RecordConverter::leave_waits(Thread& t, std::vector<Event>& out) {
    if (t.waits_for_lock) emit(out, EventKind::mutex_leave, &t, t.pipe);
    if (t.queued) emit(out, EventKind::wq_remove, &t, t.pipe).a = static_cast<std::uint32_t>(queue_of(t));
    t.waits_for_lock = t.queued = false;
}

void RecordConverter::enter(const rec_call& record, Thread& t, std::vector<Event>& out) {
    const rec_call_info& call = record.info;
    leave_waits(t, out);
    use_fd(call, t.pipe, t, out);
    Event& e = emit(out, EventKind::sys_enter, &t, t.pipe);
    e.a = static_cast<std::uint32_t>(t.sys);
    e.b = call.fd, e.c = call.flags, e.x = call.addr, e.y = call.len;
    t.in_call = true;
    t.run = RunState::running;
    // A record of the exit has the ring of that moment, and of this one only what enter_* say.
    if (call.enter_known) ring_at_enter(call, t.pipe, t, out);
    else if (call.has_ring && call.head.kind == rec_enter) ring(record.ring, t.pipe, t, out);
}

void RecordConverter::exit(const rec_call& record, Thread& t, std::vector<Event>& out) {
    const rec_call_info& call = record.info;
    if (call.again) note(again_note, call.again, 0, t, out);
    if (call.pages) note(allocs_note, call.pages, call.allocs, t, out);
    if (call.faults) note(faults_note, call.faults, 0, t, out);
    if (call.slow) note(slow_note, call.slow, 0, t, out);
    for (int i = 0; i < stages_timed; ++i)
        if (call.stage_ns[i]) note(stage_notes[i], call.stage_ns[i], 0, t, out);
    leave_waits(t, out);
    if (call.has_ring) ring(record.ring, t.pipe, t, out); // before the exit: at the exit the ring is as the call left it
    Event& e = emit(out, EventKind::sys_exit, &t, t.pipe);
    e.a = static_cast<std::uint32_t>(t.sys);
    e.x = static_cast<std::uint64_t>(call.result);
    if (t.reads && may_take(t.sys) && call.result > 0) bytes_ += static_cast<std::uint64_t>(call.result);
    if (t.sys == Sys::close && call.result == 0) close_fd(call.fd, t, out);
    t.in_call = false;
    t.run = RunState::user;
}

// Of a sampled run only the ring is seen now and then; what came between is counted.
void RecordConverter::sample(const rec_call& record, Thread& t, std::vector<Event>& out) {
    const rec_call_info& call = record.info;
    use_fd(call, t.pipe, t, out);
    note(sample_note, call.calls, call.bytes, t, out);
    if (call.idle) note(idle_note, call.idle, 0, t, out);
    if (call.has_ring) ring(record.ring, t.pipe, t, out);
    if (t.reads) bytes_ += call.bytes;
}

} // namespace pipescope

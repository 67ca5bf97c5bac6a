// SPDX-License-Identifier: MIT
// Records to events: calls, rings, pages and their owners, waits and wake-ups.
#include "sim/live/convert.hpp"
#include <algorithm>
#include <sys/syscall.h>

namespace pipescope {

Sys sys_of_number(std::uint32_t nr) {
    switch (nr) {
    case SYS_read: return Sys::read;
    case SYS_write: return Sys::write;
    case SYS_readv: return Sys::readv;
    case SYS_writev: return Sys::writev;
    case SYS_vmsplice: return Sys::vmsplice;
    case SYS_splice: return Sys::splice;
    case SYS_tee: return Sys::tee;
    case SYS_poll: return Sys::poll;
    case SYS_close: return Sys::close;
    default: return Sys::none;
    }
}

RecordConverter::RecordConverter(
    const LiveFacts& facts, const FrameUsers& users, const RecordedWorld& world, StringTable& strings, std::uint64_t start_ns)
    : facts_(facts), users_(users), world_(world), strings_(strings), start_ns_(start_ns) {}

Event& RecordConverter::emit(std::vector<Event>& out, EventKind kind, TaskId task) {
    Event e;
    e.t_ns = now_ns_, e.kind = kind, e.task = task, e.pipe = 0;
    out.push_back(e);
    return out.back();
}

TaskId RecordConverter::task_of(std::uint32_t tid) const {
    for (TaskId t = 0; t < world_.tasks.size(); ++t)
        if (world_.tasks[t].pid == tid) return t;
    return no_id;
}

void RecordConverter::add(const rec_head& record, std::vector<Event>& out) {
    const TaskId task = task_of(record.tid);
    if (task == no_id) return;
    // A record that a preempted program sent late is told at the time that the stream has reached.
    if (record.t_ns > start_ns_) now_ns_ = std::max(now_ns_, record.t_ns - start_ns_);
    TaskNow& t = tasks_[task];
    const auto& call = reinterpret_cast<const rec_call&>(record); // of these two kinds only
    const auto& small = reinterpret_cast<const rec_small&>(record);
    if (record.kind == rec_enter) return enter(call, task, out);
    if (!t.in_call) return; // its enter record was lost, or the call began before the recording did
    constexpr std::uint32_t lcb_f_spin = 1;
    switch (record.kind) {
    case rec_exit: return exit(call, task, out);
    case rec_lock_begin: {
        const bool spins = small.what & lcb_f_spin;
        if (!t.waits_for_lock) emit(out, EventKind::mutex_wait, task).a = spins ? 1 : 2;
        t.waits_for_lock = true;
        return run(task, spins ? RunState::lock_spin : RunState::lock_sleep, WaitFor::nothing, out);
    }
    case rec_lock_end:
        if (t.waits_for_lock) emit(out, EventKind::mutex_leave, task);
        t.waits_for_lock = false;
        return run(task, RunState::running, WaitFor::nothing, out);
    case rec_off_cpu: return off_cpu(task, small.what, out);
    case rec_on_cpu:
        if (t.queued) { // woken by something that was not seen, a signal for one
            emit(out, EventKind::wq_remove, task).a = static_cast<std::uint32_t>(queue_of(task));
            t.queued = false;
        }
        return run(task, t.waits_for_lock ? RunState::lock_spin : RunState::running, WaitFor::nothing, out);
    case rec_waking:
        if (t.queued) {
            t.queued = false;
            t.run = RunState::runnable;
            Event& e = emit(out, EventKind::wake, task_of(small.what));
            e.a = static_cast<std::uint32_t>(queue_of(task)), e.b = task;
        } else if (t.run == RunState::sleep || t.run == RunState::lock_sleep) {
            run(task, RunState::runnable, WaitFor::nothing, out);
        }
        return;
    default: return;
    }
}

void RecordConverter::run(TaskId task, RunState state, WaitFor wait_for, std::vector<Event>& out) {
    if (tasks_[task].run == state) return;
    tasks_[task].run = state;
    Event& e = emit(out, EventKind::run_state, task);
    e.a = static_cast<std::uint32_t>(state), e.b = static_cast<std::uint32_t>(wait_for);
}

void RecordConverter::off_cpu(TaskId task, std::uint32_t state, std::vector<Event>& out) {
    constexpr std::uint32_t interruptible = 1, uninterruptible = 2;
    TaskNow& t = tasks_[task];
    if (state & interruptible) { // inside a pipe call nothing else sleeps so: the ring is full, or empty
        if (!t.queued) {
            Event& e = emit(out, EventKind::wq_add, task);
            e.a = static_cast<std::uint32_t>(queue_of(task)), e.b = 1;
        }
        t.queued = true;
        run(task, RunState::sleep, world_.tasks[task].reads ? WaitFor::data : WaitFor::space, out);
    } else if (state & uninterruptible) {
        run(task, t.waits_for_lock ? RunState::lock_sleep : RunState::sleep, WaitFor::nothing, out);
    } else {
        run(task, RunState::runnable, WaitFor::nothing, out);
    }
}

// A call that is over waits for nothing any more, whatever was lost of it.
void RecordConverter::leave_waits(TaskId task, std::vector<Event>& out) {
    TaskNow& t = tasks_[task];
    if (t.waits_for_lock) emit(out, EventKind::mutex_leave, task);
    if (t.queued) emit(out, EventKind::wq_remove, task).a = static_cast<std::uint32_t>(queue_of(task));
    t.waits_for_lock = t.queued = false;
}

void RecordConverter::enter(const rec_call& call, TaskId task, std::vector<Event>& out) {
    leave_waits(task, out);
    Event& e = emit(out, EventKind::sys_enter, task);
    e.a = static_cast<std::uint32_t>(sys_of_number(call.nr));
    e.b = call.fd, e.c = call.flags, e.x = call.addr, e.y = call.len;
    tasks_[task].in_call = true;
    tasks_[task].run = RunState::running;
    if (call.has_ring) ring(call.ring, task, out);
}

void RecordConverter::exit(const rec_call& call, TaskId task, std::vector<Event>& out) {
    if (call.again) {
        Event& e = emit(out, EventKind::note, task);
        e.a = strings_.intern(again_note);
        e.x = call.again;
    }
    leave_waits(task, out);
    if (call.has_ring) ring(call.ring, task, out); // before the exit: at the exit the ring is as the call left it
    Event& e = emit(out, EventKind::sys_exit, task);
    e.a = static_cast<std::uint32_t>(sys_of_number(call.nr));
    e.x = static_cast<std::uint64_t>(call.result);
    tasks_[task].in_call = false;
    tasks_[task].run = RunState::user;
}

void RecordConverter::ring(const bpf_ring& ring, TaskId task, std::vector<Event>& out) {
    ++snapshots_;
    const std::uint32_t filled = ring.head - ring.tail;
    const bool usable = ring.ring_size && !(ring.ring_size & (ring.ring_size - 1)) && filled <= ring.ring_size;
    const bool torn = ring.torn || !usable || ring.slots < filled; // the last: more slots than a record holds
    if (torn) ++torn_;
    if (!usable) return; // head and tail of two different moments say nothing at all

    std::vector<Event> now;
    now.reserve(ring.slots + 2);
    Event& begin = emit(now, EventKind::ring_begin, task);
    begin.a = ring.head, begin.b = ring.tail, begin.c = ring.ring_size;
    begin.x = ring.max_usage, begin.y = torn ? std::uint64_t{ring_torn} : 0;
    for (std::uint32_t i = 0; i < std::min(ring.slots, std::uint32_t{ring_window}); ++i) {
        const bpf_slot& s = ring.slot[i];
        const PageId id = page(s, task, out);
        Event& e = emit(now, EventKind::ring_slot, task);
        e.a = (ring.tail + i) & (ring.ring_size - 1), e.b = id, e.c = s.flags;
        e.x = std::uint64_t{s.offset} << 32 | s.len;
        e.y = static_cast<std::uint64_t>(facts_.ops_at(s.ops));
    }
    Event& end = emit(now, EventKind::ring_end, task);
    end.a = ring.readers, end.b = ring.writers, end.c = ring.owner_tid ? task_of(ring.owner_tid) : no_id;

    // Most calls begin with the ring that the last one left: it is told once.
    const auto same = [](const Event& x, const Event& y) {
        return x.kind == y.kind && x.a == y.a && x.b == y.b && x.c == y.c && x.x == y.x && x.y == y.y;
    };
    if (now.size() == last_ring_.size() && std::equal(now.begin(), now.end(), last_ring_.begin(), same)) return;
    out.insert(out.end(), now.begin(), now.end());
    last_ring_ = std::move(now);
}

// By what is known, in this order: the frame is the zero page, or one that a task has in its buffer, or the kind of slot
// says whose it is. A page of user memory that nobody claims stays unknown.
PageOwner RecordConverter::owner_of(std::uint64_t pfn, BufOps ops) const {
    if (pfn && pfn == facts_.zero_pfn) return PageOwner::zero;
    if (pfn && users_.contains(pfn)) return PageOwner::user;
    switch (ops) {
    case BufOps::anon:
    case BufOps::default_: return PageOwner::kernel;
    case BufOps::page_cache: return PageOwner::page_cache;
    case BufOps::nosteal: return PageOwner::socket;
    case BufOps::zero: return PageOwner::zero;
    default: return PageOwner::unknown;
    }
}

PageId RecordConverter::page(const bpf_slot& slot, TaskId task, std::vector<Event>& out) {
    if (!slot.page) return no_page;
    const std::uint64_t pfn = facts_.pfn_of(slot.page);
    const PageOwner owner = owner_of(pfn, facts_.ops_at(slot.ops));
    Known& known = pages_[slot.page];
    if (known.id == no_page) known.id = owner == PageOwner::zero ? zero_page : next_page_++;
    if (known.owner == owner && known.refcount == slot.refcount && known.order == slot.order && known.flags == slot.page_flags) return known.id;

    const bool claimed = known.owner != PageOwner::user && owner == PageOwner::user;
    known.owner = owner, known.refcount = slot.refcount, known.order = slot.order, known.flags = slot.page_flags;
    const bool by_frame = owner == PageOwner::user || (owner == PageOwner::zero && pfn == facts_.zero_pfn);
    Event& e = emit(out, EventKind::page_seen, task);
    e.a = known.id, e.b = static_cast<std::uint32_t>(slot.refcount);
    e.c = static_cast<std::uint32_t>(owner) | std::uint32_t{slot.order} << 8 | std::uint32_t{seen_by_bpf} << 16;
    if (by_frame) e.c |= std::uint32_t{seen_by_pfn} << 16;
    e.x = pfn, e.y = slot.page_flags;
    if (claimed) {
        const FrameUser& user = users_.at(pfn);
        Event& u = emit(out, EventKind::page_user, task);
        u.a = known.id, u.b = user.task, u.c = user.index, u.x = user.address;
    }
    return known.id;
}

} // namespace pipescope

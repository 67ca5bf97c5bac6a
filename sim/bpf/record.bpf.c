// SPDX-License-Identifier: Dual MIT/GPL
// The recorder: every system call of recorded tasks on any pipe, with the pipe's ring, and their waits inside it.
#include "record_task.h"
#include <asm/unistd_64.h>

char LICENSE[] SEC("license") = "Dual MIT/GPL";

enum { EAGAIN_ = 11, iov_looked_at = 8, fds_looked_at = 16, fcntl_setpipe_sz = 1031, ioctl_fionread = 0x541b };

// The ring that was sent last of each pipe, by ring_mark(); pipes share places, which costs a ring sent once more.
enum { mark_places = 1024 };
__u64 last_mark[mark_places];

static __always_inline __u64* mark_place(__u64 pipe) { return &last_mark[(pipe * 0x9e3779b97f4a7c15ull >> 48) & (mark_places - 1)]; }

static __always_inline void send_call(struct rec_call* call, __u32 slots) {
    __u64 size = sizeof call->info;
    if (call->info.has_ring)
        size = __builtin_offsetof(struct rec_call, ring.slot) + (__u64)(slots > ring_window ? ring_window : slots) * sizeof(struct bpf_slot);
    if (bpf_ringbuf_output(&records, call, size, BPF_RB_NO_WAKEUP)) {
        __sync_fetch_and_add(&records_lost, 1);
        *mark_place(call->info.pipe) = 0; // the next one sends its ring again
    }
}

// With the ring, unless it is the one that was sent last: a call mostly begins where another one ended.
static __always_inline void send_with_ring(struct rec_call* call) {
    __u64* last = mark_place(call->info.pipe);
    const __u64 mark = ring_mark(call->info.pipe, direct_loads);
    call->info.has_ring = mark != *last;
    if (!call->info.has_ring) return send_call(call, 0);
    read_ring_by(&call->ring, call->info.pipe, 0, direct_loads, !have_loop);
    *last = call->ring.torn ? 0 : mark;
    send_call(call, call->ring.slots);
}

// Room to put a record together: one of each program and CPU, since no program runs twice at a time on a CPU.
static __always_inline struct rec_call* room_for(__u32 program) {
    const __u32 at = bpf_get_smp_processor_id() * rooms_of_cpu + program;
    return bpf_map_lookup_elem(&rooms, &at);
}

static __always_inline void send_state(struct recorded_task* t, __u32 kind, __u32 program, bool with_ring) {
    struct rec_call* call = room_for(program);
    if (!call) return;
    if (t->other) {
        call->info = (struct rec_call_info){};
        set_head(&call->info.head, rec_look, t->call.head.tid, t->call.head.t_ns);
        call->info.pipe = t->other;
        call->info.ino = t->other_ino;
        call->info.fd = t->other_fd;
        send_with_ring(call);
    }
    call->info = t->call;
    call->info.head.kind = (__u16)kind;
    call->info.has_ring = 0;
    if (with_ring) send_with_ring(call);
    else send_call(call, 0);
}

struct iovec_ {
    __u64 base, len;
};
static __always_inline void look_at_iov(struct rec_call_info* call, __u64 iov, __u64 n) {
    for (__u32 i = 0; i < iov_looked_at && i < n; ++i) {
        struct iovec_ v = {};
        if (bpf_probe_read_user(&v, sizeof v, (void*)(iov + i * sizeof v))) return;
        if (i == 0) call->addr = v.base;
        call->len += v.len;
    }
}

// poll: the first pipe among the first descriptors, and what is awaited of it.
static __always_inline struct pipe_at look_at_pollfds(struct task_struct* task, struct rec_call_info* call, __u64 at, __u64 n) {
    struct pipe_at found = {};
#pragma clang loop unroll(disable)
    for (__u32 i = 0; i < fds_looked_at && i < n; ++i) {
        __u64 pollfd = ~0ull; // fd and the events wanted
        if (bpf_probe_read_user(&pollfd, sizeof pollfd, (void*)(at + i * sizeof pollfd))) break;
        found = pipe_at_fd(task, (__u32)pollfd, direct_loads);
        if (!found.pipe) continue;
        call->fd = (__u32)pollfd, call->flags = (__u32)(pollfd >> 32) & 0xffff;
        break;
    }
    return found;
}

// select: the same among descriptors below 64; POLLIN, POLLOUT.
static __always_inline struct pipe_at look_at_sets(struct task_struct* task, struct rec_call_info* call, __u64 nfds, __u64 in, __u64 out) {
    struct pipe_at found = {};
    __u64 set[2] = {};
    if (in) bpf_probe_read_user(&set[0], sizeof set[0], (void*)in);
    if (out) bpf_probe_read_user(&set[1], sizeof set[1], (void*)out);
#pragma clang loop unroll(disable)
    for (__u32 fd = 0; fd < 64 && fd < nfds; ++fd) {
        if (!((set[0] | set[1]) >> fd & 1)) continue;
        found = pipe_at_fd(task, fd, direct_loads);
        if (!found.pipe) continue;
        call->fd = fd, call->flags = (set[0] >> fd & 1 ? 1 : 0) | (set[1] >> fd & 1 ? 4 : 0);
        break;
    }
    return found;
}

SEC("tp_btf/sys_enter") int enter(unsigned long long* ctx) {
    struct task_struct* task = bpf_get_current_task_btf();
    struct recorded_task* t = recorded_of(task);
    if (!t) return 0;
    const struct pt_regs___call* regs = (void*)ctx[0];
    const __u32 nr = (__u32)ctx[1];
    struct rec_call_info* call = &t->call;
    call->addr = call->len = call->flags = 0;
    t->in_call = 0;
    struct pipe_at at = {}, other = {};
    __u32 fd = ~0u, other_fd = ~0u;
    switch (nr) {
    case __NR_read:
    case __NR_write: fd = (__u32)regs->di, call->addr = regs->si, call->len = regs->dx; break;
    case __NR_readv:
    case __NR_writev:
    case __NR_preadv2:
    case __NR_pwritev2: // their flags come after the offset's two halves
        fd = (__u32)regs->di;
        if (nr == __NR_preadv2 || nr == __NR_pwritev2) call->flags = (__u32)regs->r9;
        break;
    case __NR_vmsplice: fd = (__u32)regs->di, call->flags = (__u32)regs->r10; break;
    case __NR_splice: fd = (__u32)regs->di, other_fd = (__u32)regs->dx, call->len = regs->r8, call->flags = (__u32)regs->r9; break;
    case __NR_tee: fd = (__u32)regs->di, other_fd = (__u32)regs->si, call->len = regs->dx, call->flags = (__u32)regs->r10; break;
    case __NR_sendfile: fd = (__u32)regs->di, call->len = regs->r10; break;
    case __NR_poll:
    case __NR_ppoll:
        call->len = regs->dx;
        at = look_at_pollfds(task, call, regs->di, regs->si);
        break;
    case __NR_select:
    case __NR_pselect6: at = look_at_sets(task, call, regs->di, regs->si, regs->dx); break;
    case __NR_close: fd = (__u32)regs->di; break;
    case __NR_fcntl:
        if ((__u32)regs->si != fcntl_setpipe_sz) return 0;
        fd = (__u32)regs->di, call->len = regs->dx;
        break;
    case __NR_ioctl:
        if ((__u32)regs->si != ioctl_fionread) return 0;
        fd = (__u32)regs->di;
        break;
    default: return 0;
    }
    if (fd != ~0u) {
        at = pipe_at_fd(task, fd, direct_loads);
        call->fd = fd;
    }
    if (other_fd != ~0u) other = pipe_at_fd(task, other_fd, direct_loads);
    if (!at.pipe) { // a splice into a pipe from something else
        at = other;
        other.pipe = 0;
        if (other_fd != ~0u) call->fd = other_fd;
    }
    if (!at.pipe) return 0;
    if (nr == __NR_readv || nr == __NR_writev || nr == __NR_preadv2 || nr == __NR_pwritev2 || nr == __NR_vmsplice)
        look_at_iov(call, regs->si, regs->dx);
    call->nr = nr;
    call->again = 0;
    call->result = 0;
    call->pipe = at.pipe, call->ino = at.ino, call->file_flags = at.file_flags;
    call->allocs = call->pages = call->faults = call->slow = 0;
    set_head(&call->head, rec_enter, (__u32)task->pid, bpf_ktime_get_ns());
    t->other = other.pipe, t->other_ino = other.ino, t->other_fd = other_fd;
    t->in_call = 1;
    t->contended = 0;
    t->held = t->again > 0;
    t->held_begin = t->held_end = 0;
    if (!t->held) send_state(t, rec_enter, 0, true);
    return 0;
}

SEC("tp_btf/sys_exit") int exit_(unsigned long long* ctx) {
    struct recorded_task* t = recorded_of(bpf_get_current_task_btf());
    if (!t || !t->in_call) return 0;
    const __u64 now = bpf_ktime_get_ns();
    const __s64 result = (__s64)ctx[1];
    struct rec_call_info* call = &t->call;
    t->in_call = 0;
    if (t->held) {
        if (result == -EAGAIN_) {
            ++t->again;
            return 0;
        }
        const __u64 other = t->other;
        t->other = 0;
        send_state(t, rec_enter, 1, false);
        t->other = other;
        if (t->held_begin) {
            send_small(rec_lock_begin, call->head.tid, 1, 0, t->held_begin);
            send_small(rec_lock_end, call->head.tid, 0, 0, t->held_end ? t->held_end : now);
        }
        t->held = 0;
    }
    call->again = t->again ? t->again - 1 : 0; // the first of the row was sent
    t->again = result == -EAGAIN_;
    call->result = result;
    set_head(&call->head, rec_exit, call->head.tid, now);
    send_state(t, rec_exit, 1, true);
    return 0;
}

// Arguments: the lock, flags. Only a recorded task inside a pipe call has a state to look at; the mutex lies first in the
// pipe, and every other lock it may wait for there is of no interest here.
SEC("tp_btf/contention_begin") int lock_begin(unsigned long long* ctx) {
    struct recorded_task* t = recorded_of(bpf_get_current_task_btf());
    if (!t || !t->in_call || ctx[0] != t->call.pipe + bpf_core_field_offset(struct pipe_inode_info, mutex)) return 0;
    t->contended = 1;
    const __u64 now = bpf_ktime_get_ns();
    if (!t->held) send_small(rec_lock_begin, t->call.head.tid, (__u32)ctx[1], 0, now);
    else if (!t->held_begin) t->held_begin = now;
    return 0;
}

SEC("tp_btf/contention_end") int lock_end(unsigned long long* ctx) {
    struct recorded_task* t = recorded_of(bpf_get_current_task_btf());
    if (!t || !t->in_call || !t->contended || ctx[0] != t->call.pipe + bpf_core_field_offset(struct pipe_inode_info, mutex)) return 0;
    t->contended = 0;
    const __u64 now = bpf_ktime_get_ns();
    if (!t->held) send_small(rec_lock_end, t->call.head.tid, 0, 0, now);
    else t->held_end = now;
    return 0;
}

static __always_inline __u32 state_of(struct task_struct* task) {
    if (bpf_core_field_exists(struct task_struct___new, __state)) return BPF_CORE_READ((struct task_struct___new*)task, __state);
    return (__u32)BPF_CORE_READ((struct task_struct___old*)task, state);
}

static __always_inline __u32 fill_of(__u64 pipe) {
    const bool direct = direct_loads;
    const __u32 n = PIPE_U32(pipe, head) - PIPE_U32(pipe, tail);
    return n == 0 ? fill_empty : n >= PIPE_U32(pipe, max_usage) ? fill_full : fill_part;
}

// Arguments: preempted, previous task, next task, and from 5.18 on the previous one's state.
SEC("tp_btf/sched_switch") int sched_switch(unsigned long long* ctx) {
    const __u64 now = bpf_ktime_get_ns();
    struct task_struct* prev = (void*)ctx[1];
    struct task_struct* next = (void*)ctx[2];
    struct recorded_task* t = recorded_of(prev);
    if (t && t->in_call && !t->held) {
        const __u32 state = ctx[0] ? 0 : switch_state ? (__u32)ctx[3] : state_of(prev);
        send_small(rec_off_cpu, (__u32)prev->pid, state, fill_of(t->call.pipe), now);
    }
    t = recorded_of(next);
    if (t && t->in_call && !t->held) send_small(rec_on_cpu, (__u32)next->pid, 0, 0, now);
    return 0;
}

SEC("tp_btf/sched_waking") int sched_waking(unsigned long long* ctx) {
    struct task_struct* woken = (void*)ctx[0];
    struct recorded_task* t = recorded_of(woken);
    if (!t || !t->in_call || t->held) return 0;
    struct task_struct* waker = bpf_get_current_task_btf();
    send_small(rec_waking, (__u32)woken->pid, (__u32)waker->pid, 0, bpf_ktime_get_ns());
    return 0;
}

// What happens inside a call and is counted with it: a record of each would cost more than the thing itself.
SEC("tp_btf/mm_page_alloc") int page_alloc(unsigned long long* ctx) { // the page, its order
    struct recorded_task* t = recorded_of(bpf_get_current_task_btf());
    if (!t || !t->in_call) return 0;
    ++t->call.allocs;
    t->call.pages += 1u << (ctx[1] & 31);
    return 0;
}
SEC("tp_btf/page_fault_kernel") int page_fault(unsigned long long* ctx) {
    struct recorded_task* t = recorded_of(bpf_get_current_task_btf());
    if (t && t->in_call) ++t->call.faults;
    return 0;
}
SEC("tp_btf/mmap_lock_start_locking") int mmap_lock(unsigned long long* ctx) { // get_user_pages_fast went the slow way
    struct recorded_task* t = recorded_of(bpf_get_current_task_btf());
    if (t && t->in_call) ++t->call.slow;
    return 0;
}

static __always_inline void send_task(__u32 kind, struct task_struct* of, struct task_struct* task) {
    struct rec_task record = {};
    set_head(&record.head, kind, (__u32)of->pid, bpf_ktime_get_ns());
    record.other = (__u32)task->pid;
    record.tgid = (__u32)task->tgid;
    bpf_probe_read_kernel(record.comm, sizeof record.comm, &task->comm);
    if (bpf_ringbuf_output(&records, &record, sizeof record, BPF_RB_NO_WAKEUP)) __sync_fetch_and_add(&records_lost, 1);
}

SEC("tp_btf/sched_process_fork") int fork_(unsigned long long* ctx) { // parent, child: not yet running
    struct task_struct* parent = (void*)ctx[0];
    struct task_struct* child = (void*)ctx[1];
    if (!recorded_of(parent)) return 0;
    bool known = false;
    if (by_tid) {
        const __u32 tid = (__u32)child->pid, zero = 0;
        struct recorded_task* fresh = bpf_map_lookup_elem(&fresh_task, &zero);
        known = fresh && bpf_map_update_elem(&recorded_tids, &tid, fresh, BPF_ANY) == 0;
    } else {
        known = bpf_task_storage_get(&recorded, child, 0, BPF_LOCAL_STORAGE_GET_F_CREATE) != 0;
    }
    if (!known) __sync_fetch_and_add(&tasks_missed, 1);
    else send_task(rec_fork, parent, child);
    return 0;
}
SEC("tp_btf/sched_process_exec") int exec_(unsigned long long* ctx) {
    struct task_struct* task = (void*)ctx[0];
    if (recorded_of(task)) send_task(rec_exec, task, task);
    return 0;
}
SEC("tp_btf/sched_process_exit") int gone(unsigned long long* ctx) {
    struct task_struct* task = (void*)ctx[0];
    if (!recorded_of(task)) return 0;
    send_task(rec_gone, task, task);
    if (by_tid) {
        const __u32 tid = (__u32)task->pid;
        bpf_map_delete_elem(&recorded_tids, &tid);
    }
    return 0;
}

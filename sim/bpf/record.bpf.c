// SPDX-License-Identifier: Dual MIT/GPL
// The recorder: every system call of recorded tasks on one pipe, with the pipe's ring, and their waits inside it.
#include "snapshot.h"
#include <asm/unistd_64.h>

char LICENSE[] SEC("license") = "Dual MIT/GPL";

enum { EAGAIN_ = 11, ring_buffer_bytes = 64 << 20, iov_looked_at = 8 };

// Filled in by the recorder before the programs are attached.
const volatile __u64 recorded_pipe = 0; // address of the pipe_inode_info

__u64 records_lost = 0; // the ring buffer was full, or busy under an interrupted writer of it
__u64 last_mark = 0;    // of the ring sent last

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, ring_buffer_bytes);
} records SEC(".maps");

// One per recorded task, put there by the recorder: a task without one costs a failed look-up. The record lies in it and
// not on a CPU's scratch space, since another recorded task may run on this CPU before it is sent.
struct recorded_task {
    __u32 in_call;
    __u32 again;                // EAGAIN results in a row
    __u32 held;                 // the enter record was not sent: in such a row only a different result is worth showing
    __u32 contended;            // between contention_begin and contention_end of the pipe's mutex
    __u64 held_begin, held_end; // its wait for the mutex meanwhile
    struct rec_call call;
};
struct {
    __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, int);
    __type(value, struct recorded_task);
} recorded SEC(".maps");

static __always_inline struct recorded_task* recorded_of(struct task_struct* task) { return bpf_task_storage_get(&recorded, task, 0, 0); }

static __always_inline void set_head(struct rec_head* head, __u32 kind, __u32 tid, __u64 t_ns) {
    head->t_ns = t_ns;
    head->tid = tid;
    head->kind = (__u16)kind;
    head->cpu = (__u16)bpf_get_smp_processor_id();
}

static __always_inline void send_small(__u32 kind, __u32 tid, __u32 what, __u64 t_ns) {
    struct rec_small small = {};
    set_head(&small.head, kind, tid, t_ns);
    small.what = what;
    if (bpf_ringbuf_output(&records, &small, sizeof small, BPF_RB_NO_WAKEUP)) __sync_fetch_and_add(&records_lost, 1);
}

static __always_inline void send_call(struct rec_call* call, __u32 slots) {
    const __u64 size = __builtin_offsetof(struct rec_call, ring.slot) + (__u64)(slots > ring_window ? ring_window : slots) * sizeof(struct bpf_slot);
    if (bpf_ringbuf_output(&records, call, size, BPF_RB_NO_WAKEUP)) {
        __sync_fetch_and_add(&records_lost, 1);
        last_mark = 0; // the next one sends its ring again
    }
}

// With the ring, unless it is the one that was sent last: a call mostly begins where another one ended.
static __always_inline void send_call_and_ring(struct rec_call* call, bool direct) {
    const __u64 mark = ring_mark(recorded_pipe, direct);
    call->has_ring = mark != last_mark;
    if (!call->has_ring) return send_call(call, 0);
    read_ring(&call->ring, recorded_pipe, 0, direct);
    last_mark = call->ring.torn ? 0 : mark;
    send_call(call, call->ring.slots);
}

struct iovec_ {
    __u64 base, len;
};
static __always_inline void look_at_iov(struct rec_call* call, __u64 iov, __u64 n) {
    for (__u32 i = 0; i < iov_looked_at && i < n; ++i) {
        struct iovec_ v = {};
        if (bpf_probe_read_user(&v, sizeof v, (void*)(iov + i * sizeof v))) return;
        if (i == 0) call->addr = v.base;
        call->len += v.len;
    }
}

static __always_inline int on_enter(unsigned long long* ctx, bool direct) {
    struct task_struct* task = bpf_get_current_task_btf();
    struct recorded_task* t = recorded_of(task);
    if (!t) return 0;
    const struct pt_regs___call* regs = (void*)ctx[0];
    const __u32 nr = (__u32)ctx[1];
    struct rec_call* call = &t->call;
    call->addr = call->len = call->flags = 0;
    __u32 other = ~0u; // a second descriptor that may be the pipe
    switch (nr) {
    case __NR_read:
    case __NR_write: call->fd = (__u32)regs->di, call->addr = regs->si, call->len = regs->dx; break;
    case __NR_readv:
    case __NR_writev:
        call->fd = (__u32)regs->di;
        look_at_iov(call, regs->si, regs->dx);
        break;
    case __NR_vmsplice:
        call->fd = (__u32)regs->di, call->flags = (__u32)regs->r10;
        look_at_iov(call, regs->si, regs->dx);
        break;
    case __NR_splice: call->fd = (__u32)regs->di, other = (__u32)regs->dx, call->len = regs->r8, call->flags = (__u32)regs->r9; break;
    case __NR_tee: call->fd = (__u32)regs->di, other = (__u32)regs->si, call->len = regs->dx, call->flags = (__u32)regs->r10; break;
    case __NR_poll: {
        __u64 pollfd = ~0ull; // fd and the events wanted
        bpf_probe_read_user(&pollfd, sizeof pollfd, (void*)regs->di);
        call->fd = (__u32)pollfd, call->flags = (__u32)(pollfd >> 32), call->len = regs->dx;
        break;
    }
    case __NR_close: call->fd = (__u32)regs->di; break;
    default: return 0;
    }
    if (pipe_of_fd(task, call->fd, direct) != recorded_pipe) {
        if (other == ~0u || pipe_of_fd(task, other, direct) != recorded_pipe) return 0;
        call->fd = other;
    }
    call->nr = nr;
    call->again = 0;
    call->result = 0;
    set_head(&call->head, rec_enter, (__u32)task->pid, bpf_ktime_get_ns());
    t->in_call = 1;
    t->contended = 0;
    t->held = t->again > 0;
    t->held_begin = t->held_end = 0;
    if (!t->held) send_call_and_ring(call, direct);
    return 0;
}

static __always_inline int on_exit(unsigned long long* ctx, bool direct) {
    struct task_struct* task = bpf_get_current_task_btf();
    struct recorded_task* t = recorded_of(task);
    if (!t || !t->in_call) return 0;
    const __u64 now = bpf_ktime_get_ns();
    const __s64 result = (__s64)ctx[1];
    struct rec_call* call = &t->call;
    t->in_call = 0;
    if (t->held) {
        if (result == -EAGAIN_) {
            ++t->again;
            return 0;
        }
        call->has_ring = 0;
        send_call(call, 0);
        if (t->held_begin) {
            send_small(rec_lock_begin, call->head.tid, 1, t->held_begin);
            send_small(rec_lock_end, call->head.tid, 0, t->held_end ? t->held_end : now);
        }
        t->held = 0;
    }
    call->again = t->again ? t->again - 1 : 0; // the first of the row was sent
    t->again = result == -EAGAIN_;
    call->result = result;
    set_head(&call->head, rec_exit, call->head.tid, now);
    send_call_and_ring(call, direct);
    return 0;
}

SEC("tp_btf/sys_enter") int enter_direct(unsigned long long* ctx) { return on_enter(ctx, true); }
SEC("tp_btf/sys_enter") int enter_probed(unsigned long long* ctx) { return on_enter(ctx, false); }
SEC("tp_btf/sys_exit") int exit_direct(unsigned long long* ctx) { return on_exit(ctx, true); }
SEC("tp_btf/sys_exit") int exit_probed(unsigned long long* ctx) { return on_exit(ctx, false); }

// Arguments: the lock, flags. Only a recorded task inside a pipe call has a state to look at; the mutex lies first in the
// pipe, and every other lock it may wait for there is of no interest here.
SEC("tp_btf/contention_begin") int lock_begin(unsigned long long* ctx) {
    struct recorded_task* t = recorded_of(bpf_get_current_task_btf());
    if (!t || !t->in_call || ctx[0] != recorded_pipe + bpf_core_field_offset(struct pipe_inode_info, mutex)) return 0;
    t->contended = 1;
    const __u64 now = bpf_ktime_get_ns();
    if (!t->held) send_small(rec_lock_begin, t->call.head.tid, (__u32)ctx[1], now);
    else if (!t->held_begin) t->held_begin = now;
    return 0;
}

SEC("tp_btf/contention_end") int lock_end(unsigned long long* ctx) {
    struct recorded_task* t = recorded_of(bpf_get_current_task_btf());
    if (!t || !t->in_call || !t->contended || ctx[0] != recorded_pipe + bpf_core_field_offset(struct pipe_inode_info, mutex)) return 0;
    t->contended = 0;
    const __u64 now = bpf_ktime_get_ns();
    if (!t->held) send_small(rec_lock_end, t->call.head.tid, 0, now);
    else t->held_end = now;
    return 0;
}

// Arguments from 5.18 on: preempted, previous task, next task, the previous one's state.
SEC("tp_btf/sched_switch") int sched_switch(unsigned long long* ctx) {
    const __u64 now = bpf_ktime_get_ns();
    struct task_struct* prev = (void*)ctx[1];
    struct task_struct* next = (void*)ctx[2];
    struct recorded_task* t = recorded_of(prev);
    if (t && t->in_call && !t->held) send_small(rec_off_cpu, (__u32)prev->pid, ctx[0] ? 0 : (__u32)ctx[3], now);
    t = recorded_of(next);
    if (t && t->in_call && !t->held) send_small(rec_on_cpu, (__u32)next->pid, 0, now);
    return 0;
}

SEC("tp_btf/sched_waking") int sched_waking(unsigned long long* ctx) {
    struct task_struct* woken = (void*)ctx[0];
    struct recorded_task* t = recorded_of(woken);
    if (!t || !t->in_call || t->held) return 0;
    struct task_struct* waker = bpf_get_current_task_btf();
    send_small(rec_waking, (__u32)woken->pid, (__u32)waker->pid, bpf_ktime_get_ns());
    return 0;
}

// SPDX-License-Identifier: Dual MIT/GPL
// What happens to a recorded task inside a call on a pipe: lock, sleep, wake-up, pages.
#pragma once
#include "record_send.h"

// Arguments: the lock, flags. Only a recorded task inside a pipe call has a state to look at; the mutex lies first in the
// pipe, and every other lock it may wait for there is of no interest here.
SEC("tp_btf/contention_begin") int lock_begin(unsigned long long* ctx) {
    struct recorded_task* t = recorded_current();
    if (!t || !t->in_call || ctx[0] != t->call.pipe + bpf_core_field_offset(struct pipe_inode_info, mutex)) return 0;
    t->contended = 1;
    const __u64 now = bpf_ktime_get_ns();
    if (t->held && !t->call.lock_begin_ns) {
        t->call.lock_begin_ns = now;
        t->call.lock_flags = (__u32)ctx[1];
        return 0;
    }
    send_held(t); // one wait has room in the record of the call
    send_small(rec_lock_begin, t->call.head.tid, (__u32)ctx[1], 0, now);
    return 0;
}

SEC("tp_btf/contention_end") int lock_end(unsigned long long* ctx) {
    struct recorded_task* t = recorded_current();
    if (!t || !t->in_call || !t->contended || ctx[0] != t->call.pipe + bpf_core_field_offset(struct pipe_inode_info, mutex)) return 0;
    t->contended = 0;
    const __u64 now = bpf_ktime_get_ns();
    if (t->held) t->call.lock_end_ns = now;
    else send_small(rec_lock_end, t->call.head.tid, 0, 0, now);
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
    if (t && t->in_call) {
        send_held(t);
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
    send_small(rec_waking, (__u32)woken->pid, (__u32)bpf_get_current_pid_tgid(), 0, bpf_ktime_get_ns());
    return 0;
}

// What happens inside a call and is counted with it: a record of each would cost more than the thing itself.
SEC("tp_btf/mm_page_alloc") int page_alloc(unsigned long long* ctx) { // the page, its order
    struct recorded_task* t = recorded_current();
    if (!t || !t->in_call) return 0;
    ++t->call.allocs;
    t->call.pages += 1u << (ctx[1] & 31);
    return 0;
}
SEC("tp_btf/page_fault_kernel") int page_fault(unsigned long long* ctx) {
    struct recorded_task* t = recorded_current();
    if (t && t->in_call) ++t->call.faults;
    return 0;
}
SEC("tp_btf/mmap_lock_start_locking") int mmap_lock(unsigned long long* ctx) { // get_user_pages_fast went the slow way
    struct recorded_task* t = recorded_current();
    if (t && t->in_call) ++t->call.slow;
    return 0;
}

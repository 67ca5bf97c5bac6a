// SPDX-License-Identifier: Dual MIT/GPL
// Forks, programs and ends of recorded tasks.
#pragma once
#include "record_sample.h"

static __always_inline void send_task(__u32 kind, __u32 tid, struct task_struct* task) {
    struct rec_task record = {};
    set_head(&record.head, kind, tid, bpf_ktime_get_ns());
    record.other = (__u32)task->pid;
    record.tgid = (__u32)task->tgid;
    bpf_probe_read_kernel(record.comm, sizeof record.comm, &task->comm);
    send(&record, sizeof record);
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
    else send_task(rec_fork, (__u32)parent->pid, child);
    return 0;
}
SEC("tp_btf/sched_process_exec") int exec_(unsigned long long* ctx) { // task, the id it had
    struct task_struct* task = (void*)ctx[0];
    struct recorded_task* t = recorded_of(task);
    if (!t) return 0;
    send_counted(t, task, 2); // by descriptors that may be closed now
    send_task(rec_exec, (__u32)ctx[1], task); // the id it had: a thread that is not the leader takes the leader's
    return 0;
}
SEC("tp_btf/sched_process_exit") int gone(unsigned long long* ctx) {
    struct task_struct* task = (void*)ctx[0];
    struct recorded_task* t = recorded_of(task);
    if (!t) return 0;
    send_counted(t, task, 3);
    send_task(rec_gone, (__u32)task->pid, task);
    if (by_tid) {
        const __u32 tid = (__u32)task->pid;
        bpf_map_delete_elem(&recorded_tids, &tid);
    }
    return 0;
}

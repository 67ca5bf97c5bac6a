// SPDX-License-Identifier: Dual MIT/GPL
// What the recorder knows of a recorded task, its maps, and the small records.
#pragma once
#include "snapshot.h"


// Filled in by the recorder before the programs are loaded, by what this kernel has. The verifier leaves out what they rule out.
const volatile bool direct_loads = true; // bpf_rdonly_cast, 6.2
const volatile bool switch_state = true; // sched_switch has the state as its fourth argument, 5.18
const volatile bool by_tid = false;      // tasks in a hash: no task storage, before 5.11
const volatile __u32 sample_calls = 0;   // a sampled run: the ring every so many calls on a descriptor,
const volatile __u64 sample_ns = 0;      // or not more often than this; 0 of both: all of them

__u64 records_lost = 0; // the ring buffer was full, or busy under an interrupted writer of it
__u64 tasks_missed = 0; // forked, and no memory to remember them

const volatile __u32 last_buffer = 0;    // ring buffers, less one: all ones

// As many ring buffers as there are CPUs, or nearly: in one the CPUs would wait for each other's reservations.
struct one_buffer {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 4096); // the recorder makes larger ones
};
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
    __uint(max_entries, 1); // set by the recorder
    __type(key, __u32);
    __array(values, struct one_buffer);
} buffers SEC(".maps");

struct call_room {
    struct rec_call call;
    char slack[rec_round]; // the verifier does not see that a rounded length fits
    __u32 last_slot;       // word of the ring where the last rec_slot begins
};
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1); // rooms_of_cpu for each CPU: set by the recorder
    __type(key, __u32);
    __type(value, struct call_room);
} rooms SEC(".maps");

// A sampled run: what a task did by one descriptor since the last sample.
enum { fds_counted = 4 };
struct counted_fd {
    __u32 fd;         // plus one; 0 nothing is known
    __u32 file_flags;
    __u64 pipe, ino;  // pipe 0: the descriptor is something else
    __u64 calls, bytes, idle, t_ns;
};

// One per recorded task, put there by the recorder or at its fork: a task without one costs a failed look-up.
struct recorded_task {
    __u32 in_call;
    __u32 again;            // EAGAIN results in a row: of these only the first and what ends them is worth showing
    __u32 held;             // no enter record was sent
    __u32 contended;        // between contention_begin and contention_end of the pipe's mutex
    __u32 gone, whole;      // once the call is over the pipe may be no more; its slots may be others
    __u64 exit_ns;          // of the call before
    __u64 file;             // of the call before, if that was the last system call of all and on one pipe; 0 otherwise
    __u32 nr, arg_fd, arg_other, spare_;
    struct {                // the last record of an exit that was not brief; pipe 0: there was none
        __u64 pipe, ino;
        __u32 nr, fd, flags, file_flags, ring_size, max_usage, readers, writers;
    } full;
    __u64 other, other_ino; // the second pipe of a splice or tee; 0 none
    __u64 other_so_far;
    __u32 other_fd, spare;
    __u64 stage_began[stages_timed];
    struct rec_call_info call;
    struct counted_fd counted[fds_counted]; // by the low bits of fd
};
struct {
    __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, int);
    __type(value, struct recorded_task);
} recorded SEC(".maps");
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 4096);
    __type(key, __u32);
    __type(value, struct recorded_task);
} recorded_tids SEC(".maps");
struct { // all zero: too large for a program's stack
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct recorded_task);
} fresh_task SEC(".maps");

static __always_inline struct task_struct* current_task(void) {
    return by_tid ? (struct task_struct*)bpf_get_current_task() : bpf_get_current_task_btf(); // the latter from 5.11 on
}
static __always_inline __u32 tid_of(struct task_struct* task) { return (__u32)BPF_CORE_READ(task, pid); }

static __always_inline struct recorded_task* recorded_of(struct task_struct* task) {
    if (!by_tid) return bpf_task_storage_get(&recorded, task, 0, 0);
    const __u32 tid = tid_of(task);
    return bpf_map_lookup_elem(&recorded_tids, &tid);
}

static __always_inline struct recorded_task* recorded_current(void) {
    if (!by_tid) return bpf_task_storage_get(&recorded, bpf_get_current_task_btf(), 0, 0);
    const __u32 tid = (__u32)bpf_get_current_pid_tgid();
    return bpf_map_lookup_elem(&recorded_tids, &tid);
}

static __always_inline void set_head(struct rec_head* head, __u32 kind, __u32 tid, __u64 t_ns) {
    head->t_ns = t_ns;
    head->tid = tid;
    head->kind = (__u16)kind;
    head->cpu = (__u16)bpf_get_smp_processor_id();
}

// False when the ring buffer was full, or busy under an interrupted writer of it.
static __always_inline bool send(void* record, __u64 size) {
    const __u32 at = bpf_get_smp_processor_id() & last_buffer;
    void* buffer = bpf_map_lookup_elem(&buffers, &at);
    if (buffer && !bpf_ringbuf_output(buffer, record, size, BPF_RB_NO_WAKEUP)) return true;
    __sync_fetch_and_add(&records_lost, 1);
    return false;
}

// Short ones are written where they are sent from: see SEND_BRIEF.
static __always_inline void send_small(__u32 kind, __u32 tid, __u32 what, __u32 fill, __u64 t_ns) {
    const __u32 at = bpf_get_smp_processor_id() & last_buffer;
    void* buffer = bpf_map_lookup_elem(&buffers, &at);
    struct rec_small* small = buffer ? bpf_ringbuf_reserve(buffer, sizeof *small, 0) : 0;
    if (!small) {
        __sync_fetch_and_add(&records_lost, 1);
        return;
    }
    set_head(&small->head, kind, tid, t_ns);
    small->what = what;
    small->fill = fill;
    bpf_ringbuf_submit(small, BPF_RB_NO_WAKEUP);
}

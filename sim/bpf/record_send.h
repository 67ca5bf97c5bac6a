// SPDX-License-Identifier: Dual MIT/GPL
// Sends records of calls, with a ring where it is not the one that was sent last.
#pragma once
#include "record_task.h"

enum { EAGAIN_ = 11 };

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
static __always_inline void send_with_ring(struct rec_call* call, bool plain_loop) {
    __u64* last = mark_place(call->info.pipe);
    const __u64 mark = ring_mark(call->info.pipe, direct_loads);
    call->info.has_ring = mark != *last;
    if (!call->info.has_ring) return send_call(call, 0);
    read_ring_by(&call->ring, call->info.pipe, 0, direct_loads, plain_loop);
    *last = call->ring.torn ? 0 : mark;
    send_call(call, call->ring.slots);
}

// Room to put a record together: one of each program and CPU, since no program runs twice at a time on a CPU.
static __always_inline struct rec_call* room_for(__u32 program) {
    const __u32 at = bpf_get_smp_processor_id() * rooms_of_cpu + program;
    return bpf_map_lookup_elem(&rooms, &at);
}

static __always_inline void send_state(struct recorded_task* t, __u32 kind, __u32 program, bool with_ring, bool plain_loop) {
    struct rec_call* call = room_for(program);
    if (!call) return;
    if (t->other) {
        call->info = (struct rec_call_info){};
        set_head(&call->info.head, rec_look, t->call.head.tid, t->call.head.t_ns);
        call->info.pipe = t->other;
        call->info.ino = t->other_ino;
        call->info.fd = t->other_fd;
        send_with_ring(call, plain_loop);
    }
    call->info = t->call;
    call->info.head.kind = (__u16)kind;
    call->info.has_ring = 0;
    if (with_ring) send_with_ring(call, plain_loop);
    else send_call(call, 0);
}


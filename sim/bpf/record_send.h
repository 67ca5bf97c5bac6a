// SPDX-License-Identifier: Dual MIT/GPL
// Sends records of calls, each with what is new in the ring.
#pragma once
#include "record_ring.h"

enum { EAGAIN_ = 11 };

// False when there was no room for it.
static __always_inline bool send_call(struct rec_call* call) {
    __u64 size = sizeof call->info;
    if (call->info.has_ring) {
        const __u32 words = call->ring.words > ring_words ? ring_words : call->ring.words;
        size = (__builtin_offsetof(struct rec_call, ring.word) + (__u64)words * 8 + rec_round - 1) & ~(__u64)(rec_round - 1);
    }
    return send(call, size);
}

static __always_inline void keep_told(__u64 pipe, bool sent, __u64 so_far, __u64 now_told) {
    if (!sent) *told_place(pipe) = 0; // the next one tells the whole ring
    else if (now_told && now_told != so_far) *told_place(pipe) = now_told;
}

static __always_inline void send_with_ring(struct call_room* room, __u64 so_far, bool plain_loop) {
    struct rec_call* call = &room->call;
    call->info.has_ring = 1;
    const __u64 now_told = read_changes(room, call->info.pipe, call->info.ino, so_far, plain_loop);
    keep_told(call->info.pipe, send_call(call), so_far, now_told);
}

// Room to put a record together: one of each program and CPU, since no program runs twice at a time on a CPU.
static __always_inline struct call_room* room_for(__u32 program) {
    const __u32 at = bpf_get_smp_processor_id() * rooms_of_cpu + program;
    return bpf_map_lookup_elem(&rooms, &at);
}

static __always_inline bool may_be_brief(struct recorded_task* t, const struct rec_ring* ring, __u64 t_ns) {
    const struct rec_call_info* call = &t->call;
    return t->full.pipe == call->pipe && t->full.ino == call->ino && t->full.nr == call->nr && t->full.fd == call->fd &&
           t->full.flags == call->flags && t->full.file_flags == call->file_flags && t->full.ring_size == ring->ring_size &&
           t->full.max_usage == ring->max_usage && t->full.readers == ring->readers && t->full.writers == ring->writers && !(t->held && call->enter_known) &&
           !call->faults && !call->slow && call->allocs == call->pages && call->pages < 1 << 16 && call->len >> 32 == 0 &&
           call->result == (__s32)call->result && ring->slots == ring->head - ring->first && ring->words <= brief_words &&
           (!t->held || t_ns - call->enter_ns < 1 << 30) && !call->stage_ns[stage_gup] && !call->stage_ns[stage_alloc] && !call->stage_ns[stage_wake];
}

static __always_inline void fill_brief(struct rec_brief_call* b, const struct rec_call_info* call, const struct rec_ring* ring, __u64 t_ns) {
    set_head(&b->head, rec_brief, call->head.tid, t_ns);
    b->addr = call->addr;
    b->call_ns = call->enter_ns ? (__u32)(t_ns - call->enter_ns) : 0;
    b->lock_at_ns = call->lock_begin_ns ? (__u32)(call->lock_begin_ns - call->enter_ns) : 0;
    b->lock_ns = call->lock_begin_ns ? (__u32)((call->lock_end_ns ? call->lock_end_ns : t_ns) - call->lock_begin_ns) : 0;
    b->len = (__u32)call->len, b->result = (__s32)call->result, b->again = call->again;
    b->ring_head = ring->head, b->ring_tail = ring->tail, b->owner_tid = ring->owner_tid;
    b->oldest[0] = ring->oldest[0], b->oldest[1] = ring->oldest[1];
    b->newest[0] = ring->newest[0], b->newest[1] = ring->newest[1];
    b->slots = (__u16)ring->slots, b->words = (__u16)ring->words, b->pages = (__u16)call->pages;
    b->lock_flags = (__u8)call->lock_flags, b->brief = (ring->torn ? brief_torn : 0) | (call->enter_ns ? 0 : brief_enter_told);
}

// Written where it is sent from, by lengths that the compiler knows: a copy of an odd length takes longer than all the rest.
#define SEND_BRIEF(room_of_words)                                                                                                            \
    struct {                                                                                                                                 \
        struct rec_brief_call call;                                                                                                          \
        __u64 word[room_of_words];                                                                                                           \
    }* b = bpf_ringbuf_reserve(buffer, sizeof(struct rec_brief_call) + 8 * room_of_words, 0);                                                \
    if (!b) goto lost;                                                                                                                       \
    fill_brief(&b->call, call, ring, t_ns);                                                                                                  \
    for (int i = 0; i < room_of_words; ++i) b->word[i] = ring->word[i];                                                                      \
    bpf_ringbuf_submit(b, BPF_RB_NO_WAKEUP);                                                                                                 \
    return true

static __always_inline bool send_brief(const struct rec_call_info* call, const struct rec_ring* ring, __u64 t_ns) {
    const __u32 at = bpf_get_smp_processor_id() & last_buffer;
    void* buffer = bpf_map_lookup_elem(&buffers, &at);
    if (!buffer) goto lost;
    if (!ring->words) {
        SEND_BRIEF(0);
    } else if (ring->words <= brief_words_few) {
        SEND_BRIEF(brief_words_few);
    } else {
        SEND_BRIEF(brief_words);
    }
lost:
    __sync_fetch_and_add(&records_lost, 1);
    return false;
}

static __always_inline void send_exit(struct recorded_task* t, struct call_room* room, __u64 t_ns, __u64 so_far, bool plain_loop) {
    struct rec_call_info* call = &t->call;
    const struct rec_ring* ring = &room->call.ring;
    const __u64 now_told = read_changes(room, call->pipe, call->ino, so_far, plain_loop);
    if (may_be_brief(t, ring, t_ns)) return keep_told(call->pipe, send_brief(call, ring, t_ns), so_far, now_told);
    room->call.info = *call;
    room->call.info.head.kind = rec_exit;
    room->call.info.head.t_ns = t_ns;
    room->call.info.has_ring = 1;
    const bool sent = send_call(&room->call);
    keep_told(call->pipe, sent, so_far, now_told);
    t->full.pipe = sent ? call->pipe : 0, t->full.ino = call->ino;
    t->full.nr = call->nr, t->full.fd = call->fd, t->full.flags = call->flags, t->full.file_flags = call->file_flags;
    t->full.ring_size = ring->ring_size, t->full.max_usage = ring->max_usage, t->full.readers = ring->readers, t->full.writers = ring->writers;
}

// The record of a task's call, after that of the other pipe of a splice or tee.
static __always_inline int send_state(struct recorded_task* t, __u32 kind, __u64 t_ns, __u64 so_far, bool plain_loop) {
    struct call_room* room = room_for(kind == rec_exit);
    if (!t || !room) return 0;
    struct rec_call_info* info = &room->call.info;
    if (t->other) {
        *info = (struct rec_call_info){};
        set_head(&info->head, rec_look, t->call.head.tid, t_ns);
        info->pipe = t->other;
        info->ino = t->other_ino;
        info->fd = t->other_fd;
        send_with_ring(room, t->other_so_far, plain_loop);
    }
    if (kind == rec_exit && !t->gone) return send_exit(t, room, t_ns, so_far, plain_loop), 0;
    *info = t->call;
    info->head.kind = (__u16)kind;
    info->head.t_ns = t_ns;
    info->has_ring = 0;
    if (t->gone) {
        send_call(&room->call);
        t->full.pipe = 0;
    } else send_with_ring(room, so_far, plain_loop);
    return 0;
}
// As functions of their own, which the verifier follows once and not for each way that leads to them.
__noinline int send_looping(struct recorded_task* t, __u32 kind, __u64 t_ns, __u64 so_far) { return send_state(t, kind, t_ns, so_far, false); }
// Old kernels let such a function have numbers only.
__noinline int send_plain(__u32 kind, __u64 t_ns, __u64 so_far) { return send_state(recorded_current(), kind, t_ns, so_far, true); }

// The enter record of a call that was to be told of at its exit, and its wait for the mutex so far: it is going to wait.
static __always_inline void send_held(struct recorded_task* t) {
    if (!t->held) return;
    t->held = 0;
    struct rec_call_info* call = &t->call;
    const __u64 begin = call->lock_begin_ns, end = call->lock_end_ns;
    call->head.kind = rec_enter;
    call->lock_begin_ns = call->lock_end_ns = 0;
    send(call, sizeof *call);
    call->enter_ns = 0;
    if (begin) send_small(rec_lock_begin, call->head.tid, call->lock_flags, 0, begin);
    if (end) send_small(rec_lock_end, call->head.tid, 0, 0, end);
}

// SPDX-License-Identifier: Dual MIT/GPL
// What has changed in a pipe's ring since a record last told of it.
#pragma once
#include "record_task.h"

// How far each pipe's slots have been told: the index after the last one, and in the low half what shows whose this is.
// A slot that was told stays as it is, but for the newest, which a write may grow, and the oldest, which a read may have
// begun: offset and len of these two are told each time. Pipes share places, which costs a ring told whole once more.
enum { told_places = 1024 };
__u64 told[told_places];

static __always_inline __u64* told_place(__u64 pipe) { return &told[(pipe * 0x9e3779b97f4a7c15ull >> 48) & (told_places - 1)]; }

static __always_inline __u32 told_name(__u64 pipe, __u64 ino, __u32 ring_size) {
    return (__u32)(((pipe + ino * 0xbf58476d1ce4e5b9ull + ring_size) * 0x9e3779b97f4a7c15ull) >> 32) | 1;
}

static __always_inline __u64 pipe_bufs(__u64 pipe) {
    return kernel_word(pipe + bpf_core_field_offset(struct pipe_inode_info, bufs), direct_loads);
}

// offset in the low half, len in the high one.
static __always_inline __u64 extent_at(__u64 buf) {
    const bool direct = direct_loads;
    if (bpf_core_field_offset(struct pipe_buffer, len) == bpf_core_field_offset(struct pipe_buffer, offset) + 4 &&
        !(bpf_core_field_offset(struct pipe_buffer, offset) & 7))
        return kernel_word(buf + bpf_core_field_offset(struct pipe_buffer, offset), direct);
    return (__u64)kernel_u32(buf + bpf_core_field_offset(struct pipe_buffer, len), direct) << 32 |
           kernel_u32(buf + bpf_core_field_offset(struct pipe_buffer, offset), direct);
}

struct ring_walk {
    __u64 bufs;
    __u32 from, mask;
    struct rec_ring* ring; // counts its words itself: of a number on the stack the verifier would follow every value
    struct call_room* room;
    __u32 holes;           // a slot without operations: it was emptied, or is about to be filled
    __u32 flags;
    __u64 next_page, extent, ops, folio_end; // of the slot before
};

static __always_inline void walk_slot(struct ring_walk* w, __u32 i) {
    const bool direct = direct_loads;
    const __u64 buf = w->bufs + (__u64)((w->from + i) & w->mask) * bpf_core_type_size(struct pipe_buffer);
    const __u64 page = kernel_word(buf + bpf_core_field_offset(struct pipe_buffer, page), direct);
    const __u64 ops = kernel_word(buf + bpf_core_field_offset(struct pipe_buffer, ops), direct);
    const __u64 extent = extent_at(buf);
    const __u32 flags = kernel_u32(buf + bpf_core_field_offset(struct pipe_buffer, flags), direct);
    const bool alike = !((extent ^ w->extent) | (ops ^ w->ops) | (flags ^ w->flags));
    struct rec_slot* last = (void*)&w->ring->word[w->room->last_slot & (ring_words - 1)];
    const __u32 more = last->more;
    if (alike && page == w->next_page && page < w->folio_end && !(more & rec_listed)) {
        last->more = more + 1;
        w->next_page = page + bpf_core_type_size(struct page);
        return;
    }
    struct bpf_slot look;
    look.page = page;
    const __u64 head = read_page(&look, direct);
    const __u32 word = w->ring->words & (ring_words - 1);
    const __u32 differs = look.order | last->order | (look.page_flags ^ last->page_flags) | (look.refcount ^ last->refcount);
    if (alike && w->next_page && !differs && (!more || more & rec_listed)) {
        w->ring->word[word] = page;
        w->ring->words = word + 1;
        last->more = (more + 1) | rec_listed;
        return;
    }
    struct rec_slot* out = (void*)&w->ring->word[word];
    out->page = page;
    out->offset = (__u32)extent, out->len = (__u32)(extent >> 32);
    out->ops = (__u32)ops;
    out->page_flags = look.page_flags;
    out->refcount = look.refcount;
    out->more = 0;
    out->flags = (__u8)flags;
    out->order = look.order | (look.tail ? rec_slot_tail : 0);
    w->room->last_slot = word;
    w->ring->words = word + words_of_slot;
    w->holes |= ((ops - 1) & ~ops) >> 63; // none
    w->next_page = page + bpf_core_type_size(struct page);
    w->folio_end = head + (bpf_core_type_size(struct page) << (look.order & 31));
    w->extent = extent, w->ops = ops, w->flags = flags;
}
static long walk_one(__u64 i, struct ring_walk* w) {
    walk_slot(w, (__u32)i);
    return 0;
}

static __always_inline __u32 tid_at(__u64 owner) {
    return owner ? kernel_u32(owner + bpf_core_field_offset(struct task_struct, pid), direct_loads) : 0;
}

static __always_inline bool told_covers(__u64 so_far, __u64 pipe, __u64 ino, __u32 ring_size, __u32 head) {
    return (__u32)so_far == told_name(pipe, ino, ring_size) && (__s32)(head - (__u32)(so_far >> 32)) <= 0;
}

// The ring that a call finds, where its slots are all known; 0 where they are not. `so_far`: as told_place() had it before
// the record's time was taken, so that what it speaks of is in records of an earlier time.
static __always_inline bool glance(struct rec_call_info* call, __u64 so_far) {
    const bool direct = direct_loads;
    const __u64 pipe = call->pipe;
    const __u32 head = PIPE_U32(pipe, head), tail = PIPE_U32(pipe, tail), size = PIPE_U32(pipe, ring_size);
    if (!told_covers(so_far, pipe, call->ino, size, head)) return false;
    call->enter_known = 1;
    call->enter_head = head, call->enter_tail = tail;
    call->enter_owner_tid = tid_at(mutex_owner(pipe, direct));
    const __u64 bufs = pipe_bufs(pipe);
    const __u64 oldest = head == tail ? 0 : extent_at(bufs + (__u64)(tail & (size - 1)) * bpf_core_type_size(struct pipe_buffer));
    const __u64 newest = head == tail ? 0 : extent_at(bufs + (__u64)((head - 1) & (size - 1)) * bpf_core_type_size(struct pipe_buffer));
    call->enter_oldest[0] = (__u32)oldest, call->enter_oldest[1] = (__u32)(oldest >> 32);
    call->enter_newest[0] = (__u32)newest, call->enter_newest[1] = (__u32)(newest >> 32);
    return true;
}

enum { plain_slots = 32 }; // that a loop without bpf_loop, which came in 5.17, may have for the verifier

// Nobody holds the pipe's mutex for us: whoever holds it, before or after, or has moved an index meanwhile, makes this a torn
// one. The indices are read before the first look at the owner and again after the second: a writer moves the head before
// it fills the slot, a reader the tail after it has emptied one. What told_place() is to have once the record is sent; 0: no change.
static __always_inline __u64 read_changes(struct call_room* room, __u64 pipe, __u64 ino, __u64 so_far, bool plain_loop) {
    const bool direct = direct_loads;
    struct rec_ring* ring = &room->call.ring;
    const __u32 head = PIPE_U32(pipe, head), tail = PIPE_U32(pipe, tail);
    barrier();
    const __u64 owner = mutex_owner(pipe, direct);
    barrier();
    const __u32 size = PIPE_U32(pipe, ring_size);
    ring->head = head, ring->tail = tail, ring->ring_size = size;
    ring->max_usage = PIPE_U32(pipe, max_usage);
    ring->readers = PIPE_U32(pipe, readers);
    ring->writers = PIPE_U32(pipe, writers);
    ring->files = PIPE_U32(pipe, files);
    ring->owner_tid = tid_at(owner);

    const __u32 name = told_name(pipe, ino, size), sent = (__u32)(so_far >> 32);
    const bool known = (__u32)so_far == name && (__s32)(sent - tail) > 0 && (__s32)(head - sent) >= 0;
    const __u32 from = known ? sent : tail;
    __u32 slots = head - from;
    if (slots > (plain_loop ? plain_slots : ring_window)) slots = plain_loop ? plain_slots : ring_window;
    struct ring_walk walk = {.bufs = pipe_bufs(pipe), .from = from, .mask = size - 1, .ring = ring, .room = room};
    const __u64 oldest = head == tail ? 0 : extent_at(walk.bufs + (__u64)(tail & (size - 1)) * bpf_core_type_size(struct pipe_buffer));
    const __u64 newest = head == tail ? 0 : extent_at(walk.bufs + (__u64)((head - 1) & (size - 1)) * bpf_core_type_size(struct pipe_buffer));
    ring->first = from, ring->slots = slots, ring->words = 0;
    ring->oldest[0] = (__u32)oldest, ring->oldest[1] = (__u32)(oldest >> 32);
    ring->newest[0] = (__u32)newest, ring->newest[1] = (__u32)(newest >> 32);
    if (plain_loop) {
#pragma clang loop unroll(disable)
        for (__u32 i = 0; i < plain_slots && i < slots; ++i) walk_slot(&walk, i);
    } else bpf_loop(slots, walk_one, &walk, 0);
    barrier();
    const __u64 owner_after = mutex_owner(pipe, direct);
    barrier();
    ring->torn = owner || owner_after || PIPE_U32(pipe, head) != head || PIPE_U32(pipe, tail) != tail;
    if (walk.holes) return 0;
    const __u32 end = from + slots; // somebody may be about to fill the newest one
    return (__u64)(ring->torn && slots ? end - 1 : end) << 32 | name;
}

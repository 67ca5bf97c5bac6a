// SPDX-License-Identifier: Dual MIT/GPL
// Records that the BPF programs write and the C++ side reads; the same bytes on both.
#pragma once
#ifdef __bpf__
#include <linux/types.h>
typedef __u64 bpf_u64;
typedef __u32 bpf_u32;
typedef __s32 bpf_s32;
#else
#include <cstdint>
using bpf_u64 = std::uint64_t;
using bpf_u32 = std::uint32_t;
using bpf_s32 = std::int32_t;
#endif

struct bpf_page_info {
    bpf_u64 page;     // address of the struct page
    bpf_u64 head;     // of its folio's head; itself where it is no tail
    bpf_u64 flags;    // word 0 of the head
    bpf_s32 refcount; // of the head
    bpf_u32 order;
};

struct bpf_slot_info {
    struct bpf_page_info page;
    bpf_u64 ops;
    bpf_u32 offset, len, flags, spare;
};

// ring.bpf.c: what is asked, as the program's context, and what it answers, in its .bss.
enum { ring_window = 1024, walk_levels = 5, walk_room = 8 };
struct ring_args {
    bpf_u64 addr;   // page: of the struct page; walk: user address
    bpf_u64 base;   // walk: where the direct map begins
    bpf_u32 fd;     // ring: of the calling process
    bpf_u32 first;  // ring: how many filled slots to skip
    bpf_u32 levels; // walk: 4 or 5
    bpf_u32 spare;
};
struct ring_answer {
    bpf_u32 ok; // 0: the descriptor is no pipe, or the address no page
    bpf_u32 head, tail, ring_size, max_usage, readers, writers, files, tmp_pages, poll_usage;
    bpf_u32 owner_pid;  // who holds the mutex, 0 nobody
    bpf_u32 torn;       // the ring changed while it was read
    bpf_u32 slots;      // of them in slot[]
    bpf_u32 page_bytes; // sizeof(struct page)
    bpf_s32 mapcount;
    bpf_u32 levels;
    bpf_u64 pgd;
    bpf_u64 entry[walk_room];
    struct bpf_slot_info slot[ring_window];
};

// SPDX-License-Identifier: Dual MIT/GPL
// Records that the BPF programs write and the C++ side reads; the same bytes on both.
#pragma once
#ifdef __bpf__
#include <linux/types.h>
typedef __u64 bpf_u64;
typedef __u32 bpf_u32;
typedef __u16 bpf_u16;
typedef __u8 bpf_u8;
typedef __s64 bpf_s64;
typedef __s32 bpf_s32;
#else
#include <cstdint>
using bpf_u64 = std::uint64_t;
using bpf_u32 = std::uint32_t;
using bpf_u16 = std::uint16_t;
using bpf_u8 = std::uint8_t;
using bpf_s64 = std::int64_t;
using bpf_s32 = std::int32_t;
#endif

struct bpf_slot { // pipe_buffer, and what its page says of itself
    bpf_u64 page; // address of the struct page
    bpf_u64 ops;  // address of the operations table
    bpf_u32 offset, len, flags;
    bpf_u32 page_flags; // low half of word 0 of the folio's head
    bpf_s32 refcount;   // of the folio's head
    bpf_u8 order;       // of the folio
    bpf_u8 tail;        // 1: a tail page of its folio
    bpf_u16 spare;
};

enum { ring_window = 1024 }; // slots of one answer or record
struct bpf_ring {
    bpf_u64 pipe; // address of the pipe_inode_info
    bpf_u32 head, tail, ring_size, max_usage, readers, writers, files;
    bpf_u32 owner_tid; // who holds the mutex, 0 nobody
    bpf_u32 torn;      // the ring changed, or was about to, while it was read
    bpf_u32 slots;     // filled ones that slot[] holds, from the tail on
    struct bpf_slot slot[ring_window];
};

// ring.bpf.c: what is asked, as the program's context, and what it answers, in its .bss.
enum { walk_levels = 5, walk_room = 8 };
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
    bpf_u32 tmp_pages, poll_usage;
    bpf_u32 page_bytes; // sizeof(struct page)
    bpf_s32 mapcount;
    bpf_u32 levels;
    bpf_u64 pgd;
    bpf_u64 entry[walk_room];
    struct bpf_ring ring;
};

// record.bpf.c: the records of its ring buffer. rec_call is cut after its last slot.
enum rec_kind { rec_enter = 1, rec_exit, rec_lock_begin, rec_lock_end, rec_off_cpu, rec_on_cpu, rec_waking };
struct rec_head {
    bpf_u64 t_ns; // CLOCK_MONOTONIC
    bpf_u32 tid;
    bpf_u16 kind, cpu;
};
struct rec_small {
    struct rec_head head;
    bpf_u32 what; // lock_begin: LCB_F_ flags; off_cpu: task state; waking: tid of the waker
    bpf_u32 spare;
};
struct rec_call {
    struct rec_head head;
    bpf_u32 nr; // system call number
    bpf_u32 fd; // the descriptor that is the pipe
    bpf_u32 flags;
    bpf_u32 again; // calls before this one that gave EAGAIN and were left out
    bpf_u64 addr, len;
    bpf_s64 result;
    bpf_u32 has_ring; // 0: the ring is the one of the record before, or was not looked at
    bpf_u32 spare;
    struct bpf_ring ring;
};

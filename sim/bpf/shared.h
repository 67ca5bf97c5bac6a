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

// record.bpf.c: the records of its ring buffers. rec_call is cut after its last slot, or before its ring.
enum rec_kind {
    rec_enter = 1, // rec_call
    rec_exit,
    rec_look,       // the ring of the other pipe of a splice or tee: told before the call's own record
    rec_sample,     // rec_call: a call of a sampled run that ended just now
    rec_lock_begin, // rec_small
    rec_lock_end,
    rec_off_cpu,
    rec_on_cpu,
    rec_waking,
    rec_fork, // rec_task
    rec_exec,
    rec_gone,
    rec_brief // rec_brief_call
};
struct rec_head {
    bpf_u64 t_ns; // CLOCK_MONOTONIC
    bpf_u32 tid;
    bpf_u16 kind, cpu;
};
enum rec_fill { fill_part, fill_empty, fill_full };
struct rec_small {
    struct rec_head head;
    bpf_u32 what; // lock_begin: LCB_F_ flags; off_cpu: task state; waking: tid of the waker
    bpf_u32 fill; // off_cpu: rec_fill of its pipe
};
struct rec_task {
    struct rec_head head;
    bpf_u32 other; // fork: tid of the child; exec: of the task from now on
    bpf_u32 tgid;  // fork: of the child; exec: of the task
    char comm[16];
};
enum { rooms_of_cpu = 4 }; // where a CPU puts records together, one of its programs in each
enum rec_stage { stage_gup, stage_alloc, stage_wake, stages_timed };
// A call. Most are told of once, at their exit: a record of the enter is sent only where the call waits, or where the ring
// that it finds is not known from a record before.
struct rec_call_info {
    struct rec_head head;
    bpf_u32 nr; // system call number
    bpf_u32 fd; // the descriptor that is the pipe
    bpf_u32 flags;
    bpf_u32 again; // calls before this one that gave EAGAIN and were left out
    bpf_u64 addr, len;
    bpf_s64 result;
    bpf_u64 pipe, ino;     // address of the pipe_inode_info, number of its inode
    bpf_u32 file_flags;    // f_flags of the descriptor
    bpf_u32 has_ring;      // 0: the record ends before its ring
    bpf_u32 allocs, pages; // exit: page allocations inside the call, and pages in them
    bpf_u32 faults;        // exit: page faults of the kernel inside the call
    bpf_u32 slow;          // exit: times it asked for the lock of the memory map
    bpf_u64 calls, bytes;  // sample: calls on this pipe since the last sample and bytes they moved, this one's too
    bpf_u64 idle;          // sample: of these calls, those that gave EAGAIN
    bpf_u64 enter_ns;      // exit: when the call began, if no record told of that
    bpf_u64 lock_begin_ns, lock_end_ns; // its wait for the mutex, told of with it; 0 none
    bpf_u32 lock_flags;                 // LCB_F_ of that
    bpf_u32 stage_ns[stages_timed];     // exit: time in each, 0 where that is not measured
    // The ring at the enter; its slots are those of the records before.
    bpf_u32 enter_head, enter_tail, enter_owner_tid, enter_known; // enter_known 0: it is not told here
    bpf_u32 enter_oldest[2], enter_newest[2];                     // offset and len of these two slots
};
// A filled slot, or several that differ in nothing but their page: the next ones of the same folio, or, with rec_listed,
// those whose addresses follow, a word each.
struct rec_slot {
    bpf_u64 page;
    bpf_u32 offset, len;
    bpf_u32 ops;        // low half of the address
    bpf_u32 page_flags; // as in bpf_slot
    bpf_s32 refcount;
    bpf_u16 more; // slots after it
    bpf_u8 flags;
    bpf_u8 order; // of the folio; with rec_slot_tail: not its first page
};
enum { rec_listed = 0x8000, rec_slot_tail = 0x80, words_of_slot = 4, ring_words = words_of_slot * ring_window };
struct rec_ring {
    bpf_u32 head, tail, ring_size, max_usage, readers, writers, files, owner_tid, torn; // as in bpf_ring
    bpf_u32 first;                // index of the first slot told here; those before it are as records had them,
    bpf_u32 oldest[2], newest[2]; // but for offset and len of these two
    bpf_u32 slots, words;         // told here, and the words it took
    bpf_u64 word[ring_words + words_of_slot];
};
enum { rec_round = 64 }; // bytes: records of calls are rounded up to it, since odd lengths are slow to copy
struct rec_call {
    struct rec_call_info info;
    struct rec_ring ring;
};
// What is left of a record of an exit where the rest is as in the last record of an exit of this task.
enum { brief_torn = 1, brief_enter_told = 2 }; // the latter: in a record of its own
struct rec_brief_call {
    struct rec_head head;
    bpf_u64 addr;
    bpf_u32 call_ns; // since it began
    bpf_u32 lock_at_ns, lock_ns; // its wait for the mutex: when in the call, how long; 0, 0 none
    bpf_u32 len;
    bpf_s32 result;
    bpf_u32 again;
    bpf_u32 ring_head, ring_tail, owner_tid;
    bpf_u32 oldest[2], newest[2];
    bpf_u16 slots, words, pages; // pages: as many allocations
    bpf_u8 lock_flags, brief;
};
enum { brief_words_few = 4, brief_words = 36 }; // it has none of these, or so many words

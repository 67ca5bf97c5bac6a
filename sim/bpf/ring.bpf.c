// SPDX-License-Identifier: Dual MIT/GPL
// Snapshots on demand, run by BPF_PROG_TEST_RUN in the asking process: a pipe's ring, a page, a page-table walk.
#include "snapshot.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

struct ring_answer answer; // in .bss, which the reader maps

static __always_inline __u32 spare_pages(struct pipe_inode_info* pipe) {
    struct page* tmp[2] = {};
    if (bpf_core_field_exists(struct pipe_inode_info___many, prealloc)) return BPF_CORE_READ((struct pipe_inode_info___many*)pipe, prealloc.count);
    if (bpf_core_field_exists(struct pipe_inode_info___two, tmp_page)) {
        bpf_core_read(tmp, sizeof tmp, &((struct pipe_inode_info___two*)pipe)->tmp_page);
    } else if (bpf_core_field_exists(struct pipe_inode_info___one, tmp_page)) {
        bpf_core_read(tmp, sizeof tmp[0], &((struct pipe_inode_info___one*)pipe)->tmp_page);
    }
    return (tmp[0] != 0) + (tmp[1] != 0);
}

static __always_inline int ring(struct task_struct* task, __u32 fd, __u32 first, bool direct, bool plain_loop) {
    const __u64 pipe = pipe_of_fd(task, fd, direct);
    answer.ok = pipe != 0;
    if (!pipe) return 0;
    read_ring_by(&answer.ring, pipe, first, direct, plain_loop);
    answer.tmp_pages = spare_pages((struct pipe_inode_info*)pipe);
    answer.page_bytes = bpf_core_type_size(struct page);
    answer.poll_usage = 0;
    if (bpf_core_field_exists(struct pipe_inode_info___poll, poll_usage)) {
        __u8 poll = 0; // little endian: the low byte of the older 32-bit form too
        bpf_core_read(&poll, sizeof poll, &((struct pipe_inode_info___poll*)pipe)->poll_usage);
        answer.poll_usage = poll;
    } else if (bpf_core_field_exists(struct pipe_inode_info___many, pseudo_edgetrigger)) {
        answer.poll_usage = BPF_CORE_READ((struct pipe_inode_info___many*)pipe, pseudo_edgetrigger);
    }
    return 0;
}

static __always_inline int page(__u64 addr) {
    __u64 probe = 0;
    answer.ok = bpf_probe_read_kernel(&probe, sizeof probe, (void*)addr) == 0; // no struct page where there is no memory
    if (!answer.ok) return 0;
    struct bpf_slot* slot = &answer.ring.slot[0];
    slot->page = addr;
    read_page(slot, false);
    answer.mapcount = mapcount_of(compound_head_of(addr, false), slot->order, false);
    return 0;
}

// Reads entries from the pgd down until one is absent, is a leaf, or the last level is reached. The tables are read
// through the direct map without the locks that keep them alive: a table freed meanwhile gives a wrong entry, never a fault.
static __always_inline int walk(struct task_struct* task, __u64 addr, __u64 base, __u32 levels) {
    __u64 table = (__u64)BPF_CORE_READ(task, mm, pgd);
    answer.pgd = table;
    answer.levels = 0;
    answer.ok = 1;
#pragma unroll
    for (int level = walk_levels; level > 0; --level) {
        if (level > (int)levels) continue;
        const __u64 index = addr >> (12 + 9 * (level - 1)) & 511;
        __u64 entry = 0;
        if (bpf_probe_read_kernel(&entry, sizeof entry, (void*)(table + index * 8))) {
            answer.ok = 0;
            return 0;
        }
        answer.entry[answer.levels & (walk_room - 1)] = entry;
        ++answer.levels;
        if (!(entry & 1) || (level <= 3 && entry & 0x80)) return 0; // absent; _PAGE_PSE
        table = base + (entry & 0x000ffffffffff000ull);
    }
    return 0;
}

SEC("syscall") int ring_direct(struct ring_args* args) { return ring(bpf_get_current_task_btf(), args->fd, args->first, true, false); }
SEC("syscall") int ring_probed(struct ring_args* args) { return ring(bpf_get_current_task_btf(), args->fd, args->first, false, false); }
SEC("syscall") int page_at(struct ring_args* args) { return page(args->addr); }
SEC("syscall") int walk_at(struct ring_args* args) { return walk(bpf_get_current_task_btf(), args->addr, args->base, args->levels); }

// Before 5.14 there is no such program; one for a raw tracepoint could be run on demand from 5.10 on. It has the same
// struct ring_args for its context, which it may only read as words.
#define CURRENT ((struct task_struct*)bpf_get_current_task())
SEC("raw_tp") int ring_raw(const __u64* ctx) { return ring(CURRENT, (__u32)ctx[2], (__u32)(ctx[2] >> 32), false, true); }
SEC("raw_tp") int page_raw(const __u64* ctx) { return page(ctx[0]); }
SEC("raw_tp") int walk_raw(const __u64* ctx) { return walk(CURRENT, ctx[0], ctx[1], (__u32)ctx[3]); }

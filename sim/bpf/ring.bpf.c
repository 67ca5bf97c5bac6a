// SPDX-License-Identifier: Dual MIT/GPL
// Snapshots on demand, run by BPF_PROG_TEST_RUN in the asking process: a pipe's ring, a page, a page-table walk.
#include "page_info.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

struct ring_answer answer; // in .bss, which the reader maps

static __always_inline struct pipe_inode_info* pipe_of(__u32 fd) {
    struct task_struct* task = bpf_get_current_task_btf();
    struct fdtable* fdt = BPF_CORE_READ(task, files, fdt);
    if (fd >= BPF_CORE_READ(fdt, max_fds)) return 0;
    struct file** fds = BPF_CORE_READ(fdt, fd);
    struct file* file = 0;
    bpf_probe_read_kernel(&file, sizeof file, fds + fd);
    struct inode* inode = file ? BPF_CORE_READ(file, f_inode) : 0;
    if (!inode || (BPF_CORE_READ(inode, i_mode) & 0170000) != 0010000) return 0; // S_ISFIFO
    return BPF_CORE_READ(inode, i_pipe);
}

static __always_inline __u32 spare_pages(struct pipe_inode_info* pipe) {
    struct page* tmp[2] = {};
    if (bpf_core_field_exists(struct pipe_inode_info___two, tmp_page)) {
        bpf_core_read(tmp, sizeof tmp, &((struct pipe_inode_info___two*)pipe)->tmp_page);
    } else if (bpf_core_field_exists(struct pipe_inode_info___one, tmp_page)) {
        bpf_core_read(tmp, sizeof tmp[0], &((struct pipe_inode_info___one*)pipe)->tmp_page);
    }
    return (tmp[0] != 0) + (tmp[1] != 0);
}

struct slot_walk {
    __u64 bufs;
    __u32 from, mask;
};

static __always_inline void slot_info(const struct slot_walk* walk, __u32 i, bool direct) {
    struct bpf_slot_info* out = &answer.slot[i & (ring_window - 1)];
    const __u64 buf = walk->bufs + (__u64)((walk->from + i) & walk->mask) * bpf_core_type_size(struct pipe_buffer);
    out->ops = kernel_word(buf + bpf_core_field_offset(struct pipe_buffer, ops), direct);
    out->offset = kernel_u32(buf + bpf_core_field_offset(struct pipe_buffer, offset), direct);
    out->len = kernel_u32(buf + bpf_core_field_offset(struct pipe_buffer, len), direct);
    out->flags = kernel_u32(buf + bpf_core_field_offset(struct pipe_buffer, flags), direct);
    page_info(&out->page, kernel_word(buf + bpf_core_field_offset(struct pipe_buffer, page), direct), direct);
}

static long slot_direct(__u64 i, struct slot_walk* walk) {
    slot_info(walk, (__u32)i, true);
    return 0;
}
static long slot_probed(__u64 i, struct slot_walk* walk) {
    slot_info(walk, (__u32)i, false);
    return 0;
}

static __always_inline int ring(const struct ring_args* args, bool direct) {
    answer.ok = 0;
    struct pipe_inode_info* pipe = pipe_of(args->fd);
    if (!pipe) return 0;
    answer.head = BPF_CORE_READ(pipe, head);
    answer.tail = BPF_CORE_READ(pipe, tail);
    answer.ring_size = BPF_CORE_READ(pipe, ring_size);
    answer.max_usage = BPF_CORE_READ(pipe, max_usage);
    answer.readers = BPF_CORE_READ(pipe, readers);
    answer.writers = BPF_CORE_READ(pipe, writers);
    answer.files = BPF_CORE_READ(pipe, files);
    answer.tmp_pages = spare_pages(pipe);
    answer.page_bytes = bpf_core_type_size(struct page);
    answer.poll_usage = 0;
    if (bpf_core_field_exists(struct pipe_inode_info___poll, poll_usage)) {
        __u8 poll = 0; // little endian: the low byte of the older 32-bit form too
        bpf_core_read(&poll, sizeof poll, &((struct pipe_inode_info___poll*)pipe)->poll_usage);
        answer.poll_usage = poll;
    }
    const __u64 owner = (__u64)BPF_CORE_READ(pipe, mutex.owner.counter);
    answer.owner_pid = owner & ~7ull ? (__u32)BPF_CORE_READ((struct task_struct*)(owner & ~7ull), pid) : 0;

    const __u32 filled = answer.head - answer.tail;
    answer.slots = args->first < filled ? filled - args->first : 0;
    if (answer.slots > ring_window) answer.slots = ring_window;
    struct slot_walk walk = {(__u64)BPF_CORE_READ(pipe, bufs), answer.tail + args->first, answer.ring_size - 1};
    if (direct) bpf_loop(answer.slots, slot_direct, &walk, 0);
    else bpf_loop(answer.slots, slot_probed, &walk, 0);
    answer.torn = owner >> 3 || BPF_CORE_READ(pipe, head) != answer.head || BPF_CORE_READ(pipe, tail) != answer.tail ||
                  (__u64)BPF_CORE_READ(pipe, mutex.owner.counter) >> 3;
    answer.ok = 1;
    return 0;
}

SEC("syscall") int ring_direct(struct ring_args* args) { return ring(args, true); }
SEC("syscall") int ring_probed(struct ring_args* args) { return ring(args, false); }

SEC("syscall") int page_at(struct ring_args* args) {
    __u64 probe = 0;
    answer.ok = bpf_probe_read_kernel(&probe, sizeof probe, (void*)args->addr) == 0; // no struct page where there is no memory
    if (!answer.ok) return 0;
    page_info(&answer.slot[0].page, args->addr, false);
    answer.mapcount = mapcount_of(answer.slot[0].page.head, answer.slot[0].page.order, false);
    return 0;
}

// Reads entries from the pgd down until one is absent, is a leaf, or the last level is reached. The tables are read
// through the direct map without the locks that keep them alive: a table freed meanwhile gives a wrong entry, never a fault.
SEC("syscall") int walk_at(struct ring_args* args) {
    struct task_struct* task = bpf_get_current_task_btf();
    __u64 table = (__u64)BPF_CORE_READ(task, mm, pgd);
    answer.pgd = table;
    answer.levels = 0;
    answer.ok = 1;
#pragma unroll
    for (int level = walk_levels; level > 0; --level) {
        if (level > (int)args->levels) continue;
        const __u64 index = args->addr >> (12 + 9 * (level - 1)) & 511;
        __u64 entry = 0;
        if (bpf_probe_read_kernel(&entry, sizeof entry, (void*)(table + index * 8))) {
            answer.ok = 0;
            return 0;
        }
        answer.entry[answer.levels & (walk_room - 1)] = entry;
        ++answer.levels;
        if (!(entry & 1) || (level <= 3 && entry & 0x80)) return 0; // absent; _PAGE_PSE
        table = args->base + (entry & 0x000ffffffffff000ull);
    }
    return 0;
}

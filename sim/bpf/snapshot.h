// SPDX-License-Identifier: Dual MIT/GPL
// A pipe's ring as the kernel has it at this moment: indices, filled slots, and each slot's page.
#pragma once
#include "page_info.h"

struct slot_walk {
    __u64 bufs;
    __u32 from, mask;
    struct bpf_slot* out;
};

static __always_inline void read_slot(const struct slot_walk* walk, __u32 i, bool direct) {
    struct bpf_slot* out = walk->out + (i & (ring_window - 1));
    const __u64 buf = walk->bufs + (__u64)((walk->from + i) & walk->mask) * bpf_core_type_size(struct pipe_buffer);
    out->ops = kernel_word(buf + bpf_core_field_offset(struct pipe_buffer, ops), direct);
    out->offset = kernel_u32(buf + bpf_core_field_offset(struct pipe_buffer, offset), direct);
    out->len = kernel_u32(buf + bpf_core_field_offset(struct pipe_buffer, len), direct);
    out->flags = kernel_u32(buf + bpf_core_field_offset(struct pipe_buffer, flags), direct);
    out->page = kernel_word(buf + bpf_core_field_offset(struct pipe_buffer, page), direct);
    read_page(out, direct);
}

static long slot_direct(__u64 i, struct slot_walk* walk) {
    read_slot(walk, (__u32)i, true);
    return 0;
}
static long slot_probed(__u64 i, struct slot_walk* walk) {
    read_slot(walk, (__u32)i, false);
    return 0;
}

#define PIPE_U32(pipe, field) kernel_u32((pipe) + bpf_core_field_offset(struct pipe_inode_info, field), direct)

static __always_inline __u64 mutex_owner(__u64 pipe, bool direct) {
    return kernel_word(pipe + bpf_core_field_offset(struct pipe_inode_info, mutex.owner.counter), direct) & ~7ull; // less its flag bits
}

enum { plain_window = 32 }; // slots a loop without bpf_loop, which came in 5.17, may have for the verifier

// The filled slots from `first` on. Nobody holds the pipe's mutex for us: whoever holds it, before or after, or has moved
// an index meanwhile, makes the snapshot a torn one. The indices are read before the first look at the owner and again after
// the second: a writer moves the head before it fills the slot, a reader the tail after it has emptied one.
static __always_inline void read_ring_by(struct bpf_ring* ring, __u64 pipe, __u32 first, bool direct, bool plain_loop) {
    ring->pipe = pipe;
    ring->head = PIPE_U32(pipe, head);
    ring->tail = PIPE_U32(pipe, tail);
    barrier();
    const __u64 owner = mutex_owner(pipe, direct);
    barrier();
    ring->ring_size = PIPE_U32(pipe, ring_size);
    ring->max_usage = PIPE_U32(pipe, max_usage);
    ring->readers = PIPE_U32(pipe, readers);
    ring->writers = PIPE_U32(pipe, writers);
    ring->files = PIPE_U32(pipe, files);
    ring->owner_tid = owner ? kernel_u32(owner + bpf_core_field_offset(struct task_struct, pid), direct) : 0;

    const __u32 filled = ring->head - ring->tail;
    __u32 slots = first < filled ? filled - first : 0;
    if (slots > (plain_loop ? plain_window : ring_window)) slots = plain_loop ? plain_window : ring_window;
    ring->slots = slots;
    struct slot_walk walk = {
        kernel_word(pipe + bpf_core_field_offset(struct pipe_inode_info, bufs), direct), ring->tail + first, ring->ring_size - 1, ring->slot};
    if (plain_loop) {
#pragma clang loop unroll(disable)
        for (__u32 i = 0; i < plain_window && i < slots; ++i) read_slot(&walk, i, direct);
    } else if (direct) bpf_loop(slots, slot_direct, &walk, 0);
    else bpf_loop(slots, slot_probed, &walk, 0);
    barrier();
    const __u64 owner_after = mutex_owner(pipe, direct);
    barrier();
    ring->torn = owner || owner_after || PIPE_U32(pipe, head) != ring->head || PIPE_U32(pipe, tail) != ring->tail;
}

static __always_inline void read_ring(struct bpf_ring* ring, __u64 pipe, __u32 first, bool direct) {
    read_ring_by(ring, pipe, first, direct, false);
}

struct pipe_at {
    __u64 pipe; // 0: the descriptor is something else
    __u64 ino;
    __u32 file_flags;
};

// Behind a descriptor of this task; 0: nothing.
static __always_inline __u64 file_at_fd(__u64 files, __u32 fd, bool direct) {
    const __u64 fdt = kernel_word(files + bpf_core_field_offset(struct files_struct, fdt), direct);
    if (fd >= kernel_u32(fdt + bpf_core_field_offset(struct fdtable, max_fds), direct)) return 0;
    const __u64 fds = kernel_word(fdt + bpf_core_field_offset(struct fdtable, fd), direct);
    return kernel_word(fds + (__u64)fd * 8, direct);
}

static __always_inline __u64 files_of_task(struct task_struct* task, bool direct) {
    return kernel_word((__u64)task + bpf_core_field_offset(struct task_struct, files), direct);
}

static __always_inline struct pipe_at pipe_of_inode(__u64 inode, __u32 file_flags, bool direct) {
    struct pipe_at at = {};
    const __u64 mode_at = inode + bpf_core_field_offset(struct inode, i_mode);
    const __u32 mode = kernel_u32(mode_at & ~3ull, direct) >> (mode_at & 2) * 8;
    if ((mode & 0170000) != 0010000) return at; // S_ISFIFO
    at.pipe = kernel_word(inode + bpf_core_field_offset(struct inode, i_pipe), direct);
    at.ino = kernel_word(inode + bpf_core_field_offset(struct inode, i_ino), direct);
    at.file_flags = file_flags;
    return at;
}

// The pipe behind a descriptor of this task.
static __always_inline struct pipe_at pipe_at_fd(struct task_struct* task, __u32 fd, bool direct) {
    const __u64 file = file_at_fd(files_of_task(task, direct), fd, direct);
    const __u64 inode = file ? kernel_word(file + bpf_core_field_offset(struct file, f_inode), direct) : 0;
    if (!inode) return (struct pipe_at){};
    return pipe_of_inode(inode, kernel_u32(file + bpf_core_field_offset(struct file, f_flags), direct), direct);
}

static __always_inline __u64 pipe_of_fd(struct task_struct* task, __u32 fd, bool direct) { return pipe_at_fd(task, fd, direct).pipe; }

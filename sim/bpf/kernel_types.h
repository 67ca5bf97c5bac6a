// SPDX-License-Identifier: Dual MIT/GPL
// The few kernel structures the BPF programs look into; the loader relocates each field to where the running kernel has it.
#pragma once
#include <linux/bpf.h>
#include <linux/types.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

// Only names and kinds matter here; order, padding and missing fields do not. A suffix after ___ is a variant: the loader
// ignores it when it looks for the kernel's type, so one field may be declared in each form that some kernel has.
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
    int counter;
} atomic_t;
typedef struct {
    long long counter;
} atomic64_t;

struct mutex {
    atomic64_t owner; // task_struct | 3 flag bits
};

struct page {
    atomic_t _mapcount; // less one
    atomic_t _refcount;
};
struct page___small { // to 5.17: order of a compound page, kept in page[1]
    unsigned char compound_order;
};
struct folio___byte { // 5.18 to 6.5
    unsigned char _folio_order;
};
struct folio___word { // from 6.6: low byte
    unsigned long _flags_1;
};
struct folio___large { // from 6.9
    atomic_t _large_mapcount;
};
enum pageflags___head { PG_head___head = 0 };

struct pipe_buffer {
    struct page* page;
    unsigned int offset, len;
    const void* ops;
    unsigned int flags;
};

struct pipe_inode_info {
    struct mutex mutex;
    unsigned int head, tail, max_usage, ring_size, readers, writers, files;
    struct pipe_buffer* bufs;
};
struct pipe_inode_info___poll {
    bool poll_usage;
};
struct pipe_inode_info___one { // to 6.14
    struct page* tmp_page;
};
struct pipe_inode_info___two {
    struct page* tmp_page[2];
};
struct anon_pipe_prealloc___many {
    unsigned int count;
};
struct pipe_inode_info___many { // seen in 7.3
    bool pseudo_edgetrigger; // poll_usage
    struct anon_pipe_prealloc___many prealloc;
};

struct inode {
    unsigned short i_mode;
    unsigned long i_ino;
    struct pipe_inode_info* i_pipe;
};
struct file {
    struct inode* f_inode;
    unsigned int f_flags;
};
struct fdtable {
    unsigned int max_fds;
    struct file** fd;
};
struct files_struct {
    atomic_t count;
    struct fdtable* fdt;
};
struct mm_struct {
    unsigned long* pgd;
};
struct task_struct {
    int pid, tgid;
    struct mm_struct* mm;
    struct files_struct* files;
    char comm[16];
};
struct task_struct___new { // from 5.14
    unsigned int __state;
};
struct task_struct___old {
    long state;
};

// Any address can be looked at as words through a structure that is nothing but words: the verifier takes a field of
// struct page for the pointer it is declared as, and refuses arithmetic on it.
struct pt_regs___words {
    unsigned long r15, r14;
};
struct pt_regs___call { // x86-64: where a system call has its arguments
    unsigned long di, si, dx, r10, r8, r9, orig_ax;
};

#pragma clang attribute pop

extern void* bpf_rdonly_cast(void* obj, __u32 btf_id) __ksym __weak; // from 6.2

// The word at a kernel address, 0 where there is none. `direct`: by a plain load, which costs a fifth of the helper.
static __always_inline __u64 kernel_word(__u64 addr, bool direct) {
    if (direct) return ((struct pt_regs___words*)bpf_rdonly_cast((void*)addr, bpf_core_type_id_kernel(struct pt_regs___words)))->r15;
    __u64 v = 0;
    bpf_probe_read_kernel(&v, sizeof v, (void*)addr);
    return v;
}

static __always_inline __u32 kernel_u32(__u64 addr, bool direct) {
    return (__u32)(kernel_word(addr & ~7ull, direct) >> (addr & 4) * 8); // no branch: the verifier would follow both ways
}

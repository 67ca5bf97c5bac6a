// SPDX-License-Identifier: Dual MIT/GPL
// The recorder: every system call of recorded tasks on any pipe, with the pipe's ring, and their waits inside it.
#include "record_send.h"
#include <asm/unistd_64.h>

char LICENSE[] SEC("license") = "Dual MIT/GPL";

enum { iov_looked_at = 8, fds_looked_at = 16, fcntl_setpipe_sz = 1031, ioctl_fionread = 0x541b, quick_ns = 20000 };

struct iovec_ {
    __u64 base, len;
};
static __always_inline void look_at_iov(struct rec_call_info* call, __u64 iov, __u64 n) {
    for (__u32 i = 0; i < iov_looked_at && i < n; ++i) {
        struct iovec_ v = {};
        if (bpf_probe_read_user(&v, sizeof v, (void*)(iov + i * sizeof v))) return;
        if (i == 0) call->addr = v.base;
        call->len += v.len;
    }
}

// poll: the first pipe among the first descriptors, and what is awaited of it.
static __always_inline struct pipe_at look_at_pollfds(struct task_struct* task, struct rec_call_info* call, __u64 at, __u64 n) {
    struct pipe_at found = {};
#pragma clang loop unroll(disable)
    for (__u32 i = 0; i < fds_looked_at && i < n; ++i) {
        __u64 pollfd = ~0ull; // fd and the events wanted
        if (bpf_probe_read_user(&pollfd, sizeof pollfd, (void*)(at + i * sizeof pollfd))) break;
        found = pipe_at_fd(task, (__u32)pollfd, direct_loads);
        if (!found.pipe) continue;
        call->fd = (__u32)pollfd, call->flags = (__u32)(pollfd >> 32) & 0xffff;
        break;
    }
    return found;
}

// select: the same among descriptors below 64; POLLIN, POLLOUT.
static __always_inline struct pipe_at look_at_sets(struct task_struct* task, struct rec_call_info* call, __u64 nfds, __u64 in, __u64 out) {
    struct pipe_at found = {};
    __u64 set[2] = {};
    if (in) bpf_probe_read_user(&set[0], sizeof set[0], (void*)in);
    if (out) bpf_probe_read_user(&set[1], sizeof set[1], (void*)out);
#pragma clang loop unroll(disable)
    for (__u32 fd = 0; fd < 64 && fd < nfds; ++fd) {
        if (!((set[0] | set[1]) >> fd & 1)) continue;
        found = pipe_at_fd(task, fd, direct_loads);
        if (!found.pipe) continue;
        call->fd = fd, call->flags = (set[0] >> fd & 1 ? 1 : 0) | (set[1] >> fd & 1 ? 4 : 0);
        break;
    }
    return found;
}

static __always_inline __u32 files_of(__u64 pipe) {
    const bool direct = direct_loads;
    return PIPE_U32(pipe, files);
}

// The same call on the same file as the last system call of this task: its pipe is the same. That spares looking into the
// inode, which the other side writes its times into. Not where another thread may have changed the descriptor meanwhile.
static __always_inline bool again_the_same(struct recorded_task* t, struct task_struct* task, __u32 nr, __u32 fd, __u32 other_fd) {
    const bool direct = direct_loads;
    if (!t->file || t->nr != nr || t->arg_fd != fd || t->arg_other != other_fd) return false;
    const __u64 files = files_of_task(task, direct);
    if (t->file != file_at_fd(files, fd, direct)) return false;
    if (kernel_u32(files + bpf_core_field_offset(struct files_struct, count), direct) != 1) return false;
    t->call.file_flags = kernel_u32(t->file + bpf_core_field_offset(struct file, f_flags), direct);
    return true;
}

static __always_inline int on_enter(unsigned long long* ctx, bool plain_loop) {
    struct task_struct* task = current_task();
    struct recorded_task* t = recorded_current();
    if (!t) return 0;
    const struct pt_regs___call* regs = (void*)ctx[0];
    const __u32 nr = (__u32)ctx[1];
    struct rec_call_info* call = &t->call;
    call->addr = call->len = call->flags = 0;
    t->in_call = 0;
    struct pipe_at at = {}, other = {};
    __u32 fd = ~0u, other_fd = ~0u;
    switch (nr) {
    case __NR_read:
    case __NR_write: fd = (__u32)regs->di, call->addr = regs->si, call->len = regs->dx; break;
    case __NR_readv:
    case __NR_writev:
    case __NR_preadv2:
    case __NR_pwritev2: // their flags come after the offset's two halves
        fd = (__u32)regs->di;
        if (nr == __NR_preadv2 || nr == __NR_pwritev2) call->flags = (__u32)regs->r9;
        break;
    case __NR_vmsplice: fd = (__u32)regs->di, call->flags = (__u32)regs->r10; break;
    case __NR_splice: fd = (__u32)regs->di, other_fd = (__u32)regs->dx, call->len = regs->r8, call->flags = (__u32)regs->r9; break;
    case __NR_tee: fd = (__u32)regs->di, other_fd = (__u32)regs->si, call->len = regs->dx, call->flags = (__u32)regs->r10; break;
    case __NR_sendfile: fd = (__u32)regs->di, call->len = regs->r10; break;
    case __NR_poll:
    case __NR_ppoll:
        call->len = regs->dx;
        at = look_at_pollfds(task, call, regs->di, regs->si);
        break;
    case __NR_select:
    case __NR_pselect6: at = look_at_sets(task, call, regs->di, regs->si, regs->dx); break;
    case __NR_close: fd = (__u32)regs->di; break;
    case __NR_fcntl:
        t->file = 0;
        if ((__u32)regs->si != fcntl_setpipe_sz) return 0;
        fd = (__u32)regs->di, call->len = regs->dx;
        break;
    case __NR_ioctl:
        t->file = 0;
        if ((__u32)regs->si != ioctl_fionread) return 0;
        fd = (__u32)regs->di;
        break;
    default: t->file = 0; return 0;
    }
    if (fd != ~0u) {
        if (again_the_same(t, task, nr, fd, other_fd)) goto found;
        at = pipe_at_fd(task, fd, direct_loads);
        call->fd = fd;
    }
    if (other_fd != ~0u) other = pipe_at_fd(task, other_fd, direct_loads);
    t->file = at.pipe && fd != ~0u && !other.pipe ? file_at_fd(files_of_task(task, direct_loads), fd, direct_loads) : 0;
    t->nr = nr, t->arg_fd = fd, t->arg_other = other_fd;
    if (!at.pipe) { // a splice into a pipe from something else
        at = other;
        other.pipe = 0;
        if (other_fd != ~0u) call->fd = other_fd;
    }
    if (!at.pipe) return 0;
    call->pipe = at.pipe, call->ino = at.ino, call->file_flags = at.file_flags;
    t->other = other.pipe, t->other_ino = other.ino, t->other_fd = other_fd;
found:
    if (nr == __NR_readv || nr == __NR_writev || nr == __NR_preadv2 || nr == __NR_pwritev2 || nr == __NR_vmsplice)
        look_at_iov(call, regs->si, regs->dx);
    call->nr = nr;
    call->again = 0;
    call->result = 0;
    call->allocs = call->pages = call->faults = call->slow = 0;
    call->lock_begin_ns = call->lock_end_ns = 0;
    call->enter_known = call->has_ring = 0;
    for (int i = 0; i < stages_timed; ++i) call->stage_ns[i] = t->stage_began[i] = 0;
    t->contended = 0;
    t->gone = 0;
    t->whole = nr == __NR_fcntl;
    const __u64 so_far = *told_place(call->pipe);
    if (t->other) t->other_so_far = *told_place(t->other);
    const __u64 now = bpf_ktime_get_ns();
    set_head(&call->head, rec_enter, (__u32)bpf_get_current_pid_tgid(), now);
    // In a row of quick calls the ring is as the call before left it, or as others' records tell.
    const bool quick = t->again || now - t->exit_ns < quick_ns;
    t->held = !t->other && (quick || glance(call, so_far));
    call->enter_ns = t->held ? now : 0;
    if (!t->held && plain_loop) send_plain(rec_enter, now, so_far);
    else if (!t->held) send_looping(t, rec_enter, now, so_far);
    t->gone = nr == __NR_close && files_of(call->pipe) <= 1;
    t->in_call = 1;
    return 0;
}

static __always_inline int on_exit(unsigned long long* ctx, bool plain_loop) {
    struct recorded_task* t = recorded_current();
    if (!t || !t->in_call) return 0;
    const __s64 result = (__s64)ctx[1];
    struct rec_call_info* call = &t->call;
    t->in_call = 0;
    if (t->held && t->again && result == -EAGAIN_) {
        ++t->again;
        return 0;
    }
    call->again = t->again ? t->again - 1 : 0; // the first of the row was sent
    t->again = result == -EAGAIN_;
    call->result = result;
    const __u64 so_far = t->whole ? 0 : *told_place(call->pipe);
    if (t->other) t->other_so_far = *told_place(t->other);
    const __u64 now = bpf_ktime_get_ns();
    t->exit_ns = now;
    return plain_loop ? send_plain(rec_exit, now, so_far) : send_looping(t, rec_exit, now, so_far);
}

SEC("tp_btf/sys_enter") int enter(unsigned long long* ctx) { return on_enter(ctx, false); }
SEC("tp_btf/sys_exit") int exit_(unsigned long long* ctx) { return on_exit(ctx, false); }
// Before bpf_loop, 5.17, also the mere mention of a function to be called back is refused.
SEC("tp_btf/sys_enter") int enter_plain(unsigned long long* ctx) { return on_enter(ctx, true); }
SEC("tp_btf/sys_exit") int exit_plain(unsigned long long* ctx) { return on_exit(ctx, true); }

#include "record_waits.h"
#include "record_sample.h"
#include "record_stages.h"
#include "record_tasks.h"

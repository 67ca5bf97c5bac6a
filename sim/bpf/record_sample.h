// SPDX-License-Identifier: Dual MIT/GPL
// Sampled runs: one short program at the end of each call counts, and looks at the ring now and then.
#pragma once
#include "record_send.h"
#include <asm/unistd_64.h>

static __always_inline void send_counts(struct counted_fd* c, __u32 tid, __u32 nr, __s64 result, __u32 room, bool with_ring) {
    struct call_room* at = room_for(room);
    if (!at) return;
    struct rec_call* call = &at->call;
    call->info = (struct rec_call_info){};
    struct rec_call_info* info = &call->info;
    const __u64 so_far = *told_place(c->pipe);
    c->t_ns = bpf_ktime_get_ns();
    set_head(&info->head, rec_sample, tid, c->t_ns);
    info->nr = nr, info->fd = c->fd - 1, info->file_flags = c->file_flags, info->result = result;
    info->pipe = c->pipe, info->ino = c->ino;
    info->calls = c->calls, info->bytes = c->bytes, info->idle = c->idle;
    c->calls = c->bytes = c->idle = 0;
    if (with_ring) send_with_ring(at, so_far, false);
    else send_call(call);
}

// Whatever is counted and was not told yet. The descriptors mean nothing afterwards.
static __always_inline void send_counted(struct recorded_task* t, struct task_struct* task, __u32 room) {
    if (!sample_calls && !sample_ns) return;
#pragma clang loop unroll(disable)
    for (__u32 i = 0; i < fds_counted; ++i) {
        struct counted_fd* c = &t->counted[i];
        if (c->calls) send_counts(c, tid_of(task), c->file_flags & 1 ? __NR_write : __NR_read, 0, room, false);
        c->fd = 0;
    }
}

static __always_inline struct counted_fd* counted_fd_of(struct recorded_task* t, struct task_struct* task, __u32 fd) {
    struct counted_fd* c = &t->counted[fd & (fds_counted - 1)];
    if (c->fd == fd + 1) return c;
    if (c->calls) send_counts(c, tid_of(task), c->file_flags & 1 ? __NR_write : __NR_read, 0, 1, false);
    const struct pipe_at at = pipe_at_fd(task, fd, direct_loads);
    *c = (struct counted_fd){};
    c->fd = fd + 1, c->file_flags = at.file_flags, c->pipe = at.pipe, c->ino = at.ino;
    return c;
}

SEC("tp_btf/sys_exit") int exit_sampled(unsigned long long* ctx) {
    struct task_struct* task = current_task();
    struct recorded_task* t = recorded_current();
    if (!t) return 0;
    const struct pt_regs___call* regs = (void*)ctx[0];
    const __u32 nr = (__u32)regs->orig_ax;
    __u32 fd = (__u32)regs->di, other = ~0u;
    switch (nr) {
    case __NR_read:
    case __NR_write:
    case __NR_readv:
    case __NR_writev:
    case __NR_preadv2:
    case __NR_pwritev2:
    case __NR_vmsplice:
    case __NR_sendfile: break;
    case __NR_splice: other = (__u32)regs->dx; break;
    case __NR_tee: other = (__u32)regs->si; break;
    case __NR_dup2:
    case __NR_dup3:
    case __NR_close: { // what the descriptor was it is no longer
        if (nr != __NR_close) fd = (__u32)regs->si;
        struct counted_fd* c = &t->counted[fd & (fds_counted - 1)];
        if (c->fd != fd + 1) return 0;
        if (c->calls) send_counts(c, tid_of(task), c->file_flags & 1 ? __NR_write : __NR_read, 0, 1, false);
        c->fd = 0;
        return 0;
    }
    case __NR_close_range: send_counted(t, task, 1); return 0;
    default: return 0;
    }
    struct counted_fd* c = counted_fd_of(t, task, fd);
    if (!c->pipe && other != ~0u) c = counted_fd_of(t, task, other);
    if (!c->pipe) return 0;
    const __s64 result = (__s64)ctx[1];
    ++c->calls;
    if (result > 0) c->bytes += result;
    else if (result == -EAGAIN_) ++c->idle;
    // The clock is looked at now and then, it costs more than all the rest.
    const bool due = sample_ns ? !(c->calls & 15) && bpf_ktime_get_ns() - c->t_ns >= sample_ns : c->calls >= sample_calls;
    if (due) send_counts(c, tid_of(task), nr, result, 1, true);
    return 0;
}

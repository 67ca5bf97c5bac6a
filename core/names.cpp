// SPDX-License-Identifier: MIT
// Names of stages, functions, calls, events, page owners and errnos.
#include "core/state.hpp"
#include <cstring>

namespace pipescope {
namespace {

constexpr StageInfo stages[] = {
#define STAGE(id, fn, label, does) {#id, Fn::fn, label, does},
#include "core/stages.def"
#undef STAGE
};

constexpr const char* fns[] = {
#define FN(id, name) name,
#include "core/stages.def"
#undef FN
};

constexpr const char* calls[] = {"", "write", "read", "writev", "readv", "vmsplice", "splice", "tee", "sendfile", "close", "dup", "F_GETPIPE_SZ",
                                 "F_SETPIPE_SZ", "F_SETFL", "FIONREAD", "poll", "open", "pipe", "fork", "munmap", "mprotect", "madvise", "touch", "kill", "exit", "sendto", "if_start"};
static_assert(sizeof calls / sizeof *calls == static_cast<std::size_t>(Sys::count));

constexpr const char* events[] = {
    "none", "mm_new", "fdtable_new", "task_new", "task_exit", "pipe_new", "buffer_new", "inode_new", "inode_page", "inode_size", "file_new", "file_pos", "file_fpipe", "fifo_new", "fifo_pipe", "epoll_new", "epoll_ready", "file_flags", "file_get", "file_put", "fd_install",
    "fd_remove", "mm_levels", "vma_new", "vma_prot", "vma_del", "page_alloc", "page_free", "page_ref", "page_map", "page_flags", "pte_set", "tlb_flush", "store", "fill", "pattern", "copy", "page_pin", "tlb_fill", "tlb_hit",
    "user_line", "sys_enter", "sys_exit", "fn_enter", "fn_exit", "stage", "run_state", "signal", "signals_taken", "mutex_lock", "mutex_unlock",
    "mutex_wait", "mutex_leave", "mutex_handoff", "wq_add", "wq_remove", "wake", "buf_set", "buf_move", "buf_clear", "head_set", "tail_set", "tmp_page",
    "ring_resize", "pipe_counts", "poll_usage", "waiting_writers", "pipe_free", "sock_new", "sock_peer", "sock_state", "sock_wmem", "sock_wait", "sock_wake", "skb_queue", "skb_frag", "skb_eat", "skb_free", "page_frag", "mcl_new", "mcl_take", "m_get", "m_clget", "m_ext", "m_link", "m_set", "m_copyin", "m_copydata", "m_free", "if_queue", "if_fetch", "page_seen", "page_user", "ring_begin", "ring_slot", "ring_end", "ring_source",
    "observed", "lost", "note", "task_cpu"};
static_assert(sizeof events / sizeof *events == static_cast<std::size_t>(EventKind::count));

constexpr const char* owners[] = {"free", "kernel", "user", "page cache", "zero", "socket", "page table", "unknown"};

struct Errno {
    int number;
    const char* name;
};
constexpr Errno errnos[] = {{EPERM, "EPERM"}, {ENODEV, "ENODEV"}, {ENOENT, "ENOENT"}, {EINTR, "EINTR"}, {EIO, "EIO"}, {ENXIO, "ENXIO"}, {EBADF, "EBADF"}, {EAGAIN, "EAGAIN"},
                            {ENOMEM, "ENOMEM"}, {EACCES, "EACCES"}, {EFAULT, "EFAULT"}, {EBUSY, "EBUSY"}, {EEXIST, "EEXIST"}, {EINVAL, "EINVAL"},
                            {ENFILE, "ENFILE"}, {EMFILE, "EMFILE"}, {ENOTTY, "ENOTTY"}, {EFBIG, "EFBIG"}, {ENOSPC, "ENOSPC"}, {ESPIPE, "ESPIPE"},
                            {EPIPE, "EPIPE"}, {ENOSYS, "ENOSYS"}, {ENODATA, "ENODATA"}, {EOVERFLOW, "EOVERFLOW"}, {ENOBUFS, "ENOBUFS"},
                            {EDESTADDRREQ, "EDESTADDRREQ"}, {ENOTCONN, "ENOTCONN"}, {EOPNOTSUPP, "EOPNOTSUPP"}, {EMSGSIZE, "EMSGSIZE"}, {ECONNRESET, "ECONNRESET"}, {ECONNREFUSED, "ECONNREFUSED"}, {ERESTARTSYS_, "ERESTARTSYS"}};

} // namespace

const StageInfo& stage_info(Stage s) { return stages[s < Stage::count ? static_cast<std::size_t>(s) : 0]; }
const char* fn_name(Fn f) { return fns[f < Fn::count ? static_cast<std::size_t>(f) : 0]; }
const char* sys_name(Sys s) { return calls[s < Sys::count ? static_cast<std::size_t>(s) : 0]; }
const char* event_name(EventKind k) { return events[k < EventKind::count ? static_cast<std::size_t>(k) : 0]; }
const char* page_owner_name(PageOwner o) { return owners[static_cast<std::size_t>(o) <= 7 ? static_cast<std::size_t>(o) : 7]; }

const char* errno_name(int err) {
    for (const Errno& e : errnos)
        if (e.number == err) return e.name;
    return "E???";
}
int errno_number(const char* name) {
    for (const Errno& e : errnos)
        if (std::strcmp(e.name, name) == 0) return e.number;
    return 0;
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// The event: one small plain record of what happened, to what, in which task, when.
#pragma once
#include "core/stage.hpp"
#include "core/types.hpp"

namespace pipescope {

// Operands are a, b, c (32 bits) and x, y (64 bits). `task` is who did it, `pipe` what it was done to; `no_id` where it
// does not apply. apply() in apply.cpp is the definition of each kind.
enum class EventKind : std::uint8_t {
    none,
    // the world
    mm_new,      // a=mm
    fdtable_new, // a=fdtable
    task_new,    // task=id a=name b=mm c=fdtable x=pid y=cpu
    task_exit,   // task
    pipe_new,    // pipe=id a=ring_size b=name x=inode number (recordings)
    buffer_new,  // a=name b=mm c=1 when it is scratch space x=address y=bytes
    inode_new,   // a=inode b=name x=size
    inode_page,  // a=inode b=index c=page
    inode_size,  // a=inode x=size
    file_new,    // a=file b=FileKind c=open flags (FileFlag) pipe x=inode or no_id; a socket: its number
    file_pos,    // a=file x=position
    file_fpipe,  // a=file b=w_counter
    fifo_new,    // a=fifo b=name
    fifo_pipe,   // a=fifo pipe: its ring, or no_id
    epoll_new,   // a=epoll b=events c=1 edge-triggered x=file
    epoll_ready, // a=epoll b=1 on the ready list, 0 off it
    file_flags,  // a=file c=open flags
    file_get,    // a=file: one reference more, of a call that uses it
    file_put,    // a=file: one reference less; freed at 0
    fd_install,  // a=fdtable b=fd c=file
    fd_remove,   // a=fdtable b=fd
    mm_levels,   // a=mm b=levels: before anything is mapped in it
    // memory
    vma_new,     // a=mm b=VmaFlag | page offset in the file<<8 c=0 or inode+1 x=start y=end
    vma_prot,    // a=mm b=VmaFlag x=start y=end: every part of a vma in the range gets these flags
    vma_del,     // a=mm x=start y=end: no vma covers the range any more
    page_alloc,  // a=page b=order c=PageOwner; refcount becomes 1
    page_free,   // a=head page
    page_ref,    // a=any page of the folio b=signed delta c=cpu that touched the count
    page_map,    // a=page b=signed delta of mapcount c=MapBy
    page_flags,  // a=page b=flags to set c=flags to clear
    pte_set,     // a=table page b=index y=entry
    tlb_flush,   // a=mm x=start y=end, or both 0 for all of it: on every CPU
    store,       // a=page b=offset c=n (≤16) x,y=bytes, little endian
    fill,        // a=page b=value: the whole page
    pattern,     // a=page c=bytes x=file offset: what file_pattern() gives from there, into the page's first bytes
    copy,        // a=from page b=to page c=bytes, and copy_tlb_hit x=from offset y=to offset
    page_pin,    // a=any page of the folio b=signed number of pins: FOLL_PIN
    tlb_fill,    // a=cpu b=mm c=order x=address of the page y=entry: a miss, and the walk that the CPU did
    tlb_hit,     // a=cpu b=mm x=address
    // tasks
    user_line,   // task a=line of its program
    sys_enter,   // task a=Sys b=fd c=flags pipe x=address or offset y=length
    sys_exit,    // task a=Sys pipe x=result (negative errno as int64)
    fn_enter,    // task a=Fn
    fn_exit,     // task a=Fn
    stage,       // task stage pipe, operands by stage
    run_state,   // task a=RunState b=WaitFor c=1: inferred
    signal,      // task=receiver a=signal number
    signals_taken, // task: the program has looked at the signals delivered to it
    // the pipe
    mutex_lock,  // task pipe
    mutex_unlock,// task pipe
    mutex_wait,  // task pipe a=1 spinning, 2 asleep: joins the waiters
    mutex_leave, // task pipe: leaves the waiters
    mutex_handoff, // task pipe: the next unlock gives it the mutex
    wq_add,      // task pipe a=WaitQueue b=exclusive c=epoll+1, or 0 for a task
    wq_remove,   // task pipe a=WaitQueue c=epoll+1, or 0 for the task
    wake,         // task=waker pipe a=WaitQueue b=task woken c=1 sync, 2 it stays on the queue (poll)
    buf_set,     // pipe a=slot b=page c=flags x=offset<<32|len y=BufOps
    buf_move,    // pipe a=slot b=offset c=len
    buf_clear,   // pipe a=slot: ops becomes NULL, the rest stays as it was
    head_set,    // pipe a=head
    tail_set,    // pipe a=tail
    tmp_page,    // pipe a=index b=page or no_page
    ring_resize,  // pipe a=slots b=max_usage, 0 for all of them: copies the filled slots to 0…n-1, tail 0, head n
    pipe_counts, // pipe a=readers b=writers c=files x=r_counter y=w_counter
    poll_usage,  // pipe
    waiting_writers, // pipe a=their number
    pipe_free,   // pipe
    // sockets
    sock_new,    // a=socket b=name c=SockType x=send buffer, bytes
    sock_peer,   // a=socket b=peer or no_id
    sock_state,  // a=socket b=SockShutdown bits c=error x=1 dead
    sock_wmem,   // a=socket b=signed delta, bytes
    sock_wait,   // task a=socket b=1 queues, 0 leaves c=1 exclusive y=epoll+1, or 0 for the task
    sock_wake,   // task=waker a=socket b=task woken
    skb_queue,   // a=receiver b=page of the linear part c=its bytes x=truesize y=sender
    skb_frag,    // a=receiver b=page c=bytes x=offset y=1 extends the last fragment, 2 the truesize grows too: to its last buffer
    skb_eat,     // a=receiver c=bytes taken from its first buffer
    skb_free,    // a=receiver: its first buffer is gone
    page_frag,   // task b=page c=offset
    // mbufs, as the BSDs have them
    mcl_new,     // a=page b=offset: one more cluster in the pool
    mcl_take,    // a=cluster: a program has it
    m_get,       // a=mbuf b=M_PKTHDR or 0
    m_clget,     // a=mbuf b=cluster of its own
    m_ext,       // a=mbuf b=cluster that somebody has c=offset x=length: one reference more
    m_link,      // a=mbuf b=mbuf or no_id c=0 m_next, 1 m_nextpkt
    m_set,       // a=mbuf b=MbufFlag c=length, no more than it has
    m_copyin,    // a=mbuf b=page c=bytes x=offset: user memory, behind what it holds
    m_copydata,  // a=mbuf b=from mbuf c=bytes x=offset
    m_free,      // a=mbuf, and its reference to a cluster
    if_queue,    // a=first mbuf of a packet: to the end of the card's queue
    if_fetch,    // a=first mbuf of the queue's first packet: the card reads its bytes
    // read from a live kernel
    page_seen,   // a=page b=refcount c=PageOwner | order<<8 | PageSeen bits<<16 x=pfn y=flags word of struct page
    page_user,   // a=page b=task that maps it c=page index in its buffer x=address
    ring_begin,  // pipe a=head b=tail c=ring_size x=max_usage y=RingFlag
    ring_slot,   // pipe a=slot b=page c=flags x=offset<<32|len y=BufOps
    ring_end,    // pipe a=readers b=writers c=mutex owner's task or no_id
    ring_source, // pipe a=RingSource: where the ring's content comes from, from here on
    observed,    // pipe a=FIONREAD bytes or no_id b=F_GETPIPE_SZ bytes or no_id
    lost,        // x=events that the capture lost up to here
    note,        // a=string
    task_cpu,    // task a=CPU that it runs on from now on
    count
};

// In c of a copy: the user's side of it was in the TLB of the task's CPU. A bit, since an event of its own costs too much.
inline constexpr std::uint32_t copy_tlb_hit = 1u << 31;

struct Event {
    std::uint64_t t_ns = 0; // virtual time, or CLOCK_MONOTONIC since the start of the recording
    EventKind kind = EventKind::none;
    std::uint8_t spare = 0;
    Stage stage = Stage::none;
    TaskId task = no_id;
    PipeId pipe = no_id;
    std::uint32_t a = 0, b = 0, c = 0;
    std::uint64_t x = 0, y = 0;

    bool operator==(const Event&) const = default;
};
static_assert(sizeof(Event) == 48);

const char* event_name(EventKind k); // "buf_set"

} // namespace pipescope

// SPDX-License-Identifier: MIT
// The modelled kernel: reads a state, emits events that change it, and stops at every stage if it is asked to.
#pragma once
#include "core/call.hpp"
#include "core/kernel/base.hpp"
#include "core/kernel/iov.hpp"
#include "core/mm/walk.hpp"
#include <array>

namespace pipescope {

class Kernel : public KernelBase {
public:
    using KernelBase::KernelBase;

    // --- the world a scenario makes; no stages
    MmId mm_new();
    void set_paging_levels(int levels); // 4 or 5, while nothing is mapped
    FdTableId fdtable_new();
    TaskId task_new(StringId name, MmId mm, FdTableId fds, std::uint64_t pid, std::uint32_t cpu);
    PipeId pipe_new(TaskId me, std::uint32_t slots, StringId name, std::uint32_t flags, int fds[2]); // pipe2(): flags F_nonblock|F_direct
    int file_open(TaskId me, FileKind kind, std::uint32_t flags, PipeId pipe, InodeId inode = no_id);                     // fd, lowest free
    InodeId inode_new(TaskId me, StringId name, std::uint64_t size, bool filled); // filled: all of it in the page cache, with file_pattern()
    void buffer_new(StringId name, MmId mm, std::uint64_t addr, std::uint64_t len, bool scratch);
    const File* file(TaskId me, int fd) const; // null: EBADF
    long socketpair(TaskId me, SockType type, const StringId names[2], std::uint32_t flags, int fds[2]); // socketpair(AF_UNIX): F_nonblock
    std::uint32_t poll_mask(const File& file) const; // what poll(2) would say now, without asking

    std::uint32_t fifo_new(StringId name); // its number: Call::addr of Sys::open
    void kill(TaskId to, int sig); // handled, SIGUSR2 with SA_RESTART: a sleeper in a pipe wakes up
    // epoll_ctl(EPOLL_CTL_ADD) of one file, and one look with epoll_wait(timeout 0). Bits of poll(2).
    long epoll_add(TaskId me, int fd, std::uint32_t events, bool edge); // number of the item, or -EBADF, -EPERM
    std::uint32_t epoll_wait(TaskId me, std::uint32_t epoll);

    // --- system calls, arch/x86/entry and fs/*.c. Results: a number, or -errno; ERESTARTSYS_ has become EINTR.
    Co<long> syscall(TaskId me, const Call& call);

    // --- memory, mm/*.c
    PageId alloc_pages(TaskId me, std::uint32_t order, PageOwner owner); // refcount 1
    void get_page(TaskId me, PageId page, std::uint32_t refs = 1);
    void put_page(TaskId me, PageId page, std::uint32_t refs = 1);       // frees the folio at 0
    std::int32_t page_count(PageId page) const { return s.pages[s.pages[page].compound_head].refcount; }
    std::uint64_t task_size() const { return paging_levels == 5 ? task_size_max5 : task_size_max; } // TASK_SIZE_MAX
    // Reserves; no page is touched. `high`: as a hint above 47 bits does on a machine of 5 levels.
    std::uint64_t mmap(TaskId me, std::uint64_t len, std::uint32_t vma_flags, std::uint64_t align, bool high = false);
    // Of a file's pages from pgoff on, or with fd -1 of memory to be shared: the address, or -EBADF, -EACCES, -ENODEV.
    long mmap_file(TaskId me, int fd, std::uint64_t len, std::uint32_t vma_flags, std::uint32_t pgoff, std::uint64_t align = page_size);
    std::int32_t page_mapcount(PageId page) const { // folio_precise_page_mapcount: entries that this page can be reached by
        const Page& p = s.pages[page];
        return p.order ? p.own_mapcount + s.pages[p.compound_head].entire_mapcount : p.mapcount;
    }
    long mprotect(TaskId me, std::uint64_t start, std::uint64_t len, std::uint32_t vma_flags); // VMA_READ and VMA_WRITE of these
    long munmap(TaskId me, std::uint64_t start, std::uint64_t len);
    long madvise(TaskId me, std::uint64_t start, std::uint64_t len, std::uint32_t advice); // MADV_DONTNEED, MADV_HUGEPAGE, MADV_COLD
    long touch(TaskId me, std::uint64_t start, std::uint64_t len); // a store into every page: 0 or -EFAULT
    TaskId fork(TaskId parent, StringId name, std::uint64_t pid, std::uint32_t cpu); // descriptors and memory of its own, copied
    Co<long> do_exit(TaskId me); // closes and unmaps what no other task shares
    int fault(TaskId me, std::uint64_t addr, bool write);  // handle_mm_fault: 0 or -EFAULT
    // The frame at addr, faulted in if need be; no_page: a fault. A TLB hit is an event, or a bit for the caller's own.
    PageId user_page(TaskId me, std::uint64_t addr, bool write, std::uint32_t* hit = nullptr);
    Co<long> get_user_pages_fast(TaskId me, std::uint64_t start, std::uint32_t n, PageId* pages); // pages got, or -errno
    // FOLL_PIN, as direct I/O and registered buffers use it: all pages pinned, or -EFAULT. The pages stay pinned, whatever
    // becomes of the mapping, until the same range is given back: pages unpinned, or -EINVAL.
    long pin_user_pages(TaskId me, std::uint64_t addr, std::uint64_t len, bool write);
    long unpin_user_pages(TaskId me, std::uint64_t addr, std::uint64_t len);

    // A receive queue, also for what stands for a network: core/net/skb.cpp, unix.cpp.
    void skb_dequeue(TaskId me, SockId sock);
    void skb_queue_tail(TaskId me, SockId to, const Skb& skb);

private:
    // fs/read_write.c and fs/splice.c: checks before the pipe is reached
    Co<long> ksys_write(TaskId me, const Call& c);
    Co<long> ksys_read(TaskId me, const Call& c);
    Co<long> sys_vmsplice(TaskId me, const Call& c);
    Co<long> sys_splice(TaskId me, const Call& c);
    Co<long> sys_tee(TaskId me, const Call& c);
    Co<long> sys_close(TaskId me, const Call& c);
    Co<long> sys_fcntl(TaskId me, const Call& c);
    Co<long> sys_ioctl(TaskId me, const Call& c);
    Co<long> sys_poll(TaskId me, const Call& c);
    long sys_dup(TaskId me, const Call& c);

    // fs/pipe.c
    Co<long> pipe_write(TaskId me, PipeId pipe, std::uint32_t file_flags, IovIter& from);
    Co<long> pipe_read(TaskId me, PipeId pipe, std::uint32_t file_flags, IovIter& to);
    Co<long> pipe_release(TaskId me, PipeId pipe, std::uint32_t file_flags);
    Co<long> pipe_set_size(TaskId me, PipeId pipe, std::uint64_t arg);
    Co<long> pipe_ioctl_fionread(TaskId me, PipeId pipe);
    Co<long> pipe_poll(TaskId me, PipeId pipe, const File& file, bool wait); // wait: until a bit is set
    Co<long> sys_open(TaskId me, const Call& c);
    Co<long> fifo_open(TaskId me, std::uint32_t fifo, FileId file);
    void pipe_clear_nowait(TaskId me, int fd);                                          // what is spliced once refuses RWF_NOWAIT for good
    long kiocb_flags(const Call& c, const File& f, std::uint32_t& file_flags) const;    // RwFlag: 0, or -EOPNOTSUPP
    Co<long> wait_for_partner(TaskId me, PipeId pipe, bool writer); // 0, or -ERESTARTSYS_
    void put_pipe_info(TaskId me, PipeId pipe); // one file less; frees the pipe at 0
    void file_put(TaskId me, FileId file);      // one reference less, and no epoll items at 0
    Co<long> fput(TaskId me, FileId file);      // the same, and the pipe's end goes with the last one
    bool table_shared(TaskId me) const;         // files->count > 1: other tasks use the same descriptors
    void free_pipe_info(TaskId me, PipeId pipe);

    // fs/splice.c
    struct SpliceDesc { // splice_desc
        std::uint64_t total_len = 0, num_spliced = 0;
        std::uint32_t flags = 0;
        bool need_wakeup = false;
        IovIter* to = nullptr; // vmsplice out of the pipe; null: /dev/null
        FileId socket = no_id; // up to 6.4: sendpage to it
    };
    Co<long> vmsplice_to_pipe(TaskId me, PipeId pipe, IovIter& from, std::uint32_t flags);
    Co<long> iter_to_pipe(TaskId me, PipeId pipe, IovIter& from, std::uint32_t buf_flags);
    Co<long> wait_for_space(TaskId me, PipeId pipe, std::uint32_t flags);
    Co<long> splice_from_pipe(TaskId me, PipeId pipe, SpliceDesc& sd); // locks, __splice_from_pipe, unlocks
    Co<long> splice_from_pipe_next(TaskId me, PipeId pipe, SpliceDesc& sd);
    Co<long> splice_from_pipe_feed(TaskId me, PipeId pipe, SpliceDesc& sd);
    struct Pos { // where a call reads or writes a file: its offset pointer, or f_pos
        FileId file;
        std::int64_t* off; // null: f_pos
    };
    std::uint64_t pos_get(const Pos& p) const { return p.off ? static_cast<std::uint64_t>(*p.off) : s.files[p.file].pos; }
    void pos_set(TaskId me, const Pos& p, std::uint64_t v);
    Co<long> splice_file_to_pipe(TaskId me, Pos in, PipeId pipe, std::uint64_t len, std::uint32_t flags);
    Co<long> splice_read(TaskId me, Pos in, PipeId pipe, std::uint64_t len, std::uint32_t flags); // f_op->splice_read; the mutex is held
    Co<long> iter_pipe_read(TaskId me, Pos in, PipeId pipe, std::uint64_t len); // of a regular file, up to 6.4
    Co<long> write_slots(TaskId me, PipeId pipe, InodeId inode, std::uint64_t n, std::uint64_t& pos); // of iter_file_splice_write
    Co<long> write_copies(TaskId me, PipeId from, const File& to, std::uint64_t n);                    // the same into a pipe
    Co<long> iter_file_splice_write(TaskId me, PipeId pipe, Pos out, std::uint64_t len, std::uint32_t flags);
    Co<long> splice_direct(TaskId me, Pos in, Pos out, std::uint64_t len);   // sendfile between two files
    Co<long> splice_from(TaskId me, PipeId pipe, Pos out, std::uint64_t len, std::uint32_t flags); // f_op->splice_write
    Co<long> sys_sendfile(TaskId me, const Call& c);
    long zero_read(TaskId me, IovIter& to);
    long generic_file_read(TaskId me, FileId file, IovIter& to);
    long generic_file_write(TaskId me, FileId file, IovIter& from);
    void mark_dirty(TaskId me, PageId page); // folio_mark_dirty
    PageId cache_page(TaskId me, InodeId inode, std::uint32_t index);         // the page, made zero-filled where there was a hole
    Co<long> splice_pipe_to_pipe(TaskId me, PipeId in, PipeId out, std::uint64_t len, std::uint32_t flags);
    Co<long> link_pipe(TaskId me, PipeId in, PipeId out, std::uint64_t len); // tee
    Co<long> ipipe_prep(TaskId me, PipeId pipe, std::uint32_t flags);        // 0, or -errno
    Co<long> opipe_prep(TaskId me, PipeId pipe, std::uint32_t flags);
    Co<int> double_lock(TaskId me, PipeId a, PipeId b);                      // pipe_double_lock

    // net/unix/af_unix.c, net/core/skbuff.c, net/socket.c
    struct Msg { // msghdr: user memory, or pages by reference (MSG_SPLICE_PAGES)
        IovIter* from = nullptr;
        std::vector<SkFrag> pages;
        std::size_t page = 0; // the first of them that is not sent yet
        bool dontwait = false; // MSG_DONTWAIT
        std::uint64_t left() const { // bytes
            std::uint64_t n = from ? from->count : 0;
            for (std::size_t i = page; i < pages.size(); ++i) n += pages[i].size;
            return n;
        }
    };
    Co<long> sock_sendmsg(TaskId me, SockId sock, Msg& m);
    Co<long> unix_stream_sendmsg(TaskId me, SockId sock, Msg& m);
    Co<long> unix_dgram_sendmsg(TaskId me, SockId sock, Msg& m);
    Co<long> unix_stream_read(TaskId me, SockId sock, IovIter* to, PipeId pipe, std::uint64_t size, bool dontwait);
    Co<long> unix_dgram_recvmsg(TaskId me, SockId sock, IovIter& to, bool dontwait);
    Co<long> unix_dgram_wait(TaskId me, SockId sock, bool dontwait);
    Co<long> sock_wait_for_wmem(TaskId me, SockId sock, bool dontwait); // 0: there is room
    Co<int> sock_sleep(TaskId me, SockId sock, bool exclusive, WaitFor what);
    Co<long> sock_poll(TaskId me, SockId sock, bool wait);
    void sock_wake(TaskId me, SockId sock, std::uint32_t key, bool all = false); // key: bits of poll(2)
    void sock_error_clear(TaskId me, SockId sock);
    void unix_release(TaskId me, SockId sock);
    std::uint32_t unix_poll(SockId sock) const;
    long unix_inq_len(SockId sock) const; // SIOCINQ
    Skb skb_alloc(TaskId me, SockId owner, std::uint32_t linear, std::uint32_t data_len);
    void skb_charge(TaskId me, Skb& skb, std::uint32_t bytes);
    void skb_free(TaskId me, const Skb& skb);
    bool skb_copy_from_iter(TaskId me, const Skb& skb, IovIter& from); // false: a fault
    bool skb_copy_to_iter(TaskId me, const Skb& skb, std::uint32_t skip, std::uint32_t n, IovIter& to);
    void skb_store(TaskId me, const Skb& skb, std::uint32_t at, SkFrag from); // pages' bytes into a buffer
    void skb_load(TaskId me, const Skb& skb, std::uint32_t at, PageId to, std::uint32_t n); // and out of it
    void copy_pages(TaskId me, PageId from, std::uint32_t from_offset, PageId to, std::uint32_t to_offset, std::uint32_t n);
    bool skb_append_pagefrag(TaskId me, Skb& skb, PageId page, std::uint32_t offset, std::uint32_t n);
    std::uint32_t skb_splice_from_iter(TaskId me, Skb& skb, Msg& m); // bytes
    PageId linear_to_page(TaskId me, PageId head, std::uint32_t& offset, std::uint32_t& len);
    Co<long> skb_splice_bits(TaskId me, PipeId pipe, const Skb& skb, std::uint32_t skip, std::uint32_t len);
    Co<long> splice_to_socket(TaskId me, PipeId pipe, FileId out, std::uint64_t len, std::uint32_t flags);
    Co<long> sendpage(TaskId me, SockId sock, const PipeBuffer& b, std::uint32_t n, bool dontwait);
    Co<long> sock_splice_read(TaskId me, FileId in, PipeId pipe, std::uint64_t len, std::uint32_t flags);
    std::uint32_t consume(TaskId me, PipeId pipe, std::uint64_t n);

    // kernel/locking/mutex.c and kernel/sched/wait.c
    Co<int> mutex_lock(TaskId me, PipeId pipe);
    void mutex_unlock(TaskId me, PipeId pipe);
    Co<int> wait_event(TaskId me, PipeId pipe, WaitQueue q, bool exclusive); // 0, or -ERESTARTSYS_
    WaitQueue queue_of(WaitQueue q) const { return version.herd ? WaitQueue::rd : q; } // up to 5.5 there was one for both
    bool wait_condition(PipeId pipe, WaitQueue q) const;                     // pipe_readable, pipe_writable
    Co<int> pipe_writable(TaskId me, PipeId pipe);                                     // the same with two loads that may be torn apart
    // `key`: poll bits the waker announces, 0 for all of them.
    void wake_up(TaskId me, PipeId pipe, WaitQueue q, bool sync, bool all = false, std::uint32_t key = 0);
    bool signal_pending(TaskId me) const { return s.tasks[me].pending != 0; }
    void send_sig(TaskId to, int sig) { emit(EventKind::signal, to, no_id, static_cast<std::uint32_t>(sig)); }

    // the ring
    const Pipe& pipe_at(PipeId p) const { return s.pipes[p]; }
    const PipeBuffer& buf_at(PipeId p, std::uint32_t slot) const { return s.pipes[p].bufs[slot]; }
    void buf_set(TaskId me, PipeId pipe, std::uint32_t slot, const PipeBuffer& b);
    void buf_move(TaskId me, PipeId pipe, std::uint32_t slot, std::uint32_t offset, std::uint32_t len);
    bool buf_release(TaskId me, PipeId pipe, std::uint32_t slot); // pipe_buf_release; true: the page became a spare one
    bool buf_get(TaskId me, const PipeBuffer& b); // pipe_buf_get: false when the count has overflowed
    PageId anon_pipe_get_page(TaskId me, PipeId pipe);
    bool anon_pipe_put_page(TaskId me, PipeId pipe, PageId page); // true: kept in tmp_page

    // lib/iov_iter.c: bytes copied, short on a fault
    std::uint32_t copy_page_from_iter(TaskId me, PageId page, std::uint32_t offset, std::uint32_t n, IovIter& from);
    std::uint32_t copy_page_to_iter(TaskId me, PageId page, std::uint32_t offset, std::uint32_t n, IovIter& to);
    // Frame n bytes into a folio counted from one of its pages: a slot of a socket may span several.
    static PageId nth_page(PageId page, std::uint32_t offset) { return page + (offset >> page_shift); }

    // page tables
    PageId pte_alloc(TaskId me, MmId mm, std::uint64_t addr, int level); // the table of a level, made if missing
    void set_pte(TaskId me, MmId mm, std::uint64_t addr, int level, pte_t entry);
    std::uint64_t mmap_place(std::uint64_t len, std::uint64_t align, bool high);
    void vma_new(TaskId me, MmId mm, const Vma& v);
    int file_fault(TaskId me, Vma area, std::uint64_t addr, bool write);
    bool fault_around(TaskId me, const Vma& v, std::uint64_t addr); // false: the page itself is not among those mapped
    void map_file(TaskId me, const Vma& v, std::uint64_t addr, PageId page, bool stored);
    const Vma* find_vma(MmId mm, std::uint64_t addr) const;
    void split_pmd(TaskId me, MmId mm, std::uint64_t addr); // a huge leaf becomes a table of 4 KiB entries
    void make_cold(TaskId me, MmId mm, std::uint64_t start, std::uint64_t end);
    void reclaim_tables(TaskId me, MmId mm, std::uint64_t start, std::uint64_t end);
    void zap_range(TaskId me, MmId mm, std::uint64_t start, std::uint64_t end);
    // do_wp_page: a store to a page that is not writable here. `unshare`: no store, but a pin that wants it exclusive.
    int wp_fault(TaskId me, const Vma& v, std::uint64_t addr, bool unshare = false);
    int hugetlb_fault(TaskId me, const Vma& v, std::uint64_t addr, bool write, bool unshare = false);
    bool hugetlb_edge(MmId mm, std::uint64_t addr) const; // a cut there would go through a page of hugetlbfs
    void flush_tlb(TaskId me, MmId mm, std::uint64_t start, std::uint64_t end); // single pages, or all when they are many
    void copy_folio(TaskId me, PageId from, PageId to, std::uint32_t order);
    bool maybe_dma_pinned(MmId mm, PageId page) const;
    bool fork_entry(TaskId parent, TaskId child, const Vma& v, std::uint64_t addr); // false: a huge leaf was split, once more
    bool gup_grab(TaskId me, std::uint64_t addr, const Walk& w, std::uint32_t refs); // false: the entry is no longer what it was
    void map_anon(TaskId me, const Vma& v, std::uint64_t addr, PageId page, int level, bool stored = true);
    bool huge_allowed(const Vma& v, std::uint64_t addr) const;
    std::uint32_t cpu(TaskId me) const { return me < s.tasks.size() ? s.tasks[me].cpu : 0; }

    PageId huge_zero_ = no_page;
    struct Pinned { // what the user of FOLL_PIN keeps for itself
        MmId mm;
        std::uint64_t addr, len;
        std::vector<std::pair<PageId, std::uint32_t>> pages; // first, and how many of its folio
    };
    std::vector<Pinned> pinned_;
    std::vector<bool> has_pinned_; // MMF_HAS_PINNED, by address space
    std::vector<PipeId> splice_pipes_; // current->splice_pipe by task
    std::uint64_t next_mmap_ = 0x7e3a'0000'0000; // bottom up, so that addresses are the same in every run, and below
                                              // what mmap() hands out, so that a live run can use them too
    std::uint64_t next_high_ = 0x0055'7e3a'0000'0000; // the same above 47 bits
};

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Between a pipe and a socket: pages out of slots into socket buffers by reference, and back; fs/splice.c, net/socket.c.
#include "core/kernel/kernel.hpp"
#include <csignal>
#include <poll.h>

namespace pipescope {

Co<long> Kernel::sock_sendmsg(TaskId me, SockId sock, Msg& m) {
    if (s.sockets[sock].type == SockType::stream) co_return co_await unix_stream_sendmsg(me, sock, m);
    co_return co_await unix_dgram_sendmsg(me, sock, m);
}

// splice_to_socket: up to 16 slots a message. The pipe's mutex is held, even while the socket makes its caller wait.
Co<long> Kernel::splice_to_socket(TaskId me, PipeId pipe, FileId out, std::uint64_t len, std::uint32_t flags) {
    FnScope fn(*this, me, Fn::splice_to_socket);
    constexpr std::size_t batch = 16;
    const SockId sock = s.files[out].sock;
    const bool dontwait = s.files[out].flags & F_nonblock;
    long ret = 0, spliced = 0;
    bool need_wakeup = false;
    co_await stage(me, Stage::x_lock, pipe);
    co_await mutex_lock(me, pipe);
    while (len) {
        ret = -ERESTARTSYS_;
        if (signal_pending(me)) break;
        co_await stage(me, Stage::x_data, pipe, {.x = pipe_at(pipe).occupancy(), .y = pipe_at(pipe).empty()});
        bool stop = false;
        while (pipe_at(pipe).empty() && !stop) {
            ret = 0;
            stop = pipe_at(pipe).writers == 0 || spliced;
            if (stop) break;
            ret = flags & PS_SPLICE_F_NONBLOCK ? -EAGAIN : -ERESTARTSYS_;
            stop = (flags & PS_SPLICE_F_NONBLOCK) || signal_pending(me);
            if (stop) break;
            if (need_wakeup) wake_up(me, pipe, WaitQueue::wr, false);
            need_wakeup = false;
            co_await stage(me, Stage::x_sleep, pipe);
            mutex_unlock(me, pipe);
            co_await wait_event(me, pipe, WaitQueue::rd, false);
            co_await mutex_lock(me, pipe);
        }
        if (stop) break;
        Msg m;
        m.dontwait = dontwait;
        std::uint64_t left = len;
        for (std::uint32_t i = pipe_at(pipe).tail; i != pipe_at(pipe).head && left && m.pages.size() < batch; ++i) {
            const PipeBuffer& b = buf_at(pipe, pipe_at(pipe).slot(i));
            if (b.len == 0) continue;
            m.pages.push_back({b.page, b.offset, static_cast<std::uint32_t>(std::min<std::uint64_t>(left, b.len))});
            left -= m.pages.back().size;
        }
        ret = 0;
        if (m.pages.empty()) break;
        co_await stage(me, Stage::x_send, pipe, {.c = static_cast<std::uint32_t>(len - left), .x = m.pages.size()});
        ret = co_await sock_sendmsg(me, sock, m);
        if (ret <= 0) break;
        spliced += ret;
        len -= static_cast<std::uint64_t>(ret);
        const std::uint32_t freed = consume(me, pipe, static_cast<std::uint64_t>(ret));
        co_await stage(me, Stage::x_release, pipe, {.c = static_cast<std::uint32_t>(ret), .x = freed});
        if (freed && pipe_at(pipe).files) need_wakeup = true;
    }
    co_await stage(me, Stage::x_unlock, pipe);
    mutex_unlock(me, pipe);
    co_await stage(me, Stage::x_wake, pipe, {.y = need_wakeup});
    if (need_wakeup) wake_up(me, pipe, WaitQueue::wr, false);
    co_return spliced ? spliced : ret;
}

// n bytes leave the ring from the tail on; slots freed. An empty one before them goes too.
std::uint32_t Kernel::consume(TaskId me, PipeId pipe, std::uint64_t n) {
    std::uint32_t freed = 0;
    while (n) {
        const std::uint32_t tail = pipe_at(pipe).tail, slot = pipe_at(pipe).slot(tail);
        const PipeBuffer b = buf_at(pipe, slot);
        const auto k = static_cast<std::uint32_t>(std::min<std::uint64_t>(n, b.len));
        buf_move(me, pipe, slot, b.offset + k, b.len - k);
        n -= k;
        if (k < b.len) break;
        buf_release(me, pipe, slot);
        emit(EventKind::tail_set, me, pipe, tail + 1);
        ++freed;
    }
    return freed;
}

// Up to 6.4 a slot at a time: sendpage joins the peer's newest buffer as long as that has room for a fragment. A datagram
// socket has no sendpage and sends a copy.
Co<long> Kernel::sendpage(TaskId me, SockId sock, const PipeBuffer& b, std::uint32_t n, bool dontwait) {
    if (s.sockets[sock].type == SockType::dgram) {
        Msg m;
        m.dontwait = dontwait;
        m.pages.push_back({b.page, b.offset, n});
        co_return co_await unix_dgram_sendmsg(me, sock, m);
    }
    FnScope fn(*this, me, Fn::unix_stream_sendmsg);
    const SockId peer = s.sockets[sock].peer;
    const auto gone = [&] { return s.sockets[sock].shutdown & SEND_SHUTDOWN || s.sockets[peer].dead || s.sockets[peer].shutdown & RCV_SHUTDOWN; };
    const auto refused = [&] {
        send_sig(me, SIGPIPE);
        return -EPIPE;
    };
    if (gone()) co_return refused();
    co_await stage(me, Stage::k_pages, no_id, {.c = n, .x = 1});
    if (const auto& queue = s.sockets[peer].queue; !queue.empty()) {
        Skb last = queue.back();
        const std::size_t had = last.frags.size();
        if (skb_append_pagefrag(me, last, b.page, b.offset, n)) {
            emit(EventKind::sock_wmem, me, no_id, last.owner, n);
            emit(EventKind::skb_frag, me, no_id, peer, b.page, n, b.offset, 2u | (last.frags.size() == had));
            sock_wake(me, peer, POLLIN);
            co_return n;
        }
    }
    if (const long r = co_await sock_wait_for_wmem(me, sock, dontwait); r < 0) co_return r;
    Skb skb = skb_alloc(me, sock, 0, 0);
    skb_append_pagefrag(me, skb, b.page, b.offset, n);
    skb_charge(me, skb, n);
    if (gone()) {
        skb_free(me, skb);
        co_return refused();
    }
    co_await stage(me, Stage::k_queue, no_id, {.c = n});
    skb_queue_tail(me, peer, skb);
    sock_wake(me, peer, POLLIN);
    co_return n;
}

// sock_splice_read: of a stream by reference, of a datagram by a copy into fresh pages.
Co<long> Kernel::sock_splice_read(TaskId me, FileId in, PipeId pipe, std::uint64_t len, std::uint32_t flags) {
    const SockId sock = s.files[in].sock;
    const bool dontwait = s.files[in].flags & F_nonblock;
    if (s.sockets[sock].type == SockType::stream)
        co_return co_await unix_stream_read(me, sock, nullptr, pipe, len, dontwait || flags & PS_SPLICE_F_NONBLOCK);
    FnScope fn(*this, me, Fn::copy_splice_read);
    if (const long r = co_await unix_dgram_wait(me, sock, dontwait); r < 0) co_return r;
    const Skb skb = s.sockets[sock].queue.front();
    const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(len, skb.len()));
    co_await stage(me, Stage::f_fill, pipe, {.c = (n + page_size - 1) >> page_shift});
    for (std::uint32_t done = 0; done < n;) {
        const std::uint32_t part = std::min(n - done, page_size);
        const PageId page = alloc_pages(me, 0, PageOwner::kernel);
        skb_load(me, skb, done, page, part);
        const std::uint32_t head = pipe_at(pipe).head, slot = pipe_at(pipe).slot(head);
        co_await stage(me, Stage::f_put, pipe, {.a = slot, .b = page, .c = part, .x = head + 1});
        buf_set(me, pipe, slot, {page, 0, part, 0, BufOps::default_});
        emit(EventKind::head_set, me, pipe, head + 1);
        done += part;
    }
    skb_dequeue(me, sock);
    co_return static_cast<long>(n);
}

} // namespace pipescope

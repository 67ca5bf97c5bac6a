// SPDX-License-Identifier: MIT
// Sending to and receiving from a connected AF_UNIX socket, stream or datagram; after net/unix/af_unix.c.
#include "core/kernel/kernel.hpp"
#include <csignal>
#include <poll.h>

namespace pipescope {
namespace {

constexpr std::uint32_t skb_max_head = page_size - 320;          // SKB_MAX_HEAD(0): what one page of linear part holds
constexpr std::uint32_t skb_max_alloc = 4 * page_size - 320;     // SKB_MAX_ALLOC
constexpr std::uint32_t unix_skb_frags = 8 * page_size;          // UNIX_SKB_FRAGS_SZ

std::uint32_t page_align(std::uint32_t n) { return (n + page_size - 1) & ~(page_size - 1); }

} // namespace

Co<long> Kernel::unix_stream_sendmsg(TaskId me, SockId sock, Msg& m) {
    FnScope fn(*this, me, Fn::unix_stream_sendmsg);
    long sent = 0;
    bool gone = s.sockets[sock].shutdown & SEND_SHUTDOWN;
    while (!gone && m.left()) {
        if (const long r = co_await sock_wait_for_wmem(me, sock, m.dontwait); r < 0) co_return sent ? sent : r;
        Skb skb;
        auto size = static_cast<std::uint32_t>(std::min<std::uint64_t>(m.left(), max_rw_count));
        if (m.from) {
            size = std::min({size, (s.sockets[sock].sndbuf >> 1) - 64, skb_max_head + unix_skb_frags}); // two buffers fit in the limit
            const std::uint32_t data_len = std::min(size, page_align(size > skb_max_head ? size - skb_max_head : 0));
            skb = skb_alloc(me, sock, size - data_len, data_len);
            co_await stage(me, Stage::k_copy, no_id, {.c = size, .x = m.from->addr()});
            if (!skb_copy_from_iter(me, skb, *m.from)) {
                skb_free(me, skb);
                co_return sent ? sent : -EFAULT;
            }
        } else { // MSG_SPLICE_PAGES
            skb = skb_alloc(me, sock, 0, 0);
            size = skb_splice_from_iter(me, skb, m);
            co_await stage(me, Stage::k_pages, no_id, {.c = size, .x = skb.frags.size()});
            skb_charge(me, skb, size);
        }
        const SockId peer = s.sockets[sock].peer;
        if (s.sockets[peer].dead || s.sockets[peer].shutdown & RCV_SHUTDOWN) {
            skb_free(me, skb);
            gone = true;
            break;
        }
        co_await stage(me, Stage::k_queue, no_id, {.c = size});
        skb_queue_tail(me, peer, skb);
        sock_wake(me, peer, POLLIN);
        sent += size;
    }
    if (gone && sent == 0) {
        send_sig(me, SIGPIPE);
        co_return -EPIPE;
    }
    co_return sent;
}

// skb_splice_from_iter: pages of a list of slots into one buffer, as many as it takes.
std::uint32_t Kernel::skb_splice_from_iter(TaskId me, Skb& skb, Msg& m) {
    std::uint32_t done = 0;
    while (m.page < m.pages.size()) {
        SkFrag& f = m.pages[m.page];
        const std::uint32_t part = std::min(f.size, page_size - (f.offset & (page_size - 1)));
        if (!skb_append_pagefrag(me, skb, nth_page(f.page, f.offset), f.offset & (page_size - 1), part)) break;
        f.offset += part, f.size -= part, done += part;
        if (f.size == 0) ++m.page;
    }
    return done;
}

// Each call is one datagram. Pages that splice offers are copied.
Co<long> Kernel::unix_dgram_sendmsg(TaskId me, SockId sock, Msg& m) {
    FnScope fn(*this, me, Fn::unix_dgram_sendmsg);
    if (s.sockets[sock].peer == no_id && !version.dgram_peer_last) co_return -ENOTCONN;
    const std::uint64_t len = m.left();
    if (len > s.sockets[sock].sndbuf - 32) co_return -EMSGSIZE;
    const auto size = static_cast<std::uint32_t>(len);
    const std::uint32_t data_len = size > skb_max_alloc ? page_align(std::min(size - skb_max_alloc, max_skb_frags * page_size)) : 0;
    if (const long r = co_await sock_wait_for_wmem(me, sock, m.dontwait); r < 0) co_return r;
    const std::uint32_t in_frags = std::min(size, data_len);
    const Skb skb = skb_alloc(me, sock, size - in_frags, in_frags);
    co_await stage(me, Stage::k_copy, no_id, {.c = size, .x = m.from && m.from->count ? m.from->addr() : 0});
    if (m.from) {
        if (!skb_copy_from_iter(me, skb, *m.from)) {
            skb_free(me, skb);
            co_return -EFAULT;
        }
    } else {
        std::uint32_t at = 0;
        for (const SkFrag& f : m.pages) skb_store(me, skb, at, f), at += f.size;
    }
    const SockId peer = s.sockets[sock].peer;
    if (peer == no_id) {
        skb_free(me, skb);
        co_return -ENOTCONN;
    }
    if (s.sockets[peer].dead) { // told once, then it is as if never connected; what was still to be read is lost
        skb_free(me, skb);
        while (!s.sockets[sock].queue.empty()) skb_dequeue(me, sock);
        emit(EventKind::sock_peer, me, no_id, sock, no_id);
        co_return -ECONNREFUSED;
    }
    co_await stage(me, Stage::k_queue, no_id, {.c = size});
    skb_queue_tail(me, peer, skb);
    sock_wake(me, peer, POLLIN);
    co_return static_cast<long>(size);
}

void Kernel::skb_dequeue(TaskId me, SockId sock) {
    const Skb skb = s.sockets[sock].queue.front();
    emit(EventKind::skb_free, me, no_id, sock);
    skb_free(me, skb);
}

// unix_stream_read_generic, for recvmsg (`to`) and for splice (`pipe`, whose mutex is held, waiting or not).
Co<long> Kernel::unix_stream_read(TaskId me, SockId sock, IovIter* to, PipeId pipe, std::uint64_t size, bool dontwait) {
    FnScope fn(*this, me, Fn::unix_stream_read);
    long copied = 0;
    while (size) {
        co_await stage(me, Stage::q_data, pipe, {.a = sock, .x = s.sockets[sock].queue.size(), .y = s.sockets[sock].queue.empty()});
        if (s.sockets[sock].queue.empty()) {
            const Socket& k = s.sockets[sock];
            if (copied) break;
            if (k.err) {
                const long err = k.err;
                sock_error_clear(me, sock);
                co_return -err;
            }
            if (k.shutdown & RCV_SHUTDOWN) break;
            if (dontwait) co_return -EAGAIN;
            co_await stage(me, Stage::q_sleep, pipe);
            while (s.sockets[sock].queue.empty() && !s.sockets[sock].err && !(s.sockets[sock].shutdown & RCV_SHUTDOWN) && !signal_pending(me))
                co_await sock_sleep(me, sock, false, WaitFor::data);
            if (signal_pending(me)) co_return -ERESTARTSYS_;
            continue;
        }
        const Skb skb = s.sockets[sock].queue.front();
        auto chunk = static_cast<std::uint32_t>(std::min<std::uint64_t>(skb.len() - skb.consumed, size));
        if (to) {
            co_await stage(me, Stage::q_copy, no_id, {.c = chunk, .x = to->addr()});
            if (!skb_copy_to_iter(me, skb, skb.consumed, chunk, *to)) co_return copied ? copied : -EFAULT;
        } else {
            const long r = co_await skb_splice_bits(me, pipe, skb, skb.consumed, chunk);
            if (r < 0) co_return copied ? copied : -EFAULT;
            chunk = static_cast<std::uint32_t>(r);
        }
        emit(EventKind::skb_eat, me, no_id, sock, 0, chunk);
        copied += chunk;
        size -= chunk;
        if (skb.consumed + chunk < skb.len()) break;
        co_await stage(me, Stage::q_free, pipe, {.c = skb.truesize});
        skb_dequeue(me, sock);
    }
    co_return copied;
}

// The next datagram, waited for: 0, or -errno.
Co<long> Kernel::unix_dgram_wait(TaskId me, SockId sock, bool dontwait) {
    for (;;) {
        co_await stage(me, Stage::q_data, no_id, {.a = sock, .x = s.sockets[sock].queue.size(), .y = s.sockets[sock].queue.empty()});
        if (!s.sockets[sock].queue.empty()) co_return 0;
        if (s.sockets[sock].err) {
            const long err = s.sockets[sock].err;
            sock_error_clear(me, sock);
            co_return -err;
        }
        if (dontwait) co_return -EAGAIN;
        if (signal_pending(me)) co_return -ERESTARTSYS_;
        co_await stage(me, Stage::q_sleep, no_id);
        co_await sock_sleep(me, sock, true, WaitFor::data);
    }
}

// One datagram: what does not fit is lost, and all of it when the memory gives out.
Co<long> Kernel::unix_dgram_recvmsg(TaskId me, SockId sock, IovIter& to, bool dontwait) {
    FnScope fn(*this, me, Fn::unix_dgram_recvmsg);
    if (const long r = co_await unix_dgram_wait(me, sock, dontwait); r < 0) co_return r;
    const Skb skb = s.sockets[sock].queue.front();
    const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(skb.len(), to.count));
    co_await stage(me, Stage::q_copy, no_id, {.c = n, .x = to.count ? to.addr() : 0});
    const bool ok = skb_copy_to_iter(me, skb, 0, n, to);
    co_await stage(me, Stage::q_free, no_id, {.c = skb.truesize});
    skb_dequeue(me, sock);
    co_return ok ? static_cast<long>(n) : -EFAULT;
}

} // namespace pipescope

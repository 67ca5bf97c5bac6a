// SPDX-License-Identifier: MIT
// A connected pair of AF_UNIX sockets: making and closing it, waiting and waking, poll; after net/unix/af_unix.c, net/core/sock.c.
#include "core/kernel/kernel.hpp"
#include <poll.h>

namespace pipescope {

long Kernel::socketpair(TaskId me, SockType type, const StringId names[2], std::uint32_t flags, int fds[2]) {
    const auto a = static_cast<SockId>(s.sockets.size());
    for (const std::uint32_t i : {0u, 1u}) emit(EventKind::sock_new, me, no_id, a + i, names[i], static_cast<std::uint32_t>(type), wmem_default);
    for (const std::uint32_t i : {0u, 1u}) {
        emit(EventKind::sock_peer, me, no_id, a + i, a + 1 - i);
        fds[i] = file_open(me, FileKind::socket, F_read | F_write | (flags & F_nonblock), no_id, a + i);
    }
    return 0;
}

// Readers and writers of a socket wait in one queue: all that are not exclusive are woken, and the first exclusive one
// when there is something to read.
void Kernel::sock_wake(TaskId me, SockId sock, std::uint32_t key, bool all) {
    const std::vector<WaitEntry> waiters = s.sockets[sock].wait;
    for (const WaitEntry& w : waiters) {
        if (w.epoll != no_id) {
            const Epoll& item = s.epolls[w.epoll];
            if (!item.ready && (key & (item.events | POLLERR | POLLHUP))) emit(EventKind::epoll_ready, me, no_id, w.epoll, 1);
            continue;
        }
        if (w.exclusive && !(key & POLLIN)) continue; // receiver_wake_function
        emit(EventKind::sock_wake, me, no_id, sock, w.task);
        woken.push_back(w.task);
        if (w.exclusive && !all) return;
    }
}

Co<int> Kernel::sock_sleep(TaskId me, SockId sock, bool exclusive, WaitFor what) {
    emit(EventKind::sock_wait, me, no_id, sock, 1, exclusive);
    emit(EventKind::run_state, me, no_id, static_cast<std::uint32_t>(RunState::sleep), static_cast<std::uint32_t>(what));
    co_await Pause{};
    for (const WaitEntry& w : s.sockets[sock].wait)
        if (w.epoll == no_id && w.task == me) { // a signal leaves it there
            emit(EventKind::sock_wait, me, no_id, sock, 0);
            break;
        }
    emit(EventKind::run_state, me, no_id, static_cast<std::uint32_t>(RunState::running));
    co_return 0;
}

void Kernel::sock_error_clear(TaskId me, SockId sock) {
    const Socket& k = s.sockets[sock];
    emit(EventKind::sock_state, me, no_id, sock, k.shutdown, 0, k.dead);
}

// The waiting part of sock_alloc_send_pskb: one more buffer is let in while what is on its way stays below the limit.
Co<long> Kernel::sock_wait_for_wmem(TaskId me, SockId sock, bool dontwait) {
    for (;;) {
        co_await stage(me, Stage::k_room, no_id, {.a = sock, .c = s.sockets[sock].wmem, .x = s.sockets[sock].sndbuf, .y = s.sockets[sock].wmem >= s.sockets[sock].sndbuf});
        const Socket& k = s.sockets[sock];
        if (k.err) {
            const long err = k.err;
            sock_error_clear(me, sock);
            co_return -err;
        }
        if (k.shutdown & SEND_SHUTDOWN) co_return -EPIPE;
        if (k.wmem < k.sndbuf) co_return 0;
        if (dontwait) co_return -EAGAIN;
        if (signal_pending(me)) co_return -ERESTARTSYS_;
        co_await stage(me, Stage::k_sleep, no_id);
        co_await sock_sleep(me, sock, false, WaitFor::space);
    }
}

// poll(), that goes on until a bit is set when it is to wait; a signal ends it whatever its handler's flags are.
Co<long> Kernel::sock_poll(TaskId me, SockId sock, bool wait) {
    for (;;) {
        const std::uint32_t mask = unix_poll(sock);
        if (mask || !wait) co_return mask;
        if (signal_pending(me)) co_return -EINTR;
        co_await sock_sleep(me, sock, false, WaitFor::space);
    }
}

// The last descriptor is gone: a stream's peer reads what there is and then the end, or an error if something sent to us
// was never read.
void Kernel::unix_release(TaskId me, SockId sock) {
    const SockId peer = s.sockets[sock].peer;
    emit(EventKind::sock_state, me, no_id, sock, RCV_SHUTDOWN | SEND_SHUTDOWN, 0, 1);
    if (peer != no_id && !s.sockets[peer].dead && s.sockets[sock].type == SockType::stream) {
        emit(EventKind::sock_state, me, no_id, peer, RCV_SHUTDOWN | SEND_SHUTDOWN, s.sockets[sock].queue.empty() ? s.sockets[peer].err : static_cast<std::uint32_t>(ECONNRESET), 0);
        sock_wake(me, peer, POLLIN | POLLOUT | POLLHUP, true);
    }
    while (!s.sockets[sock].queue.empty()) skb_dequeue(me, sock);
}

std::uint32_t Kernel::unix_poll(SockId sock) const {
    const Socket& k = s.sockets[sock];
    std::uint32_t mask = 0;
    if (k.err) mask |= POLLERR;
    if (k.shutdown == (RCV_SHUTDOWN | SEND_SHUTDOWN)) mask |= POLLHUP;
    if (!k.queue.empty() || k.shutdown & RCV_SHUTDOWN) mask |= POLLIN;
    if ((std::uint64_t{k.wmem} + 1) * 4 <= k.sndbuf) mask |= POLLOUT; // a quarter in use at most
    return mask;
}

long Kernel::unix_inq_len(SockId sock) const {
    const Socket& k = s.sockets[sock];
    long n = 0;
    for (const Skb& skb : k.queue) {
        n += skb.len() - (version.inq_whole && k.type == SockType::stream ? 0 : skb.consumed);
        if (k.type == SockType::dgram) break; // of the next one alone
    }
    return n;
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// epoll on pipe ends, as far as it shows wake-ups: the ready list and edge-triggered items; after fs/eventpoll.c.
#include "core/kernel/kernel.hpp"
#include <poll.h>

namespace pipescope {

long Kernel::epoll_add(TaskId me, int fd, std::uint32_t events, bool edge) {
    const File* f = file(me, fd);
    if (!f) return -EBADF;
    if (f->kind == FileKind::socket) {
        const SockId sock = f->sock;
        const FileId id = s.fdtables[s.tasks[me].fds][static_cast<std::size_t>(fd)];
        const auto item = static_cast<std::uint32_t>(s.epolls.size());
        emit(EventKind::epoll_new, me, no_id, item, events, edge, id);
        emit(EventKind::sock_wait, me, no_id, sock, 1, 0, 0, item + 1);
        if (unix_poll(sock) & (events | POLLERR | POLLHUP)) emit(EventKind::epoll_ready, me, no_id, item, 1);
        return item;
    }
    if (f->kind != FileKind::pipe) return -EPERM; // files without poll, /dev/null among them
    const FileId id = s.fdtables[s.tasks[me].fds][static_cast<std::size_t>(fd)];
    const PipeId pipe = f->pipe;
    const std::uint32_t flags = f->flags;
    const auto item = static_cast<std::uint32_t>(s.epolls.size());
    emit(EventKind::epoll_new, me, pipe, item, events, edge, id);
    if (!pipe_at(pipe).poll_usage) emit(EventKind::poll_usage, me, pipe);
    if (flags & F_read) emit(EventKind::wq_add, me, pipe, static_cast<std::uint32_t>(queue_of(WaitQueue::rd)), 0, item + 1);
    if (flags & F_write) emit(EventKind::wq_add, me, pipe, static_cast<std::uint32_t>(queue_of(WaitQueue::wr)), 0, item + 1);
    if (poll_mask(s.files[id]) & (events | POLLERR | POLLHUP)) emit(EventKind::epoll_ready, me, pipe, item, 1);
    return item;
}

// An item on the ready list is asked again, and reported only if it is still so; an edge-triggered one then leaves the list.
std::uint32_t Kernel::epoll_wait(TaskId me, std::uint32_t item) {
    if (item >= s.epolls.size() || !s.epolls[item].ready) return 0;
    const Epoll& e = s.epolls[item];
    const std::uint32_t bits = poll_mask(s.files[e.file]) & (e.events | POLLERR | POLLHUP);
    if (bits == 0 || e.edge) emit(EventKind::epoll_ready, me, no_id, item, 0);
    return bits;
}

// The last descriptor of a file takes its epoll items off the queues.
void Kernel::file_put(TaskId me, FileId id) {
    emit(EventKind::file_put, me, no_id, id);
    if (s.files[id].refs) return;
    for (std::uint32_t i = 0; i < s.epolls.size(); ++i) {
        if (s.epolls[i].file != id) continue;
        if (s.files[id].kind == FileKind::socket) emit(EventKind::sock_wait, me, no_id, s.files[id].sock, 0, 0, 0, i + 1);
        else for (const std::uint32_t q : {0u, 1u}) emit(EventKind::wq_remove, me, s.files[id].pipe, q, 0, i + 1);
        emit(EventKind::epoll_ready, me, no_id, i, 0);
    }
}

void Kernel::kill(TaskId to, int sig) {
    const bool asleep = s.tasks[to].run == RunState::sleep; // in a mutex it goes on sleeping
    send_sig(to, sig);
    if (!asleep) return;
    emit(EventKind::run_state, to, s.tasks[to].pipe, static_cast<std::uint32_t>(RunState::runnable));
    woken.push_back(to);
}

} // namespace pipescope

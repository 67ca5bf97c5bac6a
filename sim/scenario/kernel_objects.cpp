// SPDX-License-Identifier: MIT
// Making a case's objects on the live kernel, each in the task that asks, and reaching its memory.
#include "core/state.hpp"
#include "sim/scenario/kernel_backend.hpp"
#include "sim/scenario/not_here.hpp"
#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace pipescope {

std::array<int, 2> KernelBackend::pipe_new(TaskId t, const PipeOptions& o) {
    KernelOrder order;
    order.v[0] = o.slots, order.v[1] = static_cast<std::uint64_t>((o.nonblock ? O_NONBLOCK : 0) | (o.packet ? O_DIRECT : 0));
    const KernelJob job = [](KernelBackend& k, TaskId, KernelOrder& with) -> long {
        int p[2];
        if (::pipe2(p, O_CLOEXEC | static_cast<int>(with.v[1])) < 0) return -errno;
        if (with.v[0] != pipe_def_buffers && ::fcntl(p[1], F_SETPIPE_SZ, static_cast<int>(with.v[0] * page_size)) < 0) {
            const int e = errno;
            ::close(p[0]), ::close(p[1]);
            return -e;
        }
        for (const std::size_t i : {0u, 1u}) with.v[i] = static_cast<std::uint64_t>(k.install(p[i]));
        return 0;
    };
    const long r = ask(t, job, order);
    if (r < 0) return {static_cast<int>(r), static_cast<int>(r)};
    return {static_cast<int>(order.v[0]), static_cast<int>(order.v[1])};
}

Memory KernelBackend::buffer_new(TaskId t, const BufferOptions& o) {
    Memory m;
    std::optional<NotHere> lack; // an exception stays on its thread
    if (runners_[t].worker) {
        runners_[t].worker->call([&] {
            try {
                m = memory_.buffer(o, real(o.file));
            } catch (const NotHere& e) {
                lack = e;
            }
            return 0L;
        });
        if (lack) throw *lack;
        return m;
    }
    if (o.hugetlb || o.high) throw NotHere{"a forked process is given ordinary memory only"};
    KernelOrder order; // a child's memory goes without a name: rings are looked at from the parent
    order.v[0] = o.size, order.v[1] = o.offset, order.v[2] = (o.huge ? 1u : 0) | (o.touched ? 2u : 0) | (o.readonly ? 4u : 0) | (o.shared ? 8u : 0);
    order.v[3] = o.from << 32 | static_cast<std::uint32_t>(o.file);
    const KernelJob job = [](KernelBackend& k, TaskId, KernelOrder& with) -> long {
        try {
            const bool huge = with.v[2] & 1, touched = with.v[2] & 2, readonly = with.v[2] & 4;
            BufferOptions wanted{.name = "child's", .size = with.v[0], .offset = static_cast<std::uint32_t>(with.v[1]), .huge = huge, .touched = touched, .readonly = readonly};
            wanted.shared = with.v[2] & 8, wanted.file = static_cast<int>(static_cast<std::uint32_t>(with.v[3])), wanted.from = with.v[3] >> 32;
            const Memory made = k.memory_.buffer(wanted, k.real(wanted.file));
            with.v[0] = made.addr, with.v[1] = made.len;
            return made.error;
        } catch (const NotHere&) {
            return -EOPNOTSUPP;
        }
    };
    const long r = ask(t, job, order);
    if (r == -EOPNOTSUPP) throw NotHere{"no such memory to be had here"};
    if (r < 0) return {0, 0, static_cast<int>(r)};
    return {order.v[0], order.v[1]};
}

int KernelBackend::open_device(TaskId t, bool zero) {
    KernelOrder order;
    order.v[0] = zero;
    const KernelJob job = [](KernelBackend& k, TaskId, KernelOrder& with) -> long {
        const int fd = ::open(with.v[0] ? "/dev/zero" : "/dev/null", O_RDWR | O_CLOEXEC);
        return fd < 0 ? -errno : k.install(fd);
    };
    return static_cast<int>(ask(t, job, order));
}

int KernelBackend::open_null(TaskId t) { return open_device(t, false); }
int KernelBackend::open_zero(TaskId t) { return open_device(t, true); }

int KernelBackend::file_new(TaskId t, const FileOptions& o) {
    if (!runners_[t].worker) return -ENOSYS;
    return static_cast<int>(runners_[t].worker->call([&]() -> long {
        const int fd = files_.file(o);
        return fd < 0 ? fd : install(fd);
    }));
}

std::array<int, 2> KernelBackend::socketpair_new(TaskId t, const SocketOptions& o) {
    KernelOrder order;
    order.v[0] = static_cast<std::uint64_t>((o.dgram ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC | (o.nonblock ? SOCK_NONBLOCK : 0));
    const KernelJob job = [](KernelBackend& k, TaskId, KernelOrder& with) -> long {
        int fds[2];
        if (::socketpair(AF_UNIX, static_cast<int>(with.v[0]), 0, fds) < 0) return -errno;
        for (const std::size_t i : {0u, 1u}) with.v[i] = static_cast<std::uint64_t>(k.install(fds[i]));
        return 0;
    };
    const long r = ask(t, job, order);
    if (r < 0) return {static_cast<int>(r), static_cast<int>(r)};
    return {static_cast<int>(order.v[0]), static_cast<int>(order.v[1])};
}

std::uint32_t KernelBackend::fifo_new(TaskId t) { return runners_[t].worker ? files_.fifo() : no_id; }

long KernelBackend::epoll_add(TaskId t, int fd, std::uint32_t events, bool edge) {
    KernelOrder order;
    order.v[0] = static_cast<std::uint64_t>(fd), order.v[1] = events | (edge ? std::uint32_t{EPOLLET} : 0);
    const KernelJob job = [](KernelBackend& k, TaskId, KernelOrder& with) -> long {
        const int e = ::epoll_create1(EPOLL_CLOEXEC);
        if (e < 0) return -errno;
        epoll_event ev{};
        ev.events = static_cast<std::uint32_t>(with.v[1]);
        if (::epoll_ctl(e, EPOLL_CTL_ADD, k.real(static_cast<int>(with.v[0])), &ev) < 0) {
            const int error = errno;
            ::close(e);
            return -error;
        }
        k.epolls_.push_back(e);
        return static_cast<long>(k.epolls_.size() - 1);
    };
    return ask(t, job, order);
}

std::uint32_t KernelBackend::epoll_wait(TaskId t, std::uint32_t item) {
    KernelOrder order;
    order.v[0] = item;
    const KernelJob job = [](KernelBackend& k, TaskId, KernelOrder& with) -> long {
        epoll_event ev{};
        if (with.v[0] >= k.epolls_.size() || ::epoll_wait(k.epolls_[with.v[0]], &ev, 1, 0) != 1) return 0;
        return static_cast<long>(ev.events);
    };
    return static_cast<std::uint32_t>(ask(t, job, order));
}

bool KernelBackend::store(TaskId t, std::uint64_t addr, std::span<const std::uint8_t> bytes) {
    const KernelJob job = [](KernelBackend& k, TaskId, KernelOrder& with) -> long { return k.memory_.store(with.v[0], {with.bytes, with.size}); };
    std::vector<std::uint8_t> part;
    for (; !bytes.empty(); addr += part.size(), bytes = bytes.subspan(part.size())) {
        part.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(std::min(bytes.size(), order_bytes)));
        KernelOrder order;
        order.v[0] = addr, order.bytes = part.data(), order.size = part.size();
        if (ask(t, job, order) != 1) return false;
    }
    return true;
}

bool KernelBackend::load(TaskId t, std::uint64_t addr, std::span<std::uint8_t> bytes) {
    const KernelJob job = [](KernelBackend& k, TaskId, KernelOrder& with) -> long { return k.memory_.load(with.v[0], {with.bytes, with.size}); };
    while (!bytes.empty()) {
        KernelOrder order;
        order.v[0] = addr, order.bytes = bytes.data(), order.size = std::min(bytes.size(), order_bytes);
        if (ask(t, job, order) != 1) return false;
        addr += order.size;
        bytes = bytes.subspan(order.size);
    }
    return true;
}

Memory KernelBackend::scratch(TaskId t, std::uint64_t len) {
    KernelOrder order;
    order.v[0] = len;
    const KernelJob job = [](KernelBackend& k, TaskId task, KernelOrder& with) -> long {
        const Memory m = k.memory_.scratch(task, with.v[0]);
        with.v[0] = m.addr, with.v[1] = m.len;
        return 0;
    };
    ask(t, job, order);
    return {order.v[0], order.v[1]};
}

std::uint32_t KernelBackend::take_signals(TaskId t) { return runners_[t].child ? runners_[t].child->take_signals() : runners_[t].worker->take_signals(); }

} // namespace pipescope

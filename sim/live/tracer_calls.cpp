// SPDX-License-Identifier: MIT
// The tracer's calls: which are on a pipe, what they ask for, and how full the pipe is afterwards.
#include "sim/live/event_stream.hpp"
#include "sim/live/tracer.hpp"
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <utility>

namespace pipescope {
namespace {

constexpr std::uint64_t most_read = 16; // iovecs, pollfds

template <class T> std::vector<T> read_user(pid_t tid, std::uint64_t at, std::uint64_t n) {
    std::vector<T> all(std::min(n, most_read));
    const iovec to{all.data(), all.size() * sizeof(T)}, from{reinterpret_cast<void*>(at), to.iov_len};
    const ssize_t got = ::process_vm_readv(tid, &to, 1, &from, 1, 0);
    all.resize(got > 0 ? static_cast<std::size_t>(got) / sizeof(T) : 0);
    return all;
}

} // namespace

const Tracer::Descriptor& Tracer::descriptor(pid_t tid, pid_t tgid, std::uint32_t fd) {
    static const Descriptor none;
    if (const auto at = descriptors_.find({tgid, fd}); at != descriptors_.end()) return at->second;
    struct stat st {};
    if (::stat(fmt::format("/proc/{}/fd/{}", tid, fd).c_str(), &st)) return none; // not open: it may become a pipe
    Descriptor& d = descriptors_[{tgid, fd}];
    if (!S_ISFIFO(st.st_mode)) return d;
    d.ino = st.st_ino;
    d.key = st.st_ino ^ static_cast<std::uint64_t>(st.st_dev) << 44;
    std::ifstream in(fmt::format("/proc/{}/fdinfo/{}", tid, fd));
    for (std::string word; in >> word;)
        if (word == "flags:") {
            in >> std::oct >> d.flags;
            break;
        }
    return d;
}

void Tracer::entered(pid_t tid, Tracee& t, std::uint64_t nr, const std::uint64_t* args) {
    t.in_call = false;
    t.call = {};
    rec_call_info& c = t.call.info;
    std::uint32_t fd = ~0u, other = ~0u;
    switch (nr) {
    case SYS_read:
    case SYS_write: fd = static_cast<std::uint32_t>(args[0]), c.addr = args[1], c.len = args[2]; break;
    case SYS_readv:
    case SYS_writev:
    case SYS_preadv2:
    case SYS_pwritev2: fd = static_cast<std::uint32_t>(args[0]); break;
    case SYS_vmsplice: fd = static_cast<std::uint32_t>(args[0]), c.flags = static_cast<std::uint32_t>(args[3]); break;
    case SYS_splice:
        fd = static_cast<std::uint32_t>(args[0]), other = static_cast<std::uint32_t>(args[2]);
        c.len = args[4], c.flags = static_cast<std::uint32_t>(args[5]);
        break;
    case SYS_tee:
        fd = static_cast<std::uint32_t>(args[0]), other = static_cast<std::uint32_t>(args[1]);
        c.len = args[2], c.flags = static_cast<std::uint32_t>(args[3]);
        break;
    case SYS_sendfile: fd = static_cast<std::uint32_t>(args[0]), c.len = args[3]; break;
    case SYS_fcntl:
        if (args[1] != F_SETPIPE_SZ) return;
        fd = static_cast<std::uint32_t>(args[0]), c.len = args[2];
        break;
    case SYS_ioctl:
        if (args[1] != FIONREAD) return;
        fd = static_cast<std::uint32_t>(args[0]);
        break;
    case SYS_poll:
    case SYS_ppoll:
        for (const std::uint64_t pollfd : read_user<std::uint64_t>(tid, args[0], args[1])) // fd and the events wanted
            if (fd = static_cast<std::uint32_t>(pollfd); descriptor(tid, t.tgid, fd).key) {
                c.flags = static_cast<std::uint32_t>(pollfd >> 32) & 0xffff;
                break;
            }
        c.len = args[2];
        break;
    default: return forget(t, nr, args);
    }
    if (fd == ~0u) return;
    Descriptor d = descriptor(tid, t.tgid, fd);
    const Descriptor o = other == ~0u ? Descriptor{} : descriptor(tid, t.tgid, other);
    if (d.key && o.key) {
        t.call.other = o.key;
    } else if (o.key) {
        d = o, fd = other;
        t.call.into = true;
    }
    if (!d.key) return;
    if (nr == SYS_sendfile) t.call.into = true;
    if (nr == SYS_readv || nr == SYS_writev || nr == SYS_preadv2 || nr == SYS_pwritev2 || nr == SYS_vmsplice) {
        const auto pieces = read_user<iovec>(tid, args[1], args[2]);
        if (!pieces.empty()) c.addr = reinterpret_cast<std::uint64_t>(pieces.front().iov_base);
        for (const iovec& piece : pieces) c.len += piece.iov_len;
    }
    c.nr = static_cast<std::uint32_t>(nr), c.fd = fd;
    c.pipe = d.key, c.ino = d.ino, c.file_flags = d.flags;
    c.head.tid = static_cast<std::uint32_t>(tid), c.head.kind = rec_enter;
    c.head.t_ns = clock_ns(CLOCK_MONOTONIC);
    t.in_call = true;
    const bool held = t.was_again && t.last_nr == c.nr && t.last_fd == fd; // one more of such a row is not worth telling
    t.number = held ? ~std::size_t{0} : uses_.entered(t.call);
    if (!t.times.open()) t.times = ThreadTimesReader(tid);
    t.before = held ? std::nullopt : t.times.read();
    t.before_ns = clock_ns(CLOCK_MONOTONIC), t.stops = 0, t.looked_asleep = false;
}

// A task that stops for its tracer switches once for it; any other switch of its own accord is a sleep. It is off its CPU
// when this is asked: a request of ptrace waits for that.
void Tracer::count_sleeps(Tracee& t) {
    const auto after = t.before ? t.times.read() : std::nullopt;
    if (!after || after->voluntary <= t.before->voluntary + t.stops) return;
    t.call.sleeps = static_cast<std::uint32_t>(after->voluntary - t.before->voluntary - t.stops);
    const std::uint64_t whole = t.call.exit_ns - t.before_ns, awake = after->cpu_ns - t.before->cpu_ns + (after->ready_ns - t.before->ready_ns);
    t.call.asleep_ns = whole > awake ? whole - awake : 0;
}

// Who is inside a call for long, and asleep now as when it was looked at last: that is told before the call is over.
void Tracer::look() {
    for (auto& [tid, t] : tracees_) {
        if (!t.in_call || t.number == ~std::size_t{0} || !t.before || !uses_.asleep) continue;
        const auto now = t.times.read();
        const bool asleep = now && now->asleep;
        if (asleep && t.looked_asleep) uses_.asleep(t.number);
        t.looked_asleep = asleep;
    }
}

// A descriptor that is closed, or made another one, is what it was no longer.
void Tracer::forget(Tracee& t, std::uint64_t nr, const std::uint64_t* args) {
    if (nr == SYS_close) descriptors_.erase({t.tgid, static_cast<std::uint32_t>(args[0])});
    if (nr == SYS_dup2 || nr == SYS_dup3) descriptors_.erase({t.tgid, static_cast<std::uint32_t>(args[1])});
    if (nr == SYS_close_range) std::erase_if(descriptors_, [&](const auto& d) { return d.first.first == t.tgid; });
}

void Tracer::left(pid_t, Tracee& t, std::int64_t result) {
    t.in_call = false;
    const std::uint64_t now = clock_ns(CLOCK_MONOTONIC);
    const bool again = result == -EAGAIN;
    if (t.number == ~std::size_t{0}) {
        if (again) {
            ++t.again;
            return;
        }
        t.number = uses_.entered(t.call);
    }
    t.call.info.again = std::exchange(t.again, 0);
    t.call.info.result = result;
    t.call.exit_ns = now;
    count_sleeps(t);
    t.was_again = again, t.last_nr = t.call.info.nr, t.last_fd = t.call.info.fd;
    observe(t);
    uses_.left(t.number, t.call);
}

// By a copy of the descriptor for a moment: opening the pipe anew would make one more reader or writer of it.
void Tracer::observe(Tracee& t) {
    const auto [at, fresh] = pidfds_.try_emplace(t.tgid, -1);
    if (fresh) at->second = static_cast<int>(::syscall(SYS_pidfd_open, t.tgid, 0));
    const int fd = at->second < 0 ? -1 : static_cast<int>(::syscall(SYS_pidfd_getfd, at->second, t.call.info.fd, 0));
    if (fd < 0) return;
    int queued = 0;
    struct stat st {};
    if (::fstat(fd, &st) == 0 && st.st_ino == t.call.info.ino) {
        if (::ioctl(fd, FIONREAD, &queued) == 0) t.call.queued = static_cast<std::uint32_t>(queued);
        if (const int size = ::fcntl(fd, F_GETPIPE_SZ); size > 0) t.call.size = static_cast<std::uint32_t>(size);
        t.call.observed_ns = clock_ns(CLOCK_MONOTONIC);
    }
    ::close(fd);
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Connects, starts, releases and ends the built-in forwarder with its senders and receivers.
#include "sim/live/clock.hpp"
#include "sim/live/forwarder_task.hpp"
#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <new>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace pipescope {
namespace {

std::string with_errno(const std::string& what) { return fmt::format("{}: {}", what, std::strerror(errno)); }

// A listening socket on a loopback port that the kernel chose.
class Listener {
public:
    Listener() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        at_.sin_family = AF_INET;
        at_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof at_;
        good_ = fd_ >= 0 && !::bind(fd_, as_address(at_), size) && !::listen(fd_, 4) && !::getsockname(fd_, as_address(at_), &size);
    }
    ~Listener() {
        if (fd_ >= 0) ::close(fd_);
    }
    bool good() const { return good_; }
    // Both ends of one connection; whoever else comes to the port is sent away.
    bool connect(int& from, int& to) {
        from = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in mine{}, peer{};
        socklen_t size = sizeof mine;
        if (from < 0 || ::connect(from, as_address(at_), sizeof at_) || ::getsockname(from, as_address(mine), &size)) return false;
        for (;;) {
            size = sizeof peer;
            to = ::accept4(fd_, as_address(peer), &size, SOCK_CLOEXEC);
            if (to >= 0 && peer.sin_port == mine.sin_port) return true;
            if (to < 0 && errno != EINTR) return false;
            if (to >= 0) ::close(std::exchange(to, -1));
        }
    }

private:
    static sockaddr* as_address(sockaddr_in& a) { return reinterpret_cast<sockaddr*>(&a); }
    int fd_;
    sockaddr_in at_{};
    bool good_ = false;
};

} // namespace

ForwardReport& Forwarder::report_of(std::size_t n) const { return reinterpret_cast<ForwardReport*>(shared_ + 1)[n]; }
const ForwardReport& Forwarder::report(ForwardRole role, std::uint32_t connection) const {
    return report_of(static_cast<std::size_t>(role) * options_.connections + connection);
}

bool Forwarder::connect_all(std::string& error) {
    Listener listener;
    if (!listener.good()) return error = with_errno("no port of 127.0.0.1 is to be had"), false;
    ends_.resize(options_.connections);
    for (Ends& e : ends_)
        if (!listener.connect(e.sender, e.in) || !listener.connect(e.out, e.receiver) || ::fcntl(e.in, F_SETFL, O_NONBLOCK))
            return error = with_errno("no connection on 127.0.0.1 is to be had"), false;
    return true;
}

bool Forwarder::open_pipes(std::string& error) {
    if (options_.how == Forward::copy) return true;
    for (Ends& e : ends_) {
        if (options_.shared() && &e != &ends_[0]) break;
        if (::pipe2(e.pipe.data(), O_CLOEXEC)) return error = with_errno("no pipe is to be had"), false;
        const auto size = static_cast<int>(options_.pipe_bytes());
        if (size && ::fcntl(e.pipe[1], F_SETPIPE_SZ, size) < 0) return error = with_errno(fmt::format("a pipe cannot have {} bytes", size)), false;
    }
    return true;
}

bool Forwarder::fork_all(std::string& error) {
    mapped_ = sizeof(Shared) + tasks() * sizeof(ForwardReport);
    void* memory = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return error = with_errno("no memory to share with the forwarder"), false;
    shared_ = new (memory) Shared;
    for (std::size_t n = 0; n < tasks(); ++n) new (&report_of(n)) ForwardReport;
    reaped_.resize(tasks());
    char own_name[16] = {};
    ::prctl(PR_GET_NAME, own_name);
    for (std::size_t n = 0; n < tasks(); ++n) {
        ::prctl(PR_SET_NAME, ForwardTask(*this, n).name().c_str()); // who records a child takes its name from the fork
        const pid_t child = ::fork();
        const int why = errno;
        if (child) ::prctl(PR_SET_NAME, own_name);
        errno = why;
        if (child < 0) return error = with_errno("no process is to be had"), false;
        if (child == 0) ForwardTask(*this, n).run();
        report_of(n).pid = child;
    }
    for (std::size_t n = 0; n < tasks(); ++n)
        while (!std::atomic_ref(report_of(n).ready).load()) {
            reap(n, WNOHANG);
            if (reaped_[n]) return error = error_, false;
            nap_ms(1);
        }
    return true;
}

std::unique_ptr<Forwarder> Forwarder::start(const ForwardOptions& options, std::string& error) {
    if (error = options.fault(); !error.empty()) return nullptr;
    std::unique_ptr<Forwarder> f(new Forwarder(options));
    if (!f->connect_all(error) || !f->open_pipes(error) || !f->fork_all(error)) return nullptr;
    f->close_all(); // an end held here would keep the others from seeing the end
    return f;
}

void Forwarder::close_all() {
    for (Ends& e : ends_)
        for (int* fd : {&e.sender, &e.in, &e.out, &e.receiver, &e.pipe[0], &e.pipe[1]})
            if (*fd >= 0) ::close(std::exchange(*fd, -1));
}

Forwarder::~Forwarder() {
    close_all();
    if (!shared_) return;
    for (std::size_t n = 0; n < tasks(); ++n)
        if (!reaped_[n] && report_of(n).pid > 0) ::kill(report_of(n).pid, SIGKILL);
    for (std::size_t n = 0; n < tasks(); ++n)
        if (report_of(n).pid > 0) reap(n, 0);
    ::munmap(shared_, mapped_);
}

void Forwarder::go() {
    start_ns_ = clock_ns(CLOCK_MONOTONIC);
    shared_->gate = 1;
    ::syscall(SYS_futex, &shared_->gate, FUTEX_WAKE, static_cast<int>(tasks()), nullptr, nullptr, 0);
}

void Forwarder::reap(std::size_t n, int flags) {
    ForwardReport& r = report_of(n);
    while (!reaped_[n]) {
        const pid_t got = ::waitpid(r.pid, nullptr, flags);
        if (got == 0) return;
        if (got < 0 && errno == EINTR) continue;
        reaped_[n] = true;
        if (error_.empty() && !r.done) error_ = r.error[0] ? r.error : "a process of the forwarder was ended before it was done";
    }
}

bool Forwarder::running() {
    bool alive = false;
    for (std::size_t n = 0; n < tasks(); ++n) {
        reap(n, WNOHANG);
        alive = alive || !reaped_[n];
    }
    return alive;
}

// Sleeps until one of them ends: to look now and then would take time from those that are measured.
void Forwarder::wait() {
    std::vector<pollfd> ends;
    for (std::size_t n = 0; n < tasks(); ++n)
        ends.push_back({static_cast<int>(::syscall(SYS_pidfd_open, report_of(n).pid, 0)), POLLIN, 0});
    for (; running(); ::poll(ends.data(), ends.size(), 1000)) {
        for (std::size_t n = 0; n < tasks(); ++n) {
            if (!reaped_[n] && !error_.empty()) ::kill(report_of(n).pid, SIGKILL); // who shares a pipe may wait for ever for what is lost
            if (reaped_[n] && ends[n].fd >= 0) ::close(std::exchange(ends[n].fd, -1));
        }
    }
    for (const pollfd& e : ends)
        if (e.fd >= 0) ::close(e.fd);
    if (error_.empty()) check_arrived();
}

// Who shares a pipe gets as many bytes out as it put in, but not the same ones: there the sum over all connections is looked at.
void Forwarder::check_arrived() {
    std::uint64_t sent = 0, got = 0;
    for (std::uint32_t c = 0; c < options_.connections && error_.empty(); ++c) {
        const ForwardReport& r = report(ForwardRole::receiver, c);
        if (r.bytes != options_.share(c)) error_ = fmt::format("connection {}: {} bytes arrived of {}", c + 1, r.bytes, options_.share(c));
        for (std::uint64_t at = 0; at < forward_period; ++at)
            sent += static_cast<std::uint8_t>(forward_byte(c, at)) * ((options_.share(c) + forward_period - 1 - at) / forward_period);
        got += r.sum;
    }
    if (error_.empty() && options_.verify && options_.shared() && sent != got) error_ = "what arrived is not what was sent: the bytes add up to another sum";
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Starts, holds, releases and ends the built-in writer and reader.
#include "sim/live/pair.hpp"
#include "sim/live/clock.hpp"
#include "sim/live/pair_child.hpp"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utility>

namespace pipescope {
namespace {

constexpr std::uint64_t log_most = 1 << 22; // calls of one process; memory is used as far as it is filled

} // namespace

const SideReport& Pair::report(Side side) const { return shared_->side[side]; }

std::uint64_t* Pair::frames(Side side, bool after) const {
    return reinterpret_cast<std::uint64_t*>(shared_ + 1) + pages_ * (2 * side + (after ? 1 : 0));
}
LoggedCall* Pair::log_of(Side side) const { return reinterpret_cast<LoggedCall*>(frames(side_writer, false) + 4 * pages_) + side * log_capacity_; }

std::span<const std::uint64_t> Pair::frames_before(Side side) const { return {frames(side, false), report(side).buffer_bytes >> page_shift}; }
std::span<const std::uint64_t> Pair::frames_after(Side side) const {
    return {frames(side, true), report(side).done ? report(side).buffer_bytes >> page_shift : 0};
}
std::span<const LoggedCall> Pair::log(Side side) const { return {log_of(side), report(side).logged}; }

std::string Pair::error() const {
    for (const SideReport& r : shared_->side)
        if (r.error[0]) return r.error;
    return "";
}

std::unique_ptr<Pair> Pair::start(const PairOptions& options, bool log_calls, std::string& error) {
    std::unique_ptr<Pair> pair(new Pair);
    const auto failed = [&](const std::string& what) {
        error = fmt::format("{}: {}", what, std::strerror(errno));
        return nullptr;
    };
    if (::pipe2(pair->fds_.data(), O_CLOEXEC)) return failed("no pipe is to be had");
    const std::uint64_t size = options.pipe_size ? options.pipe_size : options.vmsplice ? options.buffer / 2 : 0;
    if (size && ::fcntl(pair->fds_[1], F_SETPIPE_SZ, static_cast<int>(size)) < 0) return failed(fmt::format("the pipe cannot have {} bytes", size));
    const int got = ::fcntl(pair->fds_[1], F_GETPIPE_SZ);
    struct stat st {};
    if (got < static_cast<int>(page_size) || ::fstat(pair->fds_[0], &st)) return failed("the pipe does not tell its size");
    pair->slots_ = static_cast<std::uint32_t>(got) >> page_shift;
    pair->inode_ = st.st_ino;
    pair->child_fds_ = {pair->fds_[1], pair->fds_[0]};

    // Room for the frame numbers of two buffers and of what --huge-page rounds them up to.
    pair->pages_ = 2 * (options.offset + options.buffer + huge_size) >> page_shift;
    pair->log_capacity_ = log_calls ? log_most : 0;
    pair->mapped_ = sizeof(Shared) + 4 * pair->pages_ * 8 + 2 * pair->log_capacity_ * sizeof(LoggedCall);
    void* memory = ::mmap(nullptr, pair->mapped_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return failed("no memory to share with the writer and the reader");
    pair->shared_ = new (memory) Shared;

    for (const Side side : {side_writer, side_reader}) {
        const pid_t child = ::fork();
        if (child < 0) return failed("no process is to be had");
        if (child == 0) PairChild(options, *pair, side, log_calls).run();
        pair->shared_->side[side].pid = child;
    }
    for (const Side side : {side_writer, side_reader})
        while (!std::atomic_ref(pair->shared_->side[side].ready).load()) {
            if (!pair->running()) {
                error = pair->error().empty() ? "the writer or the reader died before it began" : pair->error();
                return nullptr;
            }
            nap_ms(1);
        }
    return pair;
}

Pair::~Pair() {
    for (const int fd : fds_)
        if (fd >= 0) ::close(fd);
    if (!shared_) return;
    for (const Side side : {side_writer, side_reader}) {
        if (reaped_[side] || shared_->side[side].pid <= 0) continue;
        ::kill(shared_->side[side].pid, SIGKILL);
        ::waitpid(shared_->side[side].pid, nullptr, 0);
    }
    ::munmap(shared_, mapped_);
}

void Pair::go() {
    for (int& fd : fds_) // an end held here would keep a reader from seeing the end, and a writer from EPIPE
        ::close(std::exchange(fd, -1));
    shared_->gate = 1;
    ::syscall(SYS_futex, &shared_->gate, FUTEX_WAKE, 2, nullptr, nullptr, 0);
}

// True while either of them lives. Before the gate opens, one of them dead is the end of both.
bool Pair::running() {
    bool alive = false;
    for (const Side side : {side_writer, side_reader}) {
        if (!reaped_[side] && ::waitpid(shared_->side[side].pid, nullptr, WNOHANG) != 0) reaped_[side] = true;
        alive = alive || !reaped_[side];
        if (reaped_[side] && !shared_->gate) return false;
    }
    return alive;
}

void Pair::wait() {
    for (const Side side : {side_writer, side_reader}) {
        while (!reaped_[side] && ::waitpid(shared_->side[side].pid, nullptr, 0) < 0 && errno == EINTR) {
        }
        reaped_[side] = true;
    }
}

void Pair::stop() { shared_->stop = 1; }

} // namespace pipescope

// SPDX-License-Identifier: MIT
// The calls of an exchange on a real pipe, each timed by itself.
#include "sim/calibrate/clock.hpp"
#include "sim/calibrate/two_processes.hpp"
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#include <vector>

namespace pipescope {
namespace {

constexpr std::uint32_t warm_up = 64; // rounds; many enough to go around both buffers

class Pipe {
public:
    Pipe() {
        if (::pipe2(fd_.data(), O_CLOEXEC)) fd_ = {-1, -1};
        else ::fcntl(fd_[1], F_SETPIPE_SZ, exchange_slots * page_size);
    }
    ~Pipe() {
        for (const int f : fd_) ::close(f);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    int r() const { return fd_[0]; }
    int w() const { return fd_[1]; }

private:
    std::array<int, 2> fd_{};
};

// Memory of one process: two buffers, or one 2 MiB page.
char* memory(bool huge, bool touched) {
    const std::uint64_t len = huge ? huge_size : 2 * exchange_buffer;
    void* const raw = ::mmap(nullptr, len + huge_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED) return nullptr;
    char* const at = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(raw) + huge_size - 1) & ~(huge_size - 1));
    ::madvise(at, len, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    if (touched)
        for (std::uint64_t i = 0; i < len; i += page_size) at[i] = 'x';
    return at;
}

struct Caller { // one of the two sides
    const Exchange& e;
    const Pipe& pipe;
    char* buffer = nullptr;
    int null = -1;
    std::uint64_t sent = 0;
    bool writer;

    long call() {
        const std::uint64_t len = std::uint64_t{e.ask == Ask::full ? exchange_slots : e.pages} * page_size;
        const unsigned flags = e.ask == Ask::exchange ? 0u : SPLICE_F_NONBLOCK;
        if (!writer && e.splice) return ::splice(pipe.r(), nullptr, null, nullptr, len, flags);
        if (!writer) return ::read(pipe.r(), buffer, len);
        char* const at = buffer + sent % (2 * exchange_buffer);
        sent += len;
        const iovec iov{at, len};
        return e.vmsplice ? ::vmsplice(pipe.w(), &iov, 1, flags) : ::write(pipe.w(), at, len);
    }
    std::uint64_t timed(std::atomic<std::uint32_t>& failed, bool refused) {
        const std::uint64_t t = ticks();
        const long got = call();
        const std::uint64_t after = ticks();
        const long expected = refused ? -1 : static_cast<long>(std::uint64_t{e.pages} * page_size);
        if (got != expected || (refused && errno != EAGAIN)) failed = static_cast<std::uint32_t>(got < 0 ? errno : EIO);
        return after - t;
    }
};

Measured of(const std::uint64_t* times, std::uint32_t rounds) {
    std::vector<double> ns;
    for (std::uint32_t i = warm_up; i < warm_up + rounds; ++i) ns.push_back(static_cast<double>(times[i]) * tick_ns() - ticks_cost_ns());
    return measured_of(std::move(ns));
}

} // namespace

std::optional<ExchangeTimes> measure_exchange(const Exchange& e, const int (&cpu)[2], std::uint32_t rounds, std::string& error) {
    const Pipe pipe;
    const std::uint32_t all = std::min(warm_up + rounds, Meeting::most);
    Caller w{e, pipe, nullptr, -1, 0, true}, r{e, pipe, nullptr, -1, 0, false};
    const auto prepare = [&](Caller& c) {
        c.buffer = memory(c.writer && e.huge, !c.writer || e.touched);
        c.null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
        return c.buffer && c.null >= 0;
    };
    ExchangeTimes t;
    const auto both = [&](Meeting& m) { // one CPU: one process
        if (!prepare(w) || !prepare(r)) m.failed = static_cast<std::uint32_t>(errno);
        if (e.ask != Ask::exchange) ::fcntl(pipe.r(), F_SETFL, O_NONBLOCK);
        if (e.ask == Ask::full) w.call();
        for (std::uint32_t i = 0; i < all && !m.failed; ++i) {
            if (e.ask != Ask::empty) m.times[0][i] = w.timed(m.failed, e.ask == Ask::full);
            if (e.ask != Ask::full) m.times[1][i] = r.timed(m.failed, e.ask == Ask::empty);
        }
    };
    const auto writer = [&](Meeting& m) {
        if (!prepare(w)) m.failed = static_cast<std::uint32_t>(errno);
        for (std::uint32_t i = 0; i < all && m.wait_for(2 * i); ++i) {
            m.times[0][i] = w.timed(m.failed, false);
            m.turn.store(2 * i + 1, std::memory_order_release);
        }
        if (!m.wait_for(2 * all) && !m.failed) m.failed = ETIMEDOUT;
    };
    const auto reader = [&](Meeting& m) {
        if (!prepare(r)) m.failed = static_cast<std::uint32_t>(errno);
        for (std::uint32_t i = 0; i < all && m.wait_for(2 * i + 1); ++i) {
            m.times[1][i] = r.timed(m.failed, false);
            m.turn.store(2 * i + 2, std::memory_order_release);
        }
    };
    const auto take = [&](const Meeting& m) { t = {of(m.times[0], all - warm_up), of(m.times[1], all - warm_up)}; };
    const bool done = e.two_cpus ? meet(cpu, writer, reader, take, error) : meet(cpu, both, [](Meeting&) {}, take, error);
    if (w.buffer) ::munmap(w.buffer, e.huge ? huge_size : 2 * exchange_buffer);
    if (!done) return std::nullopt;
    return t;
}

} // namespace pipescope

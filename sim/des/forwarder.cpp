// SPDX-License-Identifier: MIT
// The three forwarders as programs, their world, and the published figures ("On splice forwarding and pipe lock contention").
#include "sim/des/forwarder.hpp"
#include <fmt/format.h>
#include <stdexcept>

namespace pipescope {
namespace {

constexpr ForwarderRow rows[] = {
    {"read/write", Forward::copy, 24.5, 0.421, 0.385, 840e3},
    {"splice, shared pipe", Forward::shared_pipe, 18.2, 0.082, 0.814, 1650e3},
    {"splice, own pipe of 1 MiB", Forward::own_pipe, 88.6, 0.021, 0.142, 120e3},
};
constexpr ForwarderRow more[] = {{"splice, shared pipe, waits for space", Forward::shared_waiting, 0, 0, 0, 0}};

// Waits for its connection, takes what is there, sends as much on, and waits again.
class Worker final : public Program {
public:
    Worker(Forward how, int in, int out, const int pipe[2], std::uint64_t buffer, std::uint64_t size) {
        wait_.nr = Sys::poll, wait_.fd = in, wait_.flags = ps_poll_wait;
        if (how == Forward::copy) {
            take_.nr = Sys::read, take_.fd = in, take_.iov = {{buffer, size}};
            give_.nr = Sys::write, give_.fd = out, give_.iov = {{buffer, 0}};
        } else {
            take_.nr = Sys::splice, take_.fd = in, take_.fd_out = pipe[1], take_.len = size;
            take_.flags = how == Forward::shared_waiting ? 0 : std::uint32_t{PS_SPLICE_F_NONBLOCK};
            give_.nr = Sys::splice, give_.fd = pipe[0], give_.fd_out = out;
        }
    }
    const Call* next(long result) override {
        if (at_ == &wait_) return at_ = &take_;
        if (at_ == &take_ && result > 0) {
            left_ = static_cast<std::uint64_t>(result);
        } else if (at_ == &give_ && result > 0) {
            left_ -= std::min(left_, static_cast<std::uint64_t>(result));
        } else if (result < 0 && result != -EAGAIN) {
            throw std::logic_error(fmt::format("a forwarder's call failed: {}", errno_name(static_cast<int>(-result))));
        }
        if (result == -EAGAIN && at_ == &take_) return at_; // the pipe is full: at once again
        if (left_ == 0) return at_ = &wait_;
        give_.len = left_;
        if (!give_.iov.empty()) give_.iov[0].addr = take_.iov[0].addr, give_.iov[0].len = left_;
        return at_ = &give_;
    }

private:
    Call wait_, take_, give_;
    const Call* at_ = nullptr;
    std::uint64_t left_ = 0; // bytes taken and not yet given
};

constexpr std::uint32_t send_buffer = 4 << 20; // bytes: tcp_wmem's largest

struct World {
    BareSink sink;
    Engine engine;
    std::vector<Connection> connections;
    Card card;
    std::deque<Worker> workers;
    std::vector<std::string> names;

    World(const NetProfile& p, Forward how, std::uint64_t seed)
        : engine(sink, p.base, kernel_version(p.base.kernel).value(),
              {.cpus = static_cast<std::uint32_t>(p[Net::cpus]), .seed = seed, .net = &p, .preempt = false}),
          connections(static_cast<std::size_t>(p[Net::connections])), card(engine, p, connections) {
        Kernel& k = engine.kernel();
        const auto cpus = static_cast<std::uint32_t>(p[Net::cpus]);
        for (std::uint32_t cpu = 0; cpu < cpus; ++cpu) names.push_back(fmt::format("napi/{}", cpu));
        const MmId mm = k.mm_new();
        const FdTableId fds = k.fdtable_new();
        int shared[2] = {-1, -1};
        for (std::uint32_t i = 0; i < connections.size(); ++i) {
            const TaskId me = k.task_new(0, mm, fds, 1000 + i, i % cpus);
            names.push_back(fmt::format("worker {}", i + 1));
            Connection& c = connections[i];
            c.cpu = i % cpus;
            c.window = static_cast<std::uint64_t>(p[Net::window]);
            const int in = sockets(k, me, c.in_far, c.in_near, F_nonblock), out = sockets(k, me, c.out_far, c.out_near, 0);
            int pipe[2] = {shared[0], shared[1]};
            if (how == Forward::own_pipe) k.pipe_new(me, 256, 0, 0, pipe);
            if ((how == Forward::shared_pipe || how == Forward::shared_waiting) && i == 0)
                k.pipe_new(me, pipe_def_buffers, 0, 0, shared), std::copy_n(shared, 2, pipe);
            const std::uint64_t size = how == Forward::copy ? static_cast<std::uint64_t>(p[Net::read_buffer]) : std::uint64_t{1} << 20;
            std::uint64_t buffer = 0;
            if (how == Forward::copy) {
                buffer = k.mmap(me, size, VMA_READ | VMA_WRITE, page_size);
                if (k.touch(me, buffer, size) != 0) throw std::logic_error("a buffer could not be touched");
            }
            workers.emplace_back(how, in, out, pipe, buffer, size);
            engine.add(me, "worker", workers.back(), 0);
        }
        card.start();
    }
    // A pair whose near end the worker has open: its number.
    int sockets(Kernel& k, TaskId me, SockId& far, SockId& near, std::uint32_t flags) {
        far = static_cast<SockId>(k.s.sockets.size()), near = far + 1;
        for (const SockId s : {far, near}) k.emit(EventKind::sock_new, me, no_id, s, 0, static_cast<std::uint32_t>(SockType::stream), send_buffer);
        for (const SockId s : {far, near}) k.emit(EventKind::sock_peer, me, no_id, s, s == far ? near : far);
        return k.file_open(me, FileKind::socket, F_read | F_write | flags, no_id, near);
    }
};

} // namespace

std::span<const ForwarderRow> forwarder_rows() { return rows; }
std::span<const ForwarderRow> forwarder_more() { return more; }

ForwarderResult run_forwarder(const NetProfile& profile, Forward how, double ms, std::uint64_t seed) {
    World w(profile, how, seed);
    const double warm_up = ms * 1e6 / 4;
    if (!w.engine.run_until(warm_up)) throw std::logic_error("a forwarder's workers wait for each other");
    w.engine.forget();
    const std::uint64_t before = w.card.delivered();
    if (!w.engine.run_until(warm_up + ms * 1e6)) throw std::logic_error("a forwarder's workers wait for each other");
    ForwarderResult r;
    r.ledger = w.engine.ledger();
    r.tasks = w.names;
    r.unbooked = w.engine.accounted_ps() - r.ledger.total() - w.engine.idle_ps();
    r.bytes = w.card.delivered() - before;
    const double seconds = w.engine.elapsed_ns() * 1e-9, all = seconds * 1e12 * profile[Net::cpus];
    const auto share = [&](const char* path) { return static_cast<double>(r.ledger.time(path)) / all; };
    r.gbit_per_s = static_cast<double>(r.bytes) * 8e-9 / seconds;
    r.user = share("worker/main");
    r.other = share("worker/[interrupts and other delays]");
    r.softirq = share("napi");
    r.system = share("worker") - r.user - r.other;
    r.switches_per_s = static_cast<double>(r.ledger.counts.context_switches) / seconds;
    return r;
}

} // namespace pipescope

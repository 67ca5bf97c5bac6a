// SPDX-License-Identifier: MIT
// The measured calls on the model: what a profile says that they take, and which costs they are made of.
#include "sim/calibrate/exchange.hpp"
#include "sim/des/engine.hpp"
#include <fmt/format.h>
#include <stdexcept>

namespace pipescope {
namespace {

class Once final : public Program { // one call, then the end
public:
    explicit Once(Call call) : call_(std::move(call)) {}
    const Call* next(long) override { return done_ ? nullptr : (done_ = true, &call_); }

private:
    Call call_;
    bool done_ = false;
};

class Bounce final : public Program { // a byte out, a byte in, `left` times; `first`: the other way round
public:
    Bounce(int in, int out, std::uint64_t buffer, bool first, std::uint32_t times) : reads_(!first), left_(2 * times) {
        in_.nr = Sys::read, in_.fd = in, in_.iov = {{buffer, 1}};
        out_.nr = Sys::write, out_.fd = out, out_.iov = {{buffer, 1}};
    }
    const Call* next(long) override {
        if (left_-- == 0) return nullptr;
        const Call* const c = reads_ ? &in_ : &out_;
        reads_ = !reads_;
        return c;
    }

private:
    Call in_, out_;
    bool reads_;
    std::uint32_t left_;
};

struct World {
    BareSink sink;
    Engine engine;
    TaskId writer, reader;
    int fds[2]{}, back[2]{}, null = -1;
    std::uint64_t from = 0, to = 0;
    double at = 0; // of the next call: long after the last

    World(const Profile& p, std::uint32_t slots, std::uint32_t flags, bool two_cpus, bool huge, bool touched)
        : engine(sink, p, kernel_version(p.kernel).value(), {.cpus = 2, .seed = 1, .preempt = false}) {
        Kernel& k = engine.kernel();
        const FdTableId table = k.fdtable_new();
        writer = k.task_new(0, k.mm_new(), table, 1, 0);
        reader = k.task_new(0, k.mm_new(), table, 2, two_cpus ? 1 : 0);
        k.pipe_new(writer, slots, 0, flags, fds);
        k.pipe_new(writer, slots, 0, flags, back);
        null = k.file_open(reader, FileKind::null, F_write, no_id);
        const std::uint64_t len = huge ? huge_size : 2 * exchange_buffer;
        from = k.mmap(writer, len, VMA_READ | VMA_WRITE | (huge ? std::uint32_t{VMA_HUGEPAGE} : 0), huge ? huge_size : page_size);
        to = k.mmap(reader, exchange_buffer, VMA_READ | VMA_WRITE, page_size);
        if ((touched && k.touch(writer, from, len) != 0) || k.touch(reader, to, exchange_buffer) != 0)
            throw std::logic_error("a buffer could not be touched");
    }
    double call(TaskId t, Call c) { // ns on a CPU
        Once once(std::move(c));
        engine.forget();
        engine.add(t, "call", once, at += 1e6);
        if (!engine.run(t)) throw std::logic_error("a call of an exchange sleeps for ever");
        return static_cast<double>(engine.ledger().total()) / 1000;
    }
};

Call transfer(Sys nr, int fd, std::uint64_t addr, std::uint64_t len) {
    Call c;
    c.nr = nr, c.fd = fd, c.iov = {{addr, len}};
    return c;
}

Profile without_chance(Profile p) {
    for (const Cost c : {Cost::jitter_call, Cost::jitter_latency, Cost::delay_share}) p.at(c) = 0;
    p.wake.clear();
    return p;
}

} // namespace

std::string exchange_text(const Exchange& e) {
    const char* const pages = e.huge ? " of a huge page" : !e.touched ? " never written to" : "";
    const std::string calls = e.ask == Ask::empty ? fmt::format("{} of an empty pipe", e.splice ? "splice" : "read")
                              : e.ask == Ask::full ? "vmsplice to a full pipe"
                                                   : fmt::format("{}, then {}, {} pages{}", e.vmsplice ? "vmsplice" : "write", e.splice ? "splice" : "read", e.pages, pages);
    return calls + (e.two_cpus ? ", two CPUs" : ", one CPU");
}

ExchangeTimes simulate_exchange(const Exchange& e, const Profile& profile) {
    World w(without_chance(profile), exchange_slots, e.ask == Ask::exchange ? 0 : std::uint32_t{F_nonblock}, e.two_cpus, e.huge, e.touched);
    const std::uint64_t len = std::uint64_t{e.pages} * page_size;
    Call in = transfer(e.vmsplice ? Sys::vmsplice : Sys::write, w.fds[1], w.from, len);
    Call out = transfer(Sys::read, w.fds[0], w.to, len);
    if (e.splice) {
        out.nr = Sys::splice, out.fd_out = w.null, out.len = len;
        out.iov.clear();
    }
    if (e.ask != Ask::exchange) in.flags = out.flags = PS_SPLICE_F_NONBLOCK;
    ExchangeTimes t;
    if (e.ask == Ask::empty) {
        for (int i = 0; i < 2; ++i) t.reader.ns = w.call(w.reader, out);
        return t;
    }
    if (e.ask == Ask::full) {
        in.iov[0].len = exchange_slots * page_size;
        for (int i = 0; i < 3; ++i) t.writer.ns = w.call(w.writer, in);
        return t;
    }
    for (std::uint64_t sent = 0; sent <= 4 * exchange_buffer; sent += len) { // twice around both buffers
        in.iov[0].addr = w.from + sent % (2 * exchange_buffer);
        t.writer.ns = w.call(w.writer, in);
        t.reader.ns = w.call(w.reader, out);
    }
    return t;
}

Coefficients count_costs(const Exchange& e, const std::string& kernel) {
    Coefficients n;
    for (std::size_t i = 0; i < cost_count; ++i) {
        Profile one;
        one.kernel = kernel;
        one.value[i] = 1000; // so that nothing is lost in rounding
        const ExchangeTimes t = simulate_exchange(e, one);
        n.writer[i] = t.writer.ns / 1000, n.reader[i] = t.reader.ns / 1000;
    }
    return n;
}

WakeTimes simulate_wake(const Profile& profile, double after_ns) {
    World w(without_chance(profile), 16, 0, true, false, true);
    WakeTimes t;
    for (int i = 0; i < 3; ++i) { // the first ones find nothing where it will be later
        Once read(transfer(Sys::read, w.fds[0], w.to, 1));
        w.engine.add(w.reader, "reader", read, w.at += 1e6);
        const double start = w.at + after_ns;
        w.engine.forget();
        Once write(transfer(Sys::write, w.fds[1], w.from, 1));
        w.engine.add(w.writer, "writer", write, start);
        if (!w.engine.run(w.writer)) throw std::logic_error("a write to an empty pipe sleeps");
        t.write_ns = w.engine.now_ns() - start;
        if (!w.engine.run(w.reader)) throw std::logic_error("a reader that was woken sleeps");
        t.read_ns = w.engine.now_ns() - start;
        t.idle_ns = static_cast<double>(w.engine.idle_ps()) / 1000 - profile[Cost::latency_long]; // here as long as the short one
    }
    return t;
}

double simulate_switch(const Profile& profile) {
    Profile p = without_chance(profile);
    World w(p, 16, 0, false, false, true);
    constexpr std::uint32_t times = 20;
    Bounce one(w.back[0], w.fds[1], w.from, true, times), two(w.fds[0], w.back[1], w.to, false, times);
    w.engine.add(w.reader, "two", two, 0);
    w.engine.add(w.writer, "one", one, 1e6);
    if (!w.engine.run(w.writer)) throw std::logic_error("two tasks that wake each other sleep");
    return (w.engine.now_ns() - 1e6) / (2 * times);
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// FIFOs, epoll and signals: opens that wait, HUP held back, edges that fire or do not, sleeps that are interrupted.
#include "core_rig.hpp"
#include <doctest/doctest.h>
#include <poll.h>

using namespace rig;

namespace {
Call open_call(std::uint32_t fifo, std::uint32_t flags) {
    Call c;
    c.nr = Sys::open, c.addr = fifo, c.flags = flags;
    return c;
}
} // namespace

TEST_CASE("FIFO opens wait for a partner, unless they may not") {
    Rig r;
    const auto m = r.mem(1 << 16);
    const std::uint32_t f = r.k.fifo_new(r.names.intern("fifo"));
    const TaskId t = r.task();
    SUBCASE("a writer without a reader") {
        CHECK(r.done(0, open_call(f, F_write | F_nonblock)) == -ENXIO);
        CHECK(r.s().fifos[f].pipe == no_id);
        CHECK_FALSE(r.call(t, open_call(f, F_write)));
        const long rd = r.done(0, open_call(f, F_read));
        CHECK(rd >= 0);
        CHECK(r.result(t).value_or(-1) > rd);
        CHECK(r.s().pipes[r.s().fifos[f].pipe].readers == 1);
    }
    SUBCASE("a reader that does not wait sees no end of file and no HUP until somebody wrote") {
        const auto rd = static_cast<int>(r.done(0, open_call(f, F_read | F_nonblock)));
        CHECK(r.simple(Sys::poll, rd) == 0);
        CHECK(r.done(0, Rig::io(Sys::read, rd, m, 1)) == 0);
        const auto wr = static_cast<int>(r.done(0, open_call(f, F_write)));
        CHECK(r.done(0, Rig::io(Sys::read, rd, m, 1)) == -EAGAIN);
        CHECK(r.simple(Sys::close, wr) == 0);
        CHECK(r.simple(Sys::poll, rd) == POLLHUP);
    }
    SUBCASE("one opened for both never waits and counts as both") {
        const auto fd = static_cast<int>(r.done(0, open_call(f, F_read | F_write)));
        const PipeId p = r.s().fifos[f].pipe;
        CHECK(r.s().pipes[p].readers == 1);
        CHECK(r.s().pipes[p].writers == 1);
        CHECK(r.s().pipes[p].files == 1);
        CHECK(r.done(0, Rig::io(Sys::write, fd, m, 5)) == 5);
        CHECK(r.simple(Sys::poll, fd) == (POLLIN | POLLOUT));
        CHECK(r.done(0, Rig::io(Sys::vmsplice, fd, m, 5)) == 5); // into the pipe
        CHECK(r.simple(Sys::close, fd) == 0);
        CHECK(r.s().fifos[f].pipe == no_id); // and the data with it
        const auto again = static_cast<int>(r.done(0, open_call(f, F_read | F_write)));
        CHECK(r.simple(Sys::fionread, again) == 0);
    }
    SUBCASE("a signal takes the open back") {
        CHECK_FALSE(r.call(t, open_call(f, F_read)));
        r.k.kill(t, SIGUSR1);
        r.settle();
        CHECK(r.result(t) == -EINTR);
        CHECK(r.s().fifos[f].pipe == no_id);
    }
    CHECK(r.audit() == "");
}

TEST_CASE("edge-triggered epoll shows wake-ups") {
    Rig r;
    const auto p = r.pipe();
    const auto m = r.mem(1 << 17);
    SUBCASE("each write to a polled pipe fires, empty or not") {
        const auto e = static_cast<std::uint32_t>(r.k.epoll_add(0, p.r, POLLIN, true));
        CHECK(r.k.epoll_wait(0, e) == 0);
        CHECK(r.write(p, m, 1) == 1);
        CHECK(r.k.epoll_wait(0, e) == POLLIN);
        CHECK(r.k.epoll_wait(0, e) == 0);
        CHECK(r.write(p, m, 1) == 1);
        CHECK(r.k.epoll_wait(0, e) == POLLIN);
    }
    SUBCASE("a full pipe is writable when a slot is freed, not when bytes are") {
        CHECK(r.write(p, m, 65536) == 65536);
        const auto e = static_cast<std::uint32_t>(r.k.epoll_add(0, p.w, POLLOUT, true));
        CHECK(r.read(p, m, 100) == 100);
        CHECK(r.k.epoll_wait(0, e) == 0);
        CHECK(r.read(p, m, 3996) == 3996);
        CHECK(r.k.epoll_wait(0, e) == POLLOUT);
    }
    SUBCASE("not full: a spliced slot fires, a read one does not") {
        CHECK(r.write(p, m, 8192) == 8192);
        const auto e = static_cast<std::uint32_t>(r.k.epoll_add(0, p.w, POLLOUT, true));
        CHECK(r.k.epoll_wait(0, e) == POLLOUT);
        CHECK(r.splice(p.r, r.null(), 4096) == 4096);
        CHECK(r.k.epoll_wait(0, e) == POLLOUT);
        CHECK(r.read(p, m, 4096) == 4096);
        CHECK(r.k.epoll_wait(0, e) == 0);
    }
    SUBCASE("a write that gets EAGAIN fires in vain") {
        const auto e = static_cast<std::uint32_t>(r.k.epoll_add(0, p.r, POLLIN, true));
        CHECK(r.write(p, m, 65536) == 65536);
        CHECK(r.k.epoll_wait(0, e) == POLLIN);
        CHECK(r.write(p, m, 10) == -EAGAIN);
        CHECK(r.k.epoll_wait(0, e) == POLLIN);
    }
    SUBCASE("before 5.14 only the first write fires") {
        Rig old("5.10");
        const auto q = old.pipe();
        const auto n = old.mem(4096);
        const auto e = static_cast<std::uint32_t>(old.k.epoll_add(0, q.r, POLLIN, true));
        CHECK(old.write(q, n, 1) == 1);
        CHECK(old.k.epoll_wait(0, e) == POLLIN);
        CHECK(old.write(q, n, 1) == 1);
        CHECK(old.k.epoll_wait(0, e) == 0);
    }
}

TEST_CASE("a signal ends a sleep") {
    Rig r;
    const auto p = r.pipe(16, 0);
    const auto m = r.mem(1 << 18);
    const TaskId t = r.task();
    SUBCASE("with nothing done") {
        CHECK_FALSE(r.call(t, Rig::io(Sys::read, p.r, m, 1)));
        r.k.kill(t, SIGUSR1);
        r.settle();
        CHECK(r.result(t) == -EINTR);
        CHECK(r.s().pipes[p.id].wait[0].empty());
    }
    SUBCASE("with part of a write done") {
        CHECK_FALSE(r.call(t, Rig::io(Sys::write, p.w, m, 100000)));
        r.k.kill(t, SIGUSR1);
        r.settle();
        CHECK(r.result(t) == 65536);
    }
    SUBCASE("of a vmsplice and a tee") {
        CHECK(r.write(p, m, 65536) == 65536);
        CHECK_FALSE(r.call(t, Rig::io(Sys::vmsplice, p.w, m, 1)));
        r.k.kill(t, SIGUSR1);
        r.settle();
        CHECK(r.result(t) == -EINTR);
        const auto q = r.pipe(16, 0);
        Call c;
        c.nr = Sys::tee, c.fd = q.r, c.fd_out = p.w, c.len = 1;
        CHECK_FALSE(r.call(t, c));
        r.k.kill(t, SIGUSR1);
        r.settle();
        CHECK(r.result(t) == -EINTR);
    }
    CHECK(r.s().tasks[t].delivered == 1u << SIGUSR1);
}

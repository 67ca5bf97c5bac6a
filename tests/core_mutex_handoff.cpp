// SPDX-License-Identifier: MIT
// A waiter that was woken and lost the race for the mutex is given it by the next unlock.
#include "core_rig.hpp"
#include <doctest/doctest.h>

using namespace rig;

namespace {

struct Step { // one call, resumed by hand
    Call call;
    Thread thread;
    Co<long> co;

    Step(Rig& r, TaskId t, const Call& c) : call(c), co(r.k.syscall(t, call)) { co.start(thread); }
    template <class F> bool until(F f) { // at most a few dozen stages
        for (int i = 0; i < 60 && !f() && !thread.done(); ++i) thread.run();
        return f();
    }
};

} // namespace

TEST_CASE("a woken waiter that loses the race once is handed the mutex") {
    Rig r;
    const auto p = r.pipe();
    const std::uint64_t m = r.mem(page_size);
    const TaskId a = 0, b = r.k.task_new(0, 0, 0, 2, 0), c = r.task(), d = r.task(); // b shares a's CPU, so it does not spin
    const auto owner = [&] { return r.s().pipes[p.id].mutex.owner; };
    const Call one = Rig::io(Sys::write, p.w, m, 1);
    r.k.stop_at_stages = true;

    Step sa(r, a, one);
    REQUIRE(sa.until([&] { return owner() == a; }));
    Step sb(r, b, one);
    REQUIRE(sb.until([&] { return r.s().tasks[b].run == RunState::lock_sleep; }));
    REQUIRE(sa.until([&] { return owner() == no_id; }));
    CHECK(r.s().tasks[b].run == RunState::runnable); // woken, and the mutex is free for anybody

    Step sc(r, c, one);
    REQUIRE(sc.until([&] { return owner() == c; })); // … who comes by
    sb.thread.run();
    CHECK(r.s().tasks[b].run == RunState::lock_sleep); // too late
    REQUIRE(sc.until([&] { return owner() != c; }));
    CHECK(owner() == b); // before b runs

    Step sd(r, d, one);
    sd.until([&] { return r.s().tasks[d].run == RunState::lock_sleep; });
    CHECK(owner() == b); // nobody can take it
    REQUIRE(sb.until([&] { return owner() != b; }));
    REQUIRE(sd.until([&] { return owner() == d; }));
    for (Step* s : {&sa, &sb, &sc, &sd})
        while (!s->thread.done()) s->thread.run();
    CHECK(sb.co.result() == 1);
    CHECK(r.s().pipes[p.id].bytes() == 4);
    r.k.woken.clear();
}

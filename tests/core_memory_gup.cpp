// SPDX-License-Identifier: MIT
// get_user_pages_fast step by step: batches, huge leaves, and an entry that changes under the lockless walk.
#include "core_rig.hpp"
#include <doctest/doctest.h>
#include <functional>
#include <utility>

using namespace rig;

namespace {
// The stages of a call in order, with `between` done where it stands before one of them.
std::string stages(Rig& r, const Call& c, long& result, Stage before = Stage::none, const std::function<void()>& between = {}) {
    std::string out;
    r.k.stop_at_stages = true;
    Thread t;
    auto co = r.k.syscall(0, c);
    co.start(t);
    for (t.run(); !t.done(); t.run()) {
        const Stage at = r.s().tasks[0].at.stage;
        if (at == before && between) between();
        if (const StageInfo& info = stage_info(at); info.id[0] == 'g') out += (out.empty() ? "" : " ") + std::string(info.id);
    }
    r.k.stop_at_stages = false;
    result = co.result();
    return out;
}
} // namespace

TEST_CASE("gup: sixteen pages a batch, an entry each") {
    Rig r;
    const auto p = r.pipe(32);
    const auto m = r.mem(18 * page_size);
    long got = 0;
    std::string want = "g_walk";
    for (int i = 0; i < 16; ++i) want += " g_pte";
    want += " g_walk g_pte g_pte";
    CHECK(stages(r, Rig::io(Sys::vmsplice, p.w, m, 18 * page_size), got) == want);
    CHECK(got == 18 * page_size);
}

TEST_CASE("gup: one grab for what a huge leaf holds of a batch; which comes first changed") {
    Rig r, old("6.12");
    for (Rig* k : {&r, &old}) {
        const auto p = k->pipe(32);
        const auto m = k->mem(huge_size, true, "M", VMA_READ | VMA_WRITE | VMA_HUGEPAGE);
        long got = 0;
        const std::string once = k == &r ? "g_huge g_record" : "g_record g_huge";
        CHECK(stages(*k, Rig::io(Sys::vmsplice, p.w, m + 3 * page_size, 20 * page_size), got) == "g_walk " + once + " g_walk " + once);
        CHECK(got == 20 * page_size);
        CHECK(k->k.page_count(walk(k->s(), 0, m).page) == 21);
    }
}

TEST_CASE("gup: a batch that crosses two huge leaves takes one grab of each") {
    Rig r;
    const auto p = r.pipe(32);
    const auto m = r.mem(2 * huge_size, true, "M", VMA_READ | VMA_WRITE | VMA_HUGEPAGE);
    long got = 0;
    CHECK(stages(r, Rig::io(Sys::vmsplice, p.w, m + 506 * page_size, 16 * page_size), got) == "g_walk g_huge g_record g_huge g_record");
    CHECK(r.k.page_count(walk(r.s(), 0, m).page) == 7);
    CHECK(r.k.page_count(walk(r.s(), 0, m + huge_size).page) == 11);
}

TEST_CASE("gup: what stops the lockless walk, and what the slow path leaves in the tables") {
    Rig r;
    const auto p = r.pipe(64);
    const auto m = r.mem(3 * page_size, false);
    long got = 0;
    CHECK(r.k.touch(0, m, page_size) == 0);
    CHECK(stages(r, Rig::io(Sys::vmsplice, p.w, m, 2 * page_size), got) == "g_walk g_pte g_stop g_slow g_fault"); // not present
    CHECK(entry_string(walk(r.s(), 0, m + page_size).leaf().entry) == "P US A SPECIAL NX");
    CHECK_FALSE(walk(r.s(), 0, m + 2 * page_size).present);
    CHECK(stages(r, Rig::io(Sys::vmsplice, p.w, m, 2 * page_size), got) == "g_walk g_pte g_stop g_slow"); // special
    CHECK(got == 2 * page_size);
    CHECK(r.k.mprotect(0, m, page_size, 0) == 0);
    CHECK(stages(r, Rig::io(Sys::vmsplice, p.w, m, page_size), got) == "g_walk g_stop g_slow"); // closed
    CHECK(got == -EFAULT);
    const auto h = r.mem(huge_size, false, "h", VMA_READ | VMA_WRITE | VMA_HUGEPAGE);
    CHECK(stages(r, Rig::io(Sys::vmsplice, p.w, h, 5 * page_size), got) == "g_walk g_stop g_slow g_fault"); // one look for the whole leaf
    CHECK(r.k.page_count(walk(r.s(), 0, h).page) == 6);
    CHECK(r.audit() == "");
}

TEST_CASE("gup: an entry that is gone before its page is taken stops the walk") {
    Rig r;
    const auto p = r.pipe();
    const auto m = r.mem(2 * page_size);
    const TaskId other = r.task();
    long got = 0;
    bool once = true;
    const auto zap = [&] {
        if (std::exchange(once, false)) CHECK(r.k.munmap(other, m, 2 * page_size) == 0);
    };
    CHECK(stages(r, Rig::io(Sys::vmsplice, p.w, m, 2 * page_size), got, Stage::g_pte, zap) == "g_walk g_pte g_stop g_slow");
    CHECK(got == -EFAULT);
    CHECK(r.audit() == "");
    for (const Page& q : r.s().pages) CHECK(q.refcount >= 0);
}

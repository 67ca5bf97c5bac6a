// SPDX-License-Identifier: MIT
// The sentences: every stage has one, with the names, slots and bytes it is about.
#include "app/layout.hpp"
#include "sim/narrate.hpp"
#include "sim/timeline.hpp"
#include "tests/demo_trace.hpp"
#include <doctest/doctest.h>

using namespace pipescope;

namespace {

struct World {
    DemoTrace demo{8};
    Timeline timeline;
    explicit World(std::uint32_t bytes = 0) {
        if (bytes) demo.write(bytes, 8);
        for (const Event& e : demo.trace.events) timeline.append(e);
    }
    const State& state() { return timeline.state(); }
    const StringTable& names() { return demo.trace.strings; }
    std::string stage(Stage s, std::uint32_t a = 0, std::uint32_t b = 0, std::uint32_t c = 0, std::uint64_t x = 0, std::uint64_t y = 0) {
        Event e;
        e.kind = EventKind::stage, e.stage = s, e.task = 0, e.pipe = 0, e.a = a, e.b = b, e.c = c, e.x = x, e.y = y;
        return narrate(state(), names(), e);
    }
};

} // namespace

TEST_CASE("narrate: a copy names the user page, the kernel page, the slot and the bytes") {
    World w;
    CHECK(w.stage(Stage::w_copy, 3, 40, 4096, 0x7f3a6c200000 + 27 * 4096) ==
          "Copies 4096 bytes from page 27 of src into page k40 for slot 3; the mutex is held meanwhile.");
    CHECK(w.stage(Stage::w_copy, 3, 40, 1, 0x7f3a6c200000 + 100) ==
          "Copies 1 byte from page 0 of src, offset 100 into page k40 for slot 3; the mutex is held meanwhile.");
    CHECK(w.stage(Stage::r_copy, 0, 40, 808, 0x7f3a6c400000, 1000) == "Copies 808 bytes from page k40 of slot 0, offset 1000, to page 0 of dst.");
}

TEST_CASE("narrate: merging says why") {
    World w(4096 + 1980);
    CHECK(w.stage(Stage::w_merge, no_id, 0, 1808) == "The ring is empty: the 1808 odd bytes have no page to go behind.");
    CHECK(w.stage(Stage::w_merge, 1, 0, 0) == "The length is a whole number of pages: there are no odd bytes to append.");
    CHECK(w.stage(Stage::w_merge, 1, 0, 904, 0, 1) == "The 904 odd bytes fit behind slot 1: 1980 + 904 ≤ 4096.");
    CHECK(w.stage(Stage::w_merge, 1, 0, 3000, 0, 0) == "The 3000 odd bytes do not fit behind slot 1: 1980 + 3000 > 4096.");
}

TEST_CASE("narrate: a waiter's words follow the mutex") {
    World w;
    const auto mutex = [&](EventKind k, TaskId task) {
        Event e;
        e.kind = k, e.task = task, e.pipe = 0, e.a = 1;
        w.timeline.append(e);
    };
    mutex(EventKind::mutex_lock, 1);
    CHECK(w.stage(Stage::m_spin, 0, 0, 0, 1) == "Spins: reader has the mutex and is running on another cpu.");
    mutex(EventKind::mutex_wait, 0);
    mutex(EventKind::mutex_unlock, 1);
    CHECK(w.stage(Stage::m_spin, 0, 0, 0, 1) == "Spun for it: reader has released the mutex, and it is free.");
    mutex(EventKind::mutex_lock, 0);
    CHECK(w.stage(Stage::m_sleep, 0, 0, 0, 1) == "Has the mutex now, which reader had.");
}

TEST_CASE("narrate: a FIFO's mutex is a FIFO's") {
    World w;
    CHECK(w.stage(Stage::n_lock).find("the pipe's mutex") != std::string::npos);
    Event e;
    e.kind = EventKind::fifo_new, e.a = 0, e.b = w.demo.trace.strings.intern("fifo 1");
    w.timeline.append(e);
    e.kind = EventKind::fifo_pipe, e.pipe = 0;
    w.timeline.append(e);
    CHECK(w.stage(Stage::n_lock).find("the FIFO's mutex") != std::string::npos);
    CHECK(pipe_is_fifo(w.state(), 0));
    CHECK(fn_label(Fn::pipe_write, true, true) == std::string("fifo_pipe_write"));
    CHECK(fn_label(Fn::pipe_write, true, false) == std::string("pipe_write"));
    CHECK(fn_label(Fn::pipe_read, false, true) == std::string("anon_pipe_read"));
    e = Event{};
    e.kind = EventKind::sys_enter, e.task = 0, e.a = static_cast<std::uint32_t>(Sys::open), e.b = no_id, e.c = F_read | F_nonblock, e.x = 0;
    CHECK(call_text(w.state(), w.names(), e) == "open(fifo 1, O_RDONLY|O_NONBLOCK)");
    e.c = F_read | F_write, e.x = 7;
    CHECK(call_text(w.state(), w.names(), e) == "open(O_RDWR)");
}

TEST_CASE("narrate: memory without a name is not called a buffer") {
    World w;
    Event e;
    e.kind = EventKind::buffer_new, e.c = 1, e.y = 4096;
    CHECK(narrate(w.state(), w.names(), e).find("  ") == std::string::npos);
    CHECK(narrate(w.state(), w.names(), e).find("4096 bytes") != std::string::npos);
}

TEST_CASE("narrate: room is counted in slots") {
    World w;
    CHECK(w.stage(Stage::w_full, 0, 0, 0, 6, 0) == "6 of 8 slots in use: there is room.");
    CHECK(w.stage(Stage::w_full, 0, 0, 0, 8, 1) == "All 8 slots are in use: no room, whatever they hold.");
    CHECK(w.stage(Stage::r_empty, 0, 0, 0, 0, 1) == "head equals tail: the ring is empty.");
    CHECK(w.stage(Stage::w_readers, 0, 0, 0, 1) == "One reader has the pipe open: goes on.");
    CHECK(w.stage(Stage::c_count, 0, 0, 0, std::uint64_t{1} << 32) == "This end is gone: 1 reader and 0 writers are left.");
}

TEST_CASE("narrate: every stage has a sentence that ends in a full stop") {
    World w(10000);
    for (std::uint16_t i = 1; i < static_cast<std::uint16_t>(Stage::count); ++i) {
        const auto s = static_cast<Stage>(i);
        const std::string text = w.stage(s, 0, 40, 16, 1, 1);
        INFO(std::string(stage_info(s).id));
        CHECK(text != stage_info(s).does);
        REQUIRE(!text.empty());
        CHECK(text.back() == '.');
    }
}

TEST_CASE("narrate: every other event has words, whatever its operands") {
    World w(10000);
    for (std::uint8_t k = 1; k < static_cast<std::uint8_t>(EventKind::count); ++k) {
        Event e;
        e.kind = static_cast<EventKind>(k);
        if (e.kind == EventKind::stage || e.kind == EventKind::note) continue;
        INFO(std::string(event_name(e.kind)));
        CHECK(narrate(w.state(), w.names(), e).back() == '.');
        e.task = e.pipe = e.a = e.b = e.c = 0xfffffff0u, e.x = e.y = ~std::uint64_t{0};
        CHECK(!narrate(w.state(), w.names(), e).empty());
    }
}

TEST_CASE("narrate: results by number and by name") {
    World w;
    Event e;
    e.kind = EventKind::sys_exit, e.task = 0, e.a = static_cast<std::uint32_t>(Sys::write), e.x = 10000;
    CHECK(narrate(w.state(), w.names(), e) == "write returns 10000.");
    e.x = static_cast<std::uint64_t>(-EAGAIN);
    CHECK(narrate(w.state(), w.names(), e) == "write returns EAGAIN.");
}

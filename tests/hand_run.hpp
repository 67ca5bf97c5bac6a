// SPDX-License-Identifier: MIT
// A small run made by hand, event by event, for tests of what is concluded from one.
#pragma once
#include "core/state.hpp"
#include "sim/trace.hpp"

namespace pipescope::test {

// Events in words; time stands still until told to go on.
struct Run {
    Trace trace;
    std::uint64_t now = 0;

    explicit Run(const char* capture = "bpf") { trace.meta.capture = capture; }
    Event& add(EventKind kind, TaskId task = no_id, std::uint32_t a = 0, std::uint32_t b = 0, std::uint32_t c = 0, std::uint64_t x = 0,
        std::uint64_t y = 0) {
        Event e;
        e.t_ns = now, e.kind = kind, e.task = task, e.pipe = 0, e.a = a, e.b = b, e.c = c, e.x = x, e.y = y;
        return trace.events.emplace_back(e);
    }
    void pipe(std::uint32_t slots) { add(EventKind::pipe_new, no_id, slots, trace.strings.intern("p")); }
    void task(TaskId id, const char* name, std::uint32_t fd = no_id, std::uint32_t flags = 0) {
        add(EventKind::mm_new, no_id, id);
        add(EventKind::fdtable_new, no_id, id);
        add(EventKind::task_new, id, trace.strings.intern(name), id, id, 100 + id);
        if (fd == no_id) return;
        add(EventKind::file_new, no_id, id, static_cast<std::uint32_t>(FileKind::pipe), flags);
        add(EventKind::fd_install, no_id, id, fd, id);
    }
    Event& enter(TaskId t, Sys sys, std::uint32_t fd = 3, std::uint64_t addr = 0, std::uint64_t len = 0) {
        return add(EventKind::sys_enter, t, static_cast<std::uint32_t>(sys), fd, 0, addr, len);
    }
    void exit(TaskId t, Sys sys, std::int64_t result) {
        add(EventKind::sys_exit, t, static_cast<std::uint32_t>(sys), 0, 0, static_cast<std::uint64_t>(result));
    }
    void state(TaskId t, RunState run, WaitFor wait = WaitFor::nothing) {
        add(EventKind::run_state, t, static_cast<std::uint32_t>(run), static_cast<std::uint32_t>(wait));
    }
    void page(PageId id, PageOwner owner, std::uint32_t seen) { add(EventKind::page_seen, 0, id, 1, static_cast<std::uint32_t>(owner) | seen << 16); }
    void ring(std::uint32_t head, std::uint32_t tail, std::uint32_t size, PageId (*page_of)(std::uint32_t), BufOps ops, bool torn = false) {
        add(EventKind::ring_begin, 0, head, tail, size, size, torn ? std::uint64_t{ring_torn} : 0);
        for (std::uint32_t i = tail; i != head; ++i)
            add(EventKind::ring_slot, 0, i & (size - 1), page_of(i), 0, page_size, static_cast<std::uint64_t>(ops));
        add(EventKind::ring_end, 0, 1, 1, no_id);
    }
};

} // namespace pipescope::test

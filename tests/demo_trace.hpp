// SPDX-License-Identifier: MIT
// A run made by hand for tests of the views: a writer of a given length, a reader, and any number of slots.
#pragma once
#include "sim/trace.hpp"
#include "core/state.hpp"

namespace pipescope {

struct DemoTrace {
    Trace trace;
    std::uint64_t t = 0;
    PageId next = 40;

    explicit DemoTrace(std::uint32_t slots) {
        trace.meta.title = "write and read";
        trace.meta.kernel = "6.18";
        trace.meta.capture = "model";
        trace.meta.source = "local p = pipe{slots=8}\nwhile true do\n  write(p.w, src) -- 256K\nend\nwhile true do\n  read(p.r, dst)\nend\n";
        put(EventKind::page_alloc, no_id, no_id, 10, 0, static_cast<std::uint32_t>(PageOwner::table));
        put(EventKind::mm_new, no_id, no_id, 0, 10);
        put(EventKind::fdtable_new, no_id, no_id, 0);
        task("writer", 4711, 0);
        task("reader", 4712, 1);
        put(EventKind::pipe_new, no_id, 0, slots, 0);
        put(EventKind::pipe_counts, no_id, 0, 1, 1, 2, 1, 1);
        buffer("src", 0x7f3a6c200000, 64, true);
        buffer("dst", 0x7f3a6c400000, 64, false);
    }

    Event& put(EventKind k, TaskId task, PipeId pipe, std::uint32_t a = 0, std::uint32_t b = 0, std::uint32_t c = 0, std::uint64_t x = 0,
        std::uint64_t y = 0) {
        Event e;
        e.kind = k, e.task = task, e.pipe = pipe, e.a = a, e.b = b, e.c = c, e.x = x, e.y = y, e.t_ns = t;
        trace.events.push_back(e);
        return trace.events.back();
    }
    void stage(Stage s, TaskId task, std::uint32_t a = 0, std::uint32_t b = 0, std::uint32_t c = 0, std::uint64_t x = 0, std::uint64_t y = 0,
        std::uint64_t ns = 60) {
        t += ns;
        put(EventKind::stage, task, 0, a, b, c, x, y).stage = s;
    }
    void task(const char* name, std::uint64_t pid, std::uint64_t cpu) {
        const auto id = static_cast<TaskId>(tasks++);
        put(EventKind::task_new, id, no_id, trace.strings.intern(name), 0, 0, pid, cpu);
    }
    void buffer(const char* name, std::uint64_t addr, std::uint32_t pages, bool touched) {
        put(EventKind::buffer_new, no_id, no_id, trace.strings.intern(name), 0, 0, addr, std::uint64_t{pages} * page_size);
        const auto index = [&](int level) { return static_cast<std::uint32_t>(addr >> (39 - 9 * level) & 511); };
        PageId table = 10;
        for (int level = 0; level < 3; ++level) {
            if (level < 2 && upper[level]) {
                table = upper[level];
                continue;
            }
            const PageId down = next_table++;
            put(EventKind::page_alloc, no_id, no_id, down, 0, static_cast<std::uint32_t>(PageOwner::table));
            put(EventKind::pte_set, no_id, no_id, table, index(level), 0, 0, (std::uint64_t{down} << page_shift) | PTE_P | PTE_RW | PTE_US);
            if (level < 2) upper[level] = down;
            table = down;
        }
        for (std::uint32_t i = 0; touched && i < pages; ++i) {
            const PageId page = 100 + i;
            put(EventKind::page_alloc, no_id, no_id, page, 0, static_cast<std::uint32_t>(PageOwner::user));
            put(EventKind::pte_set, no_id, no_id, table, index(3) + i, 0, 0,
                (std::uint64_t{page} << page_shift) | PTE_P | PTE_RW | PTE_US | PTE_A | PTE_D);
        }
    }
    // One write of `bytes` into the ring as long as there is room; afterwards the writer sleeps or returns.
    void write(std::uint32_t bytes, std::uint32_t slots, std::uint64_t addr = 0x7f3a6c200000) {
        t += 300;
        put(EventKind::user_line, 0, no_id, 3);
        put(EventKind::sys_enter, 0, 0, static_cast<std::uint32_t>(Sys::write), 4, 0, addr, bytes);
        put(EventKind::fn_enter, 0, no_id, static_cast<std::uint32_t>(Fn::ksys_write));
        put(EventKind::fn_enter, 0, no_id, static_cast<std::uint32_t>(Fn::pipe_write));
        stage(Stage::w_lock, 0);
        put(EventKind::mutex_lock, 0, 0);
        stage(Stage::w_readers, 0, 0, 0, 0, 1);
        stage(Stage::w_merge, 0, head == tail ? no_id : (head - 1) & (slots - 1), bytes % page_size, 0);
        std::uint32_t done = 0;
        while (done < bytes) {
            const bool full = head - tail >= slots;
            stage(Stage::w_full, 0, 0, 0, 0, head - tail, full);
            if (full) break;
            const std::uint32_t n = std::min(bytes - done, page_size), slot = head & (slots - 1);
            const PageId page = next++;
            if (next == 96) next = 300;
            stage(Stage::w_page, 0, slot, page, 0, 0, 0);
            put(EventKind::page_alloc, 0, no_id, page, 0, static_cast<std::uint32_t>(PageOwner::kernel));
            stage(Stage::w_copy, 0, slot, page, n, addr + done, 0, 300);
            stage(Stage::w_insert, 0, slot, page, n, head + 1, 0);
            put(EventKind::buf_set, 0, 0, slot, page, PIPE_BUF_FLAG_CAN_MERGE, n, static_cast<std::uint64_t>(BufOps::anon));
            put(EventKind::head_set, 0, 0, ++head);
            done += n;
        }
        stage(Stage::w_unlock, 0);
        put(EventKind::mutex_unlock, 0, 0);
        stage(Stage::w_wake, 0, 0, 0, 0, 0, 1);
        put(EventKind::sys_exit, 0, 0, static_cast<std::uint32_t>(Sys::write), 0, 0, done);
    }
    // One read that takes `bytes` from the tail.
    void read(std::uint32_t bytes, std::uint32_t slots, bool finish = true) {
        t += 200;
        put(EventKind::user_line, 1, no_id, 6);
        put(EventKind::sys_enter, 1, 0, static_cast<std::uint32_t>(Sys::read), 3, 0, 0x7f3a6c400000, bytes);
        put(EventKind::fn_enter, 1, no_id, static_cast<std::uint32_t>(Fn::ksys_read));
        put(EventKind::fn_enter, 1, no_id, static_cast<std::uint32_t>(Fn::pipe_read));
        stage(Stage::r_lock, 1);
        put(EventKind::mutex_lock, 1, 0);
        while (bytes && head != tail) {
            const std::uint32_t slot = tail & (slots - 1);
            Event last{};
            for (const Event& e : trace.events)
                if ((e.kind == EventKind::buf_set || e.kind == EventKind::buf_move) && e.a == slot) last = e;
            const std::uint32_t len = last.kind == EventKind::buf_set ? static_cast<std::uint32_t>(last.x) : last.c,
                                off = last.kind == EventKind::buf_set ? 0 : last.b;
            const std::uint32_t n = std::min(len, bytes);
            stage(Stage::r_empty, 1, 0, 0, 0, head - tail, 0);
            stage(Stage::r_copy, 1, slot, 40 + slot, n, 0x7f3a6c400000, off, 300);
            put(EventKind::buf_move, 1, 0, slot, off + n, len - n);
            if (n == len) {
                put(EventKind::buf_clear, 1, 0, slot);
                stage(Stage::r_tail, 1, 0, 0, 0, tail + 1);
                put(EventKind::tail_set, 1, 0, ++tail);
            }
            bytes -= n;
        }
        if (!finish) return;
        stage(Stage::r_unlock, 1);
        put(EventKind::mutex_unlock, 1, 0);
        put(EventKind::sys_exit, 1, 0, static_cast<std::uint32_t>(Sys::read), 0, 0, 4096);
    }
    void reader_waits_for_lock() {
        put(EventKind::user_line, 1, no_id, 6);
        put(EventKind::sys_enter, 1, 0, static_cast<std::uint32_t>(Sys::read), 3, 0, 0x7f3a6c400000, 262144);
        put(EventKind::fn_enter, 1, no_id, static_cast<std::uint32_t>(Fn::ksys_read));
        put(EventKind::fn_enter, 1, no_id, static_cast<std::uint32_t>(Fn::pipe_read));
        stage(Stage::m_spin, 1, 0, 0, 0, 0);
        put(EventKind::mutex_wait, 1, 0, 1);
        put(EventKind::run_state, 1, no_id, static_cast<std::uint32_t>(RunState::lock_spin));
    }
    std::uint32_t head = 0, tail = 0, tasks = 0;
    PageId next_table = 11, upper[2] = {};
};

// Fills most of the ring, takes some, and stops in the middle of a copy.
inline DemoTrace demo_trace(std::uint32_t slots, std::uint32_t rounds = 1) {
    DemoTrace d(slots);
    for (std::uint32_t i = 0; i < rounds; ++i) {
        d.write(page_size * (slots / 2) + 1980, slots);
        d.read(page_size * (slots / 4) + 904, slots);
    }
    d.write(page_size * 3, slots);
    return d;
}

} // namespace pipescope

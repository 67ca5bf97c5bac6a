// SPDX-License-Identifier: MIT
// A small rig for tests of the model: one kernel, tasks by number, calls that run until they end or sleep.
#pragma once
#include "core/describe.hpp"
#include "core/kernel/kernel.hpp"
#include "core/mm/walk.hpp"
#include <csignal>
#include <deque>
#include <map>
#include <optional>
#include <string>

namespace rig {

using namespace pipescope;

struct Rig {
    struct Pipe {
        PipeId id;
        int r, w;
    };
    BareSink sink;
    StringTable names;
    Kernel k;
    struct Running {
        Call call;
        Thread thread;
        Co<long> co;
    };
    std::map<TaskId, Running> running; // inside the kernel

    explicit Rig(std::string_view version = "6.18") : k(sink, *kernel_version(version)) {
        const MmId mm = k.mm_new();
        k.task_new(names.intern("t0"), mm, k.fdtable_new(), 1, 0);
    }
    ~Rig() { k.quiet = true; }

    const State& s() const { return sink.state(); }
    TaskId task() {
        const auto n = static_cast<std::uint32_t>(s().tasks.size());
        return k.task_new(names.intern("t" + std::to_string(n)), 0, 0, n + 1, n);
    }
    Pipe pipe(std::uint32_t slots = 16, std::uint32_t flags = F_nonblock) {
        int fds[2];
        const PipeId id = k.pipe_new(0, 16, 0, flags, fds);
        if (slots != 16) k.emit(EventKind::ring_resize, 0, id, slots);
        return {id, fds[0], fds[1]};
    }
    std::uint64_t mem(std::uint64_t len, bool touched = true, const char* name = "M", std::uint32_t flags = VMA_READ | VMA_WRITE) {
        const std::uint64_t a = k.mmap(0, len, flags, flags & VMA_HUGEPAGE ? huge_size : page_size);
        k.buffer_new(names.intern(name), 0, a, len, false);
        if (touched)
            for (std::uint64_t i = 0; i < len; i += page_size)
                if (!walk(s(), 0, a + i).present) k.fault(0, a + i, true);
        return a;
    }
    // Starts a call and lets it, and everybody it wakes, run; its result, or nothing while it sleeps.
    std::optional<long> call(TaskId t, const Call& c) {
        Running& r = running[t];
        r.call = c;
        r.thread = Thread{};
        r.co = k.syscall(t, r.call);
        r.co.start(r.thread);
        r.thread.run();
        settle();
        return result(t);
    }
    std::optional<long> result(TaskId t) {
        Running& r = running.at(t);
        if (!r.thread.done()) return std::nullopt;
        return r.co.result();
    }
    void settle() {
        while (!k.woken.empty()) {
            const TaskId t = k.woken.front();
            k.woken.pop_front();
            if (!running[t].thread.done()) running[t].thread.run();
        }
    }
    long done(TaskId t, const Call& c) {
        const auto r = call(t, c);
        return r ? *r : -99999;
    }
    static Call io(Sys nr, int fd, std::uint64_t addr, std::uint64_t n, std::uint32_t flags = 0) {
        Call c;
        c.nr = nr, c.fd = fd, c.iov = {{addr, n}}, c.flags = flags;
        return c;
    }
    long write(const Pipe& p, std::uint64_t a, std::uint64_t n) { return done(0, io(Sys::write, p.w, a, n)); }
    long read(const Pipe& p, std::uint64_t a, std::uint64_t n) { return done(0, io(Sys::read, p.r, a, n)); }
    long vmsplice(const Pipe& p, std::uint64_t a, std::uint64_t n, std::uint32_t flags = PS_SPLICE_F_NONBLOCK) {
        return done(0, io(Sys::vmsplice, p.w, a, n, flags));
    }
    long simple(Sys nr, int fd, std::uint64_t arg = 0) {
        Call c;
        c.nr = nr, c.fd = fd, c.len = arg;
        return done(0, c);
    }
    long splice(int in, int out, std::uint64_t n, std::uint32_t flags = 0) {
        Call c;
        c.nr = Sys::splice, c.fd = in, c.fd_out = out, c.len = n, c.flags = flags;
        return done(0, c);
    }
    long tee(int in, int out, std::uint64_t n, std::uint32_t flags = 0) {
        Call c;
        c.nr = Sys::tee, c.fd = in, c.fd_out = out, c.len = n, c.flags = flags;
        return done(0, c);
    }
    int null() { return k.file_open(0, FileKind::null, F_read | F_write, no_id); }
    std::string ring(const Pipe& p) const { return ring_string(s(), names, p.id); }
    long fionread(const Pipe& p) { return simple(Sys::fionread, p.r); }
    std::string spare(const Pipe& p) const { // how many spare pages: "0", "1", "2"
        return std::to_string((s().pipes[p.id].tmp_page[0] != no_page) + (s().pipes[p.id].tmp_page[1] != no_page));
    }
    // Each frame's references are those that the state shows: mappings, slots, spare places. "" or the first that is not.
    std::string audit() const {
        std::map<PageId, int> refs;
        for (const auto& p : s().pipes) {
            for (const PipeBuffer& b : p.bufs)
                if (b.ops != BufOps::null && b.ops != BufOps::zero) ++refs[s().pages[b.page].compound_head];
            for (const PageId t : p.tmp_page)
                if (t != no_page) ++refs[t];
        }
        for (PageId i = 1; i < s().pages.size(); ++i) {
            const Page& p = s().pages[i];
            if (p.owner == PageOwner::free || p.compound_head != i) continue;
            const int base = p.owner == PageOwner::zero || p.owner == PageOwner::table ? 1 : p.owner == PageOwner::page_cache ? 1 + p.mapcount : p.mapcount;
            if (p.refcount != base + refs[i])
                return "page " + std::to_string(i) + " has " + std::to_string(p.refcount) + " references, " + std::to_string(base + refs[i]) + " are due";
        }
        return "";
    }
};

// A store of the program's own, and what it would load there.
inline void store(Rig& r, TaskId t, std::uint64_t a, char c) {
    const PageId page = r.k.user_page(t, a, true);
    if (page != no_page)
        r.k.emit(EventKind::store, t, no_id, page, static_cast<std::uint32_t>(a & (page_size - 1)), 1, static_cast<std::uint64_t>(c));
}
inline char byte(const Rig& r, TaskId t, std::uint64_t a) {
    const auto it = r.s().bytes.find(walk(r.s(), r.s().tasks[t].mm, a).page);
    return it == r.s().bytes.end() ? '\0' : static_cast<char>((*it->second)[a & (page_size - 1)]);
}

} // namespace rig

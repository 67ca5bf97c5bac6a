// SPDX-License-Identifier: MIT
// apply(): what each event does to a state, and the bounds it is held to.
#include "core/state.hpp"
#include <algorithm>
#include <cstring>

namespace pipescope {
namespace {

constexpr std::uint32_t max_slots = 1u << 20;   // of one ring
constexpr std::uint32_t max_objects = 1u << 20; // tasks, pipes, files, …
constexpr std::uint32_t page_growth = 1u << 19; // how far ahead of the known frames an id may lie

template <class V> bool has(const V& v, std::uint32_t i) { return i < v.size(); }

bool ensure_page(State& s, PageId p, std::uint32_t n = 1) {
    const std::size_t need = std::size_t{p} + n;
    if (p == no_page || need > s.pages.size() + page_growth || need >= (1u << 28)) return false;
    if (need > s.pages.size()) s.pages.resize(need);
    return true;
}

bool page_alloc(State& s, const Event& e) {
    const PageId p = e.a;
    if (e.b > pud_order || e.c > static_cast<std::uint32_t>(PageOwner::unknown)) return false;
    const std::uint32_t n = 1u << e.b;
    if (!ensure_page(s, p, n) || s.pages[p].owner != PageOwner::free) return false;
    auto& list = s.free_pages[e.b];
    if (!list.empty() && list.back() == p) list.pop_back();
    else std::erase(list, p);
    s.next_page = std::max(s.next_page, p + n);
    const auto owner = static_cast<PageOwner>(e.c);
    for (std::uint32_t i = 0; i < n; ++i) {
        Page& q = s.pages[p + i];
        const std::uint32_t cpu = q.last_cpu;
        q = Page{};
        q.last_cpu = cpu;
        q.compound_head = p;
        q.order = static_cast<std::uint8_t>(e.b);
        q.owner = owner;
    }
    s.pages[p].refcount = 1;
    if (e.b) s.pages[p].flags = PG_head;
    if (owner == PageOwner::table) {
        s.pages[p].table = static_cast<std::uint32_t>(s.tables.size());
        for (std::uint32_t t = 0; t < s.tables.size(); ++t) // a table whose page was freed is used again
            if (s.tables[t][511] == ~pte_t{0}) { s.pages[p].table = t; break; }
        if (s.pages[p].table == s.tables.size()) s.tables.emplace_back();
        s.tables[s.pages[p].table] = PageTable{};
    }
    return true;
}

bool page_free(State& s, const Event& e) {
    if (!has(s.pages, e.a)) return false;
    Page& h = s.pages[e.a];
    if (h.owner == PageOwner::free || h.compound_head != e.a || e.a == zero_page) return false;
    const std::uint8_t order = h.order;
    if (h.table != no_id && has(s.tables, h.table)) s.tables[h.table].fill(~pte_t{0});
    for (std::uint32_t i = 0; i < (1u << order); ++i) {
        Page& q = s.pages[e.a + i];
        if (q.has_bytes) s.bytes.erase(e.a + i);
        const std::uint32_t cpu = q.last_cpu;
        q = Page{};
        q.last_cpu = cpu;
    }
    s.free_pages[order].push_back(e.a);
    return true;
}

PageBytes* writable(State& s, PageId p) {
    auto& ptr = s.bytes[p];
    s.pages[p].has_bytes = 1;
    if (!ptr) ptr = std::make_shared<PageBytes>();
    else if (ptr.use_count() > 1) ptr = std::make_shared<PageBytes>(*ptr);
    return const_cast<PageBytes*>(ptr.get()); // sole owner: nobody else can see the change
}

bool store(State& s, const Event& e) {
    if (!has(s.pages, e.a) || e.c > 16 || e.b + e.c > page_size || e.a == no_page) return false;
    if (e.x == 0 && e.y == 0 && !s.pages[e.a].has_bytes) return true;
    std::uint8_t raw[16];
    std::memcpy(raw, &e.x, 8);
    std::memcpy(raw + 8, &e.y, 8);
    std::memcpy(writable(s, e.a)->data() + e.b, raw, e.c);
    return true;
}

bool copy(State& s, const Event& e) {
    if (!has(s.pages, e.a) || !has(s.pages, e.b) || e.c > page_size || e.x + e.c > page_size || e.y + e.c > page_size) return false;
    s.bytes_copied += e.c;
    if (!s.pages[e.a].has_bytes && !s.pages[e.b].has_bytes) return true;
    if (e.b == no_page) return true; // to nowhere
    std::array<std::uint8_t, page_size> from{};
    if (s.pages[e.a].has_bytes) std::memcpy(from.data(), s.bytes[e.a]->data() + e.x, e.c);
    std::memcpy(writable(s, e.b)->data() + e.y, from.data(), e.c);
    return true;
}

bool set_slot(Pipe& p, const Event& e) {
    if (e.a >= p.bufs.size() || e.y > static_cast<std::uint64_t>(BufOps::unknown)) return false;
    p.bufs[e.a] = {e.b, static_cast<std::uint32_t>(e.x >> 32), static_cast<std::uint32_t>(e.x), e.c, static_cast<BufOps>(e.y)};
    return true;
}

bool apply_pipe(State& s, const Event& e) {
    if (!has(s.pipes, e.pipe)) return false;
    Pipe& p = s.pipes[e.pipe];
    switch (e.kind) {
    case EventKind::mutex_lock: p.mutex.owner = e.task; return true;
    case EventKind::mutex_unlock: p.mutex.owner = no_id; return true;
    case EventKind::mutex_wait: p.mutex.waiters.push_back(e.task); return true;
    case EventKind::mutex_leave: std::erase(p.mutex.waiters, e.task); return true;
    case EventKind::wq_add: {
        if (e.a > 1) return false;
        auto& q = p.wait[e.a];
        const WaitEntry w{e.task, e.b != 0};
        if (w.exclusive) q.push_back(w);
        else q.insert(q.begin(), w);
        return true;
    }
    case EventKind::wq_remove:
        if (e.a > 1) return false;
        std::erase_if(p.wait[e.a], [&](const WaitEntry& w) { return w.task == e.task; });
        return true;
    case EventKind::wake:
        if (e.a > 1 || !has(s.tasks, e.b)) return false;
        std::erase_if(p.wait[e.a], [&](const WaitEntry& w) { return w.task == e.b; });
        s.tasks[e.b].run = RunState::runnable;
        ++s.tasks[e.b].wakes;
        return true;
    case EventKind::buf_set: return set_slot(p, e);
    case EventKind::ring_slot: return set_slot(p, e);
    case EventKind::buf_move:
        if (e.a >= p.bufs.size()) return false;
        p.bufs[e.a].offset = e.b;
        p.bufs[e.a].len = e.c;
        return true;
    case EventKind::buf_clear:
        if (e.a >= p.bufs.size()) return false;
        p.bufs[e.a].ops = BufOps::null;
        return true;
    case EventKind::head_set:
        if (e.a - p.tail > p.bufs.size()) return false;
        p.head = e.a;
        return true;
    case EventKind::tail_set:
        if (p.head - e.a > p.bufs.size()) return false;
        p.tail = e.a;
        return true;
    case EventKind::tmp_page:
        if (e.a > 1) return false;
        p.tmp_page[e.a] = e.b;
        return true;
    case EventKind::ring_resize: {
        if (e.a == 0 || e.a > max_slots || (e.a & (e.a - 1)) || p.bufs.empty()) return false;
        const std::uint32_t n = p.occupancy();
        if (n > e.a) return false;
        std::vector<PipeBuffer> bufs(e.a);
        for (std::uint32_t i = 0; i < n; ++i) bufs[i] = p.bufs[p.slot(p.tail + i)];
        p.bufs = std::move(bufs);
        p.tail = 0;
        p.head = n;
        p.ring_size = p.max_usage = p.nr_accounted = e.a;
        return true;
    }
    case EventKind::pipe_counts:
        p.readers = e.a, p.writers = e.b, p.files = e.c;
        p.r_counter = static_cast<std::uint32_t>(e.x), p.w_counter = static_cast<std::uint32_t>(e.y);
        return true;
    case EventKind::poll_usage: p.poll_usage = true; return true;
    case EventKind::pipe_free: p.freed = true; return true;
    case EventKind::ring_begin:
        if (e.c == 0 || e.c > max_slots || (e.c & (e.c - 1)) || e.a - e.b > e.c) return false;
        p.bufs.assign(e.c, PipeBuffer{});
        p.head = e.a, p.tail = e.b, p.ring_size = e.c;
        p.max_usage = static_cast<std::uint32_t>(e.x);
        p.torn = (e.y & ring_torn) != 0;
        return true;
    case EventKind::ring_end: p.readers = e.a, p.writers = e.b, p.mutex.owner = has(s.tasks, e.c) ? e.c : no_id; return true;
    case EventKind::ring_source:
        if (e.a > 2) return false;
        p.source = static_cast<RingSource>(e.a);
        return true;
    case EventKind::observed: p.observed_bytes = e.a, p.observed_size = e.b; return true;
    default: return false;
    }
}

bool apply_task(State& s, const Event& e) {
    if (!has(s.tasks, e.task)) return false;
    Task& t = s.tasks[e.task];
    switch (e.kind) {
    case EventKind::task_exit: t.run = RunState::exited; return true;
    case EventKind::user_line: t.line = e.a; return true;
    case EventKind::sys_enter:
        if (e.a >= static_cast<std::uint32_t>(Sys::count)) return false;
        t.sys = t.last_sys = static_cast<Sys>(e.a);
        t.call = e;
        t.pipe = e.pipe;
        t.run = RunState::running;
        ++t.calls;
        return true;
    case EventKind::sys_exit:
        t.result = static_cast<std::int64_t>(e.x);
        if (t.result > 0 && (t.sys == Sys::write || t.sys == Sys::read || t.sys == Sys::writev || t.sys == Sys::readv || t.sys == Sys::vmsplice ||
                             t.sys == Sys::splice || t.sys == Sys::tee || t.sys == Sys::sendfile))
            t.bytes += static_cast<std::uint64_t>(t.result);
        t.sys = Sys::none;
        t.delivered |= t.pending; // signals are looked at on the way out
        t.pending = 0;
        t.at = Event{};
        t.depth = 0;
        t.run = RunState::user;
        t.wait_for = WaitFor::nothing;
        return true;
    case EventKind::fn_enter:
        if (t.depth >= t.path.size() || e.a >= static_cast<std::uint32_t>(Fn::count)) return false;
        t.path[t.depth++] = static_cast<Fn>(e.a);
        return true;
    case EventKind::fn_exit:
        if (t.depth) --t.depth;
        return true;
    case EventKind::stage:
        if (e.stage >= Stage::count) return false;
        t.at = e;
        return true;
    case EventKind::run_state: {
        if (e.a > static_cast<std::uint32_t>(RunState::exited) || e.b > static_cast<std::uint32_t>(WaitFor::data)) return false;
        t.run = static_cast<RunState>(e.a);
        t.wait_for = static_cast<WaitFor>(e.b);
        if (t.run == RunState::sleep || t.run == RunState::lock_sleep) ++t.sleeps;
        return true;
    }
    case EventKind::signal:
        if (e.a == 0 || e.a > 31) return false;
        (t.sys == Sys::none ? t.delivered : t.pending) |= 1u << e.a; // user code is interrupted at once
        return true;
    case EventKind::signals_taken: t.delivered = 0; return true;
    default: return false;
    }
}

bool apply_file(State& s, const Event& e) {
    switch (e.kind) {
    case EventKind::file_new:
        if (e.a != s.files.size() || e.a >= max_objects || e.b > static_cast<std::uint32_t>(FileKind::socket)) return false;
        s.files.push_back({static_cast<FileKind>(e.b), e.c, e.pipe, 0});
        return true;
    case EventKind::file_flags:
        if (!has(s.files, e.a)) return false;
        s.files[e.a].flags = e.c;
        return true;
    case EventKind::file_put:
        if (!has(s.files, e.a) || s.files[e.a].refs == 0) return false;
        --s.files[e.a].refs;
        return true;
    case EventKind::fd_install: {
        if (!has(s.fdtables, e.a) || e.b >= max_objects || !has(s.files, e.c)) return false;
        auto& fds = s.fdtables[e.a];
        if (e.b >= fds.size()) fds.resize(e.b + 1, no_id);
        fds[e.b] = e.c;
        ++s.files[e.c].refs;
        return true;
    }
    case EventKind::fd_remove:
        if (!has(s.fdtables, e.a) || !has(s.fdtables[e.a], e.b)) return false;
        s.fdtables[e.a][e.b] = no_id;
        return true;
    default: return false;
    }
}

bool apply_memory(State& s, const Event& e) {
    switch (e.kind) {
    case EventKind::vma_new: {
        if (!has(s.mms, e.a) || e.x >= e.y || (e.x | e.y) % page_size) return false;
        s.mms[e.a].vmas.push_back({e.x, e.y, e.b});
        return true;
    }
    case EventKind::vma_prot: {
        if (!has(s.mms, e.a) || e.x >= e.y || (e.x | e.y) % page_size) return false;
        std::vector<Vma> out;
        for (const Vma& v : s.mms[e.a].vmas) {
            const std::uint64_t from = std::max(v.start, e.x), to = std::min(v.end, e.y);
            if (from >= to) {
                out.push_back(v);
                continue;
            }
            if (v.start < from) out.push_back({v.start, from, v.flags});
            out.push_back({from, to, e.b});
            if (to < v.end) out.push_back({to, v.end, v.flags});
        }
        s.mms[e.a].vmas = std::move(out);
        return true;
    }
    case EventKind::page_alloc: return page_alloc(s, e);
    case EventKind::page_free: return page_free(s, e);
    case EventKind::page_ref: {
        if (!has(s.pages, e.a)) return false;
        Page& h = s.pages[s.pages[e.a].compound_head];
        h.refcount += static_cast<std::int32_t>(e.b);
        h.last_cpu = e.c;
        return true;
    }
    case EventKind::page_map: {
        if (!has(s.pages, e.a)) return false;
        s.pages[s.pages[e.a].compound_head].mapcount += static_cast<std::int32_t>(e.b);
        return true;
    }
    case EventKind::page_flags:
        if (!has(s.pages, e.a)) return false;
        s.pages[e.a].flags = (s.pages[e.a].flags | e.b) & ~e.c;
        return true;
    case EventKind::pte_set: {
        if (!has(s.pages, e.a) || e.b >= 512 || !has(s.tables, s.pages[e.a].table)) return false;
        s.tables[s.pages[e.a].table][e.b] = e.y;
        return true;
    }
    case EventKind::tlb_flush: return has(s.mms, e.a);
    case EventKind::store: return store(s, e);
    case EventKind::fill: {
        if (!has(s.pages, e.a) || e.a == no_page) return false;
        if ((e.b & 0xff) == 0 && !s.pages[e.a].has_bytes) return true;
        writable(s, e.a)->fill(static_cast<std::uint8_t>(e.b));
        return true;
    }
    case EventKind::copy: return copy(s, e);
    default: return false;
    }
}

bool apply_world(State& s, const Event& e) {
    switch (e.kind) {
    case EventKind::mm_new:
        if (e.a != s.mms.size() || e.a >= max_objects) return false;
        s.mms.push_back({e.b, {}});
        return true;
    case EventKind::fdtable_new:
        if (e.a != s.fdtables.size() || e.a >= max_objects) return false;
        s.fdtables.emplace_back();
        return true;
    case EventKind::task_new: {
        if (e.task != s.tasks.size() || e.task >= max_objects) return false;
        Task t;
        t.name = e.a, t.mm = e.b, t.fds = e.c, t.pid = e.x, t.cpu = static_cast<std::uint32_t>(e.y);
        s.tasks.push_back(t);
        return true;
    }
    case EventKind::pipe_new: {
        if (e.pipe != s.pipes.size() || e.pipe >= max_objects || e.a == 0 || e.a > max_slots || (e.a & (e.a - 1))) return false;
        Pipe p;
        p.name = e.b, p.inode = e.x;
        p.ring_size = p.max_usage = p.nr_accounted = e.a;
        p.bufs.resize(e.a);
        s.pipes.push_back(std::move(p));
        return true;
    }
    case EventKind::buffer_new:
        if (s.buffers.size() >= max_objects) return false;
        s.buffers.push_back({e.a, e.b, e.c != 0, e.x, e.y});
        return true;
    default: return false;
    }
}

bool apply_seen(State& s, const Event& e) {
    if (!ensure_page(s, e.a)) return false;
    Page& p = s.pages[e.a];
    if (e.kind == EventKind::page_user) {
        p.owner = PageOwner::user;
        p.user_task = e.b;
        p.user_index = e.c;
        return true;
    }
    const auto owner = e.c & 0xff;
    if (owner > static_cast<std::uint32_t>(PageOwner::unknown)) return false;
    p.refcount = static_cast<std::int32_t>(e.b);
    if (p.owner != PageOwner::user || owner != static_cast<std::uint32_t>(PageOwner::unknown)) p.owner = static_cast<PageOwner>(owner);
    p.order = static_cast<std::uint8_t>(e.c >> 8);
    p.seen = static_cast<std::uint8_t>(e.c >> 16);
    p.pfn = e.x;
    p.flags = static_cast<std::uint32_t>(e.y);
    if (p.compound_head == no_page) p.compound_head = e.a;
    return true;
}

bool apply_kind(State& s, const Event& e) {
    switch (e.kind) {
    case EventKind::mm_new: case EventKind::fdtable_new: case EventKind::task_new: case EventKind::pipe_new: case EventKind::buffer_new:
        return apply_world(s, e);
    case EventKind::file_new: case EventKind::file_flags: case EventKind::file_put: case EventKind::fd_install: case EventKind::fd_remove:
        return apply_file(s, e);
    case EventKind::vma_new: case EventKind::vma_prot: case EventKind::page_alloc: case EventKind::page_free: case EventKind::page_ref: case EventKind::page_map:
    case EventKind::page_flags: case EventKind::pte_set: case EventKind::tlb_flush: case EventKind::store: case EventKind::fill: case EventKind::copy:
        return apply_memory(s, e);
    case EventKind::task_exit: case EventKind::user_line: case EventKind::sys_enter: case EventKind::sys_exit: case EventKind::fn_enter:
    case EventKind::fn_exit: case EventKind::stage: case EventKind::run_state: case EventKind::signal: case EventKind::signals_taken:
        return apply_task(s, e);
    case EventKind::page_seen: case EventKind::page_user: return apply_seen(s, e);
    case EventKind::lost: s.lost += e.x; return true;
    case EventKind::note: return true;
    case EventKind::none: case EventKind::count: return false;
    default: return apply_pipe(s, e);
    }
}

} // namespace

State::State() : pages(2) {
    pages[zero_page].owner = PageOwner::zero;
    pages[zero_page].refcount = 1;
    pages[zero_page].compound_head = zero_page;
    pages[zero_page].flags = PG_uptodate;
}

bool apply(State& s, const Event& e) {
    if (!apply_kind(s, e)) return false;
    s.t_ns = e.t_ns;
    if (e.task != no_id) s.last_task = e.task;
    return true;
}

std::uint64_t Pipe::bytes() const {
    std::uint64_t n = 0;
    for (std::uint32_t i = tail; i != head; ++i) n += bufs[slot(i)].len;
    return n;
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// apply(): what each event does to a state; here the dispatch, and events of tasks, files and the world.
#include "core/apply_parts.hpp"

namespace pipescope {
using namespace part;
namespace {

bool apply_task(State& s, const Event& e) {
    if (!has(s.tasks, e.task)) return false;
    Task& t = s.tasks[e.task];
    switch (e.kind) {
    case EventKind::task_exit: t.run = RunState::exited; return true;
    case EventKind::user_line: t.line = e.a; return true;
    case EventKind::task_cpu: t.cpu = e.a; return true;
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
                             t.sys == Sys::splice || t.sys == Sys::tee || t.sys == Sys::sendfile || t.sys == Sys::sendto))
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
        if (e.b == static_cast<std::uint32_t>(FileKind::socket)) s.files.push_back({FileKind::socket, e.c, e.pipe, 0, no_id, 0, static_cast<SockId>(e.x), 0});
        else s.files.push_back({static_cast<FileKind>(e.b), e.c, e.pipe, 0, static_cast<InodeId>(e.x), 0, no_id, 0});
        return true;
    case EventKind::file_pos:
        if (!has(s.files, e.a)) return false;
        s.files[e.a].pos = e.x;
        return true;
    case EventKind::file_fpipe:
        if (!has(s.files, e.a)) return false;
        s.files[e.a].f_pipe = e.b;
        return true;
    case EventKind::fifo_new:
        if (e.a != s.fifos.size() || e.a >= max_objects) return false;
        s.fifos.push_back({e.b, no_id});
        return true;
    case EventKind::fifo_pipe:
        if (!has(s.fifos, e.a)) return false;
        s.fifos[e.a].pipe = e.pipe;
        return true;
    case EventKind::epoll_new:
        if (e.a != s.epolls.size() || e.a >= max_objects || e.x >= s.files.size()) return false;
        s.epolls.push_back({static_cast<FileId>(e.x), e.b, e.c != 0, false});
        return true;
    case EventKind::epoll_ready:
        if (!has(s.epolls, e.a)) return false;
        s.epolls[e.a].ready = e.b != 0;
        return true;
    case EventKind::inode_new:
        if (e.a != s.inodes.size() || e.a >= max_objects) return false;
        s.inodes.push_back({e.b, e.x, {}});
        return true;
    case EventKind::inode_page:
        if (!has(s.inodes, e.a) || !has(s.pages, e.c)) return false;
        s.inodes[e.a].pages[e.b] = e.c;
        return true;
    case EventKind::inode_size:
        if (!has(s.inodes, e.a)) return false;
        s.inodes[e.a].size = e.x;
        return true;
    case EventKind::file_flags:
        if (!has(s.files, e.a)) return false;
        s.files[e.a].flags = e.c;
        return true;
    case EventKind::file_get:
        if (!has(s.files, e.a)) return false;
        ++s.files[e.a].refs;
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

bool apply_world(State& s, const Event& e) {
    switch (e.kind) {
    case EventKind::mm_new:
        if (e.a != s.mms.size() || e.a >= max_objects) return false;
        if (e.c != 0 && e.c != 4 && e.c != 5) return false;
        s.mms.push_back({e.b, {}, static_cast<std::uint8_t>(e.c ? e.c : 4)});
        return true;
    case EventKind::mm_levels:
        if (!has(s.mms, e.a) || !s.mms[e.a].vmas.empty() || (e.b != 4 && e.b != 5)) return false;
        s.mms[e.a].levels = static_cast<std::uint8_t>(e.b);
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

bool apply_kind(State& s, const Event& e) {
    switch (e.kind) {
    case EventKind::mm_new: case EventKind::fdtable_new: case EventKind::task_new: case EventKind::pipe_new: case EventKind::buffer_new:
    case EventKind::mm_levels:
        return apply_world(s, e);
    case EventKind::file_fpipe: case EventKind::fifo_new: case EventKind::fifo_pipe: case EventKind::epoll_new: case EventKind::epoll_ready:
    case EventKind::inode_new: case EventKind::inode_page: case EventKind::inode_size: case EventKind::file_pos: case EventKind::file_new: case EventKind::file_flags: case EventKind::file_get: case EventKind::file_put: case EventKind::fd_install: case EventKind::fd_remove:
        return apply_file(s, e);
    case EventKind::vma_new: case EventKind::vma_prot: case EventKind::vma_del: case EventKind::pte_set: case EventKind::store: case EventKind::fill: case EventKind::pattern: case EventKind::copy:
        return apply_memory(s, e);
    case EventKind::tlb_flush: case EventKind::tlb_fill: case EventKind::tlb_hit: return apply_tlb(s, e);
    case EventKind::task_exit: case EventKind::task_cpu: case EventKind::user_line: case EventKind::sys_enter: case EventKind::sys_exit: case EventKind::fn_enter:
    case EventKind::fn_exit: case EventKind::stage: case EventKind::run_state: case EventKind::signal: case EventKind::signals_taken:
        return apply_task(s, e);
    case EventKind::sock_new: case EventKind::sock_peer: case EventKind::sock_state: case EventKind::sock_wmem: case EventKind::sock_wait: case EventKind::sock_wake:
    case EventKind::skb_queue: case EventKind::skb_frag: case EventKind::skb_eat: case EventKind::skb_free: case EventKind::page_frag:
        return apply_socket(s, e);
    case EventKind::mcl_new: case EventKind::mcl_take: case EventKind::m_get: case EventKind::m_clget: case EventKind::m_ext: case EventKind::m_link:
    case EventKind::m_set: case EventKind::m_copyin: case EventKind::m_copydata: case EventKind::m_free: case EventKind::if_queue: case EventKind::if_fetch:
        return apply_mbuf(s, e);
    case EventKind::page_alloc: case EventKind::page_free: case EventKind::page_ref: case EventKind::page_map: case EventKind::page_flags: case EventKind::page_pin:
    case EventKind::page_seen: case EventKind::page_user:
        return apply_frames(s, e);
    case EventKind::lost: s.lost += e.x; return true;
    case EventKind::note: return true;
    case EventKind::none: case EventKind::count: return false;
    default: return apply_pipe(s, e);
    }
}

} // namespace

bool apply(State& s, const Event& e) {
    if (!apply_kind(s, e)) return false;
    s.t_ns = e.t_ns;
    if (e.task != no_id) s.last_task = e.task;
    return true;
}

} // namespace pipescope

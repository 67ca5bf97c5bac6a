// SPDX-License-Identifier: MIT
// apply() for events of the ring, its mutex and its wait queues.
#include "core/apply_parts.hpp"

namespace pipescope {
namespace part {

static bool set_slot(std::vector<PipeBuffer>& bufs, const Event& e) {
    if (e.a >= bufs.size() || e.y > static_cast<std::uint64_t>(BufOps::unknown)) return false;
    bufs[e.a] = {e.b, static_cast<std::uint32_t>(e.x >> 32), static_cast<std::uint32_t>(e.x), e.c, static_cast<BufOps>(e.y)};
    return true;
}

bool apply_pipe(State& s, const Event& e) {
    if (!has(s.pipes, e.pipe)) return false;
    Pipe& p = s.pipes[e.pipe];
    switch (e.kind) {
    case EventKind::mutex_lock:
        p.mutex.owner = e.task;
        if (p.mutex.handoff == e.task) p.mutex.handoff = no_id;
        return true;
    case EventKind::mutex_unlock: p.mutex.owner = no_id; return true;
    case EventKind::mutex_wait: p.mutex.waiters.push_back(e.task); return true;
    case EventKind::mutex_leave: std::erase(p.mutex.waiters, e.task); return true;
    case EventKind::wq_add: {
        if (e.a > 1) return false;
        auto& q = p.wait[e.a];
        const WaitEntry w = e.c ? WaitEntry{no_id, false, e.c - 1} : WaitEntry{e.task, e.b != 0, no_id};
        if (w.exclusive) q.push_back(w);
        else q.insert(q.begin(), w);
        return true;
    }
    case EventKind::wq_remove:
        if (e.a > 1) return false;
        std::erase_if(p.wait[e.a], [&](const WaitEntry& w) { return e.c ? w.epoll == e.c - 1 : w.epoll == no_id && w.task == e.task; });
        return true;
    case EventKind::wake:
        if (e.a > 1 || !has(s.tasks, e.b)) return false;
        if (!(e.c & 2)) std::erase_if(p.wait[e.a], [&](const WaitEntry& w) { return w.task == e.b; });
        s.tasks[e.b].run = RunState::runnable;
        ++s.tasks[e.b].wakes;
        return true;
    case EventKind::buf_set: return set_slot(p.bufs, e);
    case EventKind::ring_slot: return set_slot(p.incoming.bufs, e);
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
        if (n > e.a || e.b > e.a) return false;
        std::vector<PipeBuffer> bufs(e.a);
        for (std::uint32_t i = 0; i < n; ++i) bufs[i] = p.bufs[p.slot(p.tail + i)];
        p.bufs = std::move(bufs);
        p.tail = 0;
        p.head = n;
        p.ring_size = p.nr_accounted = e.a;
        p.max_usage = e.b ? e.b : e.a;
        return true;
    }
    case EventKind::pipe_counts:
        p.readers = e.a, p.writers = e.b, p.files = e.c;
        p.r_counter = static_cast<std::uint32_t>(e.x), p.w_counter = static_cast<std::uint32_t>(e.y);
        return true;
    case EventKind::mutex_handoff: p.mutex.handoff = e.task; return true;
    case EventKind::poll_usage: p.poll_usage = true; return true;
    case EventKind::waiting_writers: p.waiting_writers = e.a; return true;
    case EventKind::pipe_free: p.freed = true; return true;
    case EventKind::ring_begin:
        if (e.c == 0 || e.c > max_slots || (e.c & (e.c - 1)) || e.a - e.b > e.c) return false;
        // Kept aside until it is whole: half of one ring and half of another never existed.
        p.incoming = {e.a, e.b, static_cast<std::uint32_t>(e.x), (e.y & ring_torn) != 0, std::vector<PipeBuffer>(e.c)};
        return true;
    case EventKind::ring_end:
        if (!p.incoming.bufs.empty()) {
            p.bufs = std::move(p.incoming.bufs);
            p.head = p.incoming.head, p.tail = p.incoming.tail, p.max_usage = p.incoming.max_usage, p.torn = p.incoming.torn;
            p.ring_size = static_cast<std::uint32_t>(p.bufs.size());
            p.incoming = {};
        }
        p.readers = e.a, p.writers = e.b, p.mutex.owner = has(s.tasks, e.c) ? e.c : no_id;
        return true;
    case EventKind::ring_source:
        if (e.a > 2) return false;
        p.source = static_cast<RingSource>(e.a);
        return true;
    case EventKind::observed: p.observed_bytes = e.a, p.observed_size = e.b; return true;
    default: return false;
    }
}

} // namespace part

std::uint64_t Pipe::bytes() const {
    std::uint64_t n = 0;
    for (std::uint32_t i = tail; i != head; ++i) n += bufs[slot(i)].len;
    return n;
}

} // namespace pipescope

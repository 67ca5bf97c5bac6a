// SPDX-License-Identifier: MIT
// Events as reads and writes of pipes, pages, files, sockets and tasks.
#include "sim/explore/footprint.hpp"
#include "sim/turns.hpp"
#include <algorithm>

namespace pipescope::explore {
namespace {

enum class Thing : std::uint64_t { pipe, page, file, descriptor, inode, socket, task, table, memory };
std::uint64_t name(Thing t, std::uint64_t id) { return static_cast<std::uint64_t>(t) << 40 | id; }

void tidy(std::vector<std::uint64_t>& v) {
    std::sort(v.begin(), v.end());
    v.erase(std::unique(v.begin(), v.end()), v.end());
}

bool meet(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (a[i] == b[j]) return true;
        if (a[i] < b[j]) ++i;
        else ++j;
    }
    return false;
}

} // namespace

Footprint footprint(std::span<const Event> events, const Event& from) {
    Footprint f;
    if (from.kind == EventKind::stage && turn_stage(from) == TurnStage::look) // what it finds there decides what it does
        f.reads.push_back(from.stage == Stage::k_room || from.stage == Stage::q_data ? name(Thing::socket, from.a) : name(Thing::pipe, from.pipe));
    for (const Event& e : events) {
        const auto writes = [&](Thing t, std::uint64_t id) { f.writes.push_back(name(t, id)); };
        const auto reads = [&](Thing t, std::uint64_t id) { f.reads.push_back(name(t, id)); };
        switch (e.kind) {
        case EventKind::store: case EventKind::fill: case EventKind::pattern: writes(Thing::page, e.a); break;
        case EventKind::copy: reads(Thing::page, e.a), writes(Thing::page, e.b); break;
        case EventKind::vma_new: case EventKind::vma_prot: case EventKind::vma_del: writes(Thing::memory, e.a); break;
        case EventKind::pte_set: writes(Thing::table, e.a); break;
        case EventKind::inode_new: case EventKind::inode_page: case EventKind::inode_size: writes(Thing::inode, e.a); break;
        case EventKind::file_new: case EventKind::file_pos: case EventKind::file_fpipe: case EventKind::file_flags: case EventKind::file_get:
        case EventKind::file_put: writes(Thing::file, e.a); break;
        case EventKind::fd_install: case EventKind::fd_remove: writes(Thing::descriptor, e.b); break;
        case EventKind::sys_enter: reads(Thing::descriptor, e.b); break;
        case EventKind::sock_new: case EventKind::sock_peer: case EventKind::sock_state: case EventKind::sock_wmem: case EventKind::sock_wait:
        case EventKind::sock_wake: case EventKind::skb_queue: case EventKind::skb_frag: case EventKind::skb_eat: case EventKind::skb_free:
            writes(Thing::socket, e.a);
            break;
        case EventKind::signal: writes(Thing::task, e.task); break;
        case EventKind::mutex_lock: case EventKind::mutex_unlock: case EventKind::mutex_wait: case EventKind::mutex_leave: case EventKind::wq_add:
        case EventKind::wq_remove: case EventKind::wake: case EventKind::buf_set: case EventKind::buf_move: case EventKind::buf_clear: case EventKind::head_set:
        case EventKind::tail_set: case EventKind::tmp_page: case EventKind::ring_resize: case EventKind::pipe_counts: case EventKind::poll_usage:
        case EventKind::pipe_free:
            writes(Thing::pipe, e.pipe);
            break;
        default: break; // page frames and their counts commute; what the program does for itself concerns nobody
        }
    }
    tidy(f.reads);
    tidy(f.writes);
    return f;
}

bool dependent(const Footprint& a, const Footprint& b) { return meet(a.writes, b.writes) || meet(a.writes, b.reads) || meet(a.reads, b.writes); }

} // namespace pipescope::explore

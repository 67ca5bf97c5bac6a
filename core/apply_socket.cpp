// SPDX-License-Identifier: MIT
// apply() for events of sockets and their buffers.
#include "core/apply_parts.hpp"

namespace pipescope::part {
namespace {

constexpr std::uint32_t max_frags = 64; // of one buffer; more than any kernel allows

bool apply_skb(Socket& k, const Event& e) {
    switch (e.kind) {
    case EventKind::skb_queue: k.queue.push_back({e.b, e.c, 0, static_cast<std::uint32_t>(e.x), static_cast<SockId>(e.y), {}}); return true;
    case EventKind::skb_frag: {
        if (k.queue.empty()) return false;
        Skb& skb = k.queue.back();
        if (e.y & 1 ? skb.frags.empty() : skb.frags.size() >= max_frags) return false;
        if (e.y & 1) skb.frags.back().size += e.c;
        else skb.frags.push_back({e.b, static_cast<std::uint32_t>(e.x), e.c});
        if (e.y & 2) skb.truesize += e.c;
        return true;
    }
    case EventKind::skb_eat:
        if (k.queue.empty() || e.c > k.queue.front().len() - k.queue.front().consumed) return false;
        k.queue.front().consumed += e.c;
        return true;
    case EventKind::skb_free:
        if (k.queue.empty()) return false;
        k.queue.erase(k.queue.begin());
        return true;
    default: return false;
    }
}

} // namespace

bool apply_socket(State& s, const Event& e) {
    if (e.kind == EventKind::page_frag) {
        if (!has(s.tasks, e.task) || !has(s.pages, e.b)) return false;
        s.tasks[e.task].frag = {e.b, e.c};
        return true;
    }
    if (e.kind == EventKind::sock_new) {
        if (e.a != s.sockets.size() || e.a >= max_objects || e.c > 1) return false;
        Socket k;
        k.name = e.b, k.type = static_cast<SockType>(e.c), k.sndbuf = static_cast<std::uint32_t>(e.x);
        s.sockets.push_back(std::move(k));
        return true;
    }
    if (!has(s.sockets, e.a)) return false;
    Socket& k = s.sockets[e.a];
    switch (e.kind) {
    case EventKind::sock_peer:
        if (e.b != no_id && !has(s.sockets, e.b)) return false;
        k.peer = e.b;
        return true;
    case EventKind::sock_state: k.shutdown = e.b, k.err = e.c, k.dead = e.x != 0; return true;
    case EventKind::sock_wmem: k.wmem += e.b; return true;
    case EventKind::sock_wait: {
        const auto epoll = static_cast<std::uint32_t>(e.y);
        if (e.b == 0) {
            std::erase_if(k.wait, [&](const WaitEntry& w) { return epoll ? w.epoll == epoll - 1 : w.epoll == no_id && w.task == e.task; });
            return true;
        }
        const WaitEntry w = epoll ? WaitEntry{no_id, false, epoll - 1} : WaitEntry{e.task, e.c != 0, no_id};
        k.wait.insert(w.exclusive ? k.wait.end() : k.wait.begin(), w);
        return true;
    }
    case EventKind::sock_wake:
        if (!has(s.tasks, e.b)) return false;
        std::erase_if(k.wait, [&](const WaitEntry& w) { return w.task == e.b; });
        s.tasks[e.b].run = RunState::runnable;
        ++s.tasks[e.b].wakes;
        return true;
    case EventKind::skb_queue:
        if (!has(s.pages, e.b)) return false;
        return apply_skb(k, e);
    case EventKind::skb_frag:
        if (!has(s.pages, e.b)) return false;
        return apply_skb(k, e);
    default: return apply_skb(k, e);
    }
}

} // namespace pipescope::part

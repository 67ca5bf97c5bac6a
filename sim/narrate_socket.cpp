// SPDX-License-Identifier: MIT
// The sentences of sockets: what their stages and events do; core/stages.def says what a stage's operands are.
#include "core/describe.hpp"
#include "sim/narrate.hpp"
#include <fmt/format.h>

namespace pipescope {
namespace {

using fmt::format;

std::string socket_label(const State& s, const StringTable& names, SockId sock) {
    return sock < s.sockets.size() && s.sockets[sock].name ? names[s.sockets[sock].name] : format("socket {}", sock);
}

} // namespace

std::string narrate_socket_stage(const State& s, const StringTable& names, const Event& e) {
    switch (e.stage) {
    case Stage::k_room:
        return e.y ? format("{} bytes are on their way, and {} is the limit: no buffer until the peer has taken some.", e.c, e.x)
                   : format("{} of {} bytes on their way: one more buffer is let in, however big.", e.c, e.x);
    case Stage::k_sleep: return "Sleeps until no more than a quarter of its send buffer is in use.";
    case Stage::k_copy: return format("Copies {} bytes from {} into the socket buffer.", e.c, user_place(s, names, e.task, e.x));
    case Stage::k_pages: return format("The socket buffer takes {} bytes in {} {} by reference: nothing is copied.", e.c, e.x, e.x == 1 ? "fragment" : "fragments");
    case Stage::k_queue: return format("Appends the buffer of {} bytes to the peer's receive queue and wakes who waits there.", e.c);
    case Stage::q_data: return e.y ? std::string("The receive queue is empty.") : format("{} socket {} wait in the receive queue.", e.x, e.x == 1 ? "buffer" : "buffers");
    case Stage::q_sleep:
        return e.pipe == no_id ? "Sleeps until something arrives." : "Sleeps until something arrives, with the pipe's mutex held: nobody can use the pipe meanwhile.";
    case Stage::q_copy: return format("Copies {} bytes from the socket buffer to {}.", e.c, user_place(s, names, e.task, e.x));
    case Stage::q_frags: return format("Takes {} bytes out of the first buffer: its linear part is copied, its fragments go by reference.", e.c);
    case Stage::q_add: return format("Fills slot {} with {} bytes at offset {} of page {}, and advances head to {}.", e.a, e.c, e.y, page_label(s, names, e.b), e.x);
    case Stage::q_free: return format("The buffer is empty: frees it, and its sender gets room for {} bytes back.", e.c);
    case Stage::x_lock: return "Goes for the pipe's mutex, and keeps it for the whole send.";
    case Stage::x_data: return e.y ? std::string("head equals tail: the ring is empty.") : format("{} {} filled: there is data.", e.x, e.x == 1 ? "slot" : "slots");
    case Stage::x_send: return format("Offers {} bytes in {} {} to the socket; at most 16 slots at a time.", e.c, e.x, e.x == 1 ? "slot" : "slots");
    case Stage::x_release: return format("{} bytes were taken: {} {} free.", e.c, e.x, e.x == 1 ? "slot is" : "slots are");
    case Stage::x_wake: return e.y ? "Slots were freed: wakes writers on wr_wait, the mutex already released." : "No slot was freed: no writer to wake.";
    default: return "";
    }
}

std::string narrate_socket(const State& s, const StringTable& names, const Event& e) {
    const auto sock = [&] { return socket_label(s, names, e.a); };
    switch (e.kind) {
    case EventKind::sock_new: return format("{} socket, its send buffer {} bytes: {}.", e.c ? "A datagram" : "A stream", e.x, names[e.b]);
    case EventKind::sock_peer: return e.b == no_id ? format("{} has no peer any more.", sock()) : format("{} is connected to {}.", sock(), socket_label(s, names, e.b));
    case EventKind::sock_state:
        return e.x ? format("{} is closed.", sock()) : e.c ? format("{} will tell {} at the next call.", sock(), errno_name(static_cast<int>(e.c))) : format("{} can send and receive no more than it has.", sock());
    case EventKind::sock_wmem: return format("{} is charged {:+} bytes.", sock(), static_cast<std::int32_t>(e.b));
    case EventKind::sock_wait:
        return format("{} {} the queue of {}.", e.y ? format("Epoll item {}", e.y - 1) : std::string("It"), e.b ? "joins" : "leaves", sock());
    case EventKind::sock_wake: return format("Wakes {}, which waited for {}.", task_label(s, names, e.b), sock());
    case EventKind::skb_queue: return format("A socket buffer arrives at {}: {} bytes of its own, truesize {}.", sock(), e.c, e.x);
    case EventKind::skb_frag: return format("Its fragment: {} bytes at offset {} of page {}.", e.c, e.x, page_label(s, names, e.b));
    case EventKind::skb_eat: return format("{} bytes of the first buffer of {} are taken.", e.c, sock());
    case EventKind::skb_free: return format("The first buffer of {} is gone.", sock());
    case EventKind::page_frag: return e.b == no_page ? std::string("Gives its page fragment back.") : format("Its page fragment is page {}, used up to {}.", e.b, e.c);
    default: return "";
    }
}

} // namespace pipescope

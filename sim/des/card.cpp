// SPDX-License-Identifier: MIT
// Packets on the line, into sockets' queues, and off them again. The queues change by the kernel's own events.
#include "sim/des/card.hpp"
#include <poll.h>

namespace pipescope {
namespace {

constexpr std::uint64_t gro_packets = 16; // that become one buffer
constexpr std::uint64_t napi_budget = 64; // packets of a round

} // namespace

Card::Card(Engine& engine, const NetProfile& profile, std::vector<Connection>& connections)
    : engine_(engine), profile_(profile), connections_(connections), segment_(static_cast<std::uint64_t>(profile[Net::segment])) {
    Kernel& k = engine.kernel();
    for (std::uint32_t cpu = 0; cpu < static_cast<std::uint32_t>(profile[Net::cpus]); ++cpu) {
        const MmId mm = k.mm_new();
        receivers_.emplace_back(*this, k.task_new(0, mm, k.fdtable_new(), 100 + cpu, cpu));
        engine.add_thread(receivers_.back().task(), "napi", receivers_.back());
    }
    engine.set_outside(*this);
}

void Card::start() {
    for (std::uint32_t i = 0; i < connections_.size(); ++i) add(0, What::asked, i, 0);
}

double Card::line_ns(std::uint64_t bytes) const {
    return (static_cast<double>(bytes) + static_cast<double>(packets(bytes)) * profile_[Net::frame_overhead]) * 8 / profile_[Net::line_rate];
}

// An acknowledgement comes for two segments at least, or for the rest.
void Card::send(std::uint32_t connection, double at) {
    Connection& c = connections_[connection];
    for (;;) {
        std::uint64_t n = std::min({c.window, c.to_send, gro_packets * segment_});
        if (n < c.to_send) n -= n % segment_;
        if (n == 0 || (n < 2 * segment_ && n < c.to_send)) return;
        c.window -= n, c.to_send -= n;
        in_free_ = std::max(in_free_, at) + line_ns(n);
        add(in_free_, What::arrives, connection, n);
    }
}

void Card::put(std::uint32_t connection, std::uint64_t bytes, double at) {
    Receiver& r = receivers_[connections_[connection].cpu];
    r.ring.push_back({connection, bytes});
    if (!r.armed) add(std::max(at, r.quiet_to), What::interrupt, connection, 0);
    r.armed = true;
}

void Card::act() {
    const Due d = due_.top();
    due_.pop();
    Connection& c = connections_[d.connection];
    Receiver& receiver = receivers_[c.cpu];
    const double round_trip = profile_[Net::round_trip];
    switch (d.what) {
    case What::arrives:
        put(d.connection, d.bytes, d.at);
        return;
    case What::leaves: {
        const Skb& skb = engine_.kernel().s.sockets[c.out_far].queue[c.sent++];
        out_free_ = std::max(out_free_, d.at) + line_ns(skb.len());
        add(out_free_ + round_trip, What::acknowledged, d.connection, skb.len());
        return;
    }
    case What::acknowledged:
        delivered_ += d.bytes;
        c.received += d.bytes;
        put(d.connection, 0, d.at);
        if (c.received < static_cast<std::uint64_t>(profile_[Net::request])) return;
        c.received -= static_cast<std::uint64_t>(profile_[Net::request]);
        add(d.at + round_trip, What::asked, d.connection, 0); // the next request, past the forwarder, to the sender
        return;
    case What::interrupt:
        receiver.armed = false;
        receiver.quiet_to = d.at + profile_[Net::moderation];
        engine_.interrupt(receiver.task());
        return;
    case What::asked:
        c.to_send += static_cast<std::uint64_t>(profile_[Net::request]);
        send(d.connection, d.at);
        return;
    }
}

void Card::seen(const Event& e, double now_ns) {
    if (e.kind != EventKind::skb_eat && e.kind != EventKind::skb_queue) return;
    for (std::uint32_t i = 0; i < connections_.size(); ++i) {
        Connection& c = connections_[i];
        if (e.kind == EventKind::skb_queue && e.a == c.out_far) add(now_ns, What::leaves, i, 0);
        if (e.kind == EventKind::skb_eat && e.a == c.in_near) {
            c.window += e.c;
            send(i, now_ns + profile_[Net::round_trip]);
        }
    }
}

bool Card::Receiver::work() {
    card_.engine_.spend(Net::rx_poll, Sym::net_rx);
    for (std::uint64_t budget = napi_budget; budget && !ring.empty();) {
        const Item item = ring.front();
        ring.pop_front();
        Connection& c = card_.connections_[item.connection];
        if (item.bytes == 0) {
            acknowledge(c);
            continue;
        }
        const std::uint64_t n = card_.packets(item.bytes);
        card_.engine_.spend(Net::rx_packet, Sym::net_rx, static_cast<double>(n));
        receive(c, item.bytes);
        budget -= std::min(budget, n);
    }
    return !ring.empty();
}

void Card::Receiver::receive(const Connection& c, std::uint64_t bytes) {
    Kernel& k = card_.engine_.kernel();
    constexpr std::uint32_t sk_buff_size = 256; // bytes, as in truesize
    Skb skb;
    skb.owner = c.in_far;
    skb.truesize = static_cast<std::uint32_t>(bytes) + sk_buff_size;
    for (std::uint64_t left = bytes; left;) {
        const auto n = static_cast<std::uint32_t>(std::min(left, card_.segment_));
        skb.frags.push_back({k.alloc_pages(task_, 0, PageOwner::socket), 0, n});
        left -= n;
    }
    k.emit(EventKind::sock_wmem, task_, no_id, c.in_far, skb.truesize);
    k.skb_queue_tail(task_, c.in_near, skb);
}

void Card::Receiver::acknowledge(Connection& c) {
    card_.engine_.spend(Net::ack, Sym::tcp_ack);
    --c.sent;
    card_.engine_.kernel().skb_dequeue(task_, c.out_far);
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// A forwarder's two network ports, the senders and receivers at their other ends, and a receiving thread for each CPU.
// Payload comes in pages of the card's, a packet in each, and stays there; a sender has a window's bytes under way at
// most, so that a line goes as fast as the workers take.
#pragma once
#include "sim/des/engine.hpp"
#include <queue>

namespace pipescope {

struct Connection { // two AF_UNIX pairs stand for two TCP connections: `far` ends belong to the card
    SockId in_far = no_id, in_near = no_id, out_near = no_id, out_far = no_id;
    std::uint32_t cpu = 0;
    std::uint64_t window = 0;   // bytes that the sender may still send
    std::uint64_t to_send = 0;  // of this response
    std::uint64_t received = 0; // of this response, by the client
    std::size_t sent = 0;       // of the buffers in out_far's queue, those that are on the line
};

class Card final : public Outside {
public:
    Card(Engine& engine, const NetProfile& profile, std::vector<Connection>& connections);
    std::uint64_t delivered() const { return delivered_; } // bytes that clients have acknowledged
    void start();

    double next_ns() const override { return due_.empty() ? std::numeric_limits<double>::infinity() : due_.top().at; }
    void act() override;
    void seen(const Event& e, double now_ns) override;

private:
    enum class What : std::uint8_t { arrives, leaves, acknowledged, asked, interrupt };
    struct Due {
        double at; // ns
        std::uint64_t order;
        What what;
        std::uint32_t connection;
        std::uint64_t bytes;
        bool operator<(const Due& o) const { return at != o.at ? at > o.at : order > o.order; } // the first on top
    };
    struct Item { // for a receiving thread; bytes 0: an acknowledgement
        std::uint32_t connection;
        std::uint64_t bytes;
    };
    class Receiver final : public KernelThread { // NAPI in a thread, one for each CPU; the connections of a CPU come to it
    public:
        Receiver(Card& card, TaskId task) : card_(card), task_(task) {}
        bool work() override;
        std::deque<Item> ring;
        bool armed = false;  // an interrupt will come
        double quiet_to = 0; // but not before, ns
        TaskId task() const { return task_; }

    private:
        void receive(const Connection& c, std::uint64_t bytes);
        void acknowledge(Connection& c);
        Card& card_;
        TaskId task_;
    };

    void add(double at, What what, std::uint32_t connection, std::uint64_t bytes) { due_.push({at, order_++, what, connection, bytes}); }
    void put(std::uint32_t connection, std::uint64_t bytes, double at); // into the ring of its CPU
    void send(std::uint32_t connection, double at); // what the window allows
    double line_ns(std::uint64_t bytes) const;
    std::uint64_t packets(std::uint64_t bytes) const { return (bytes + segment_ - 1) / segment_; }

    Engine& engine_;
    const NetProfile& profile_;
    std::vector<Connection>& connections_;
    std::uint64_t segment_;
    std::priority_queue<Due> due_;
    std::uint64_t order_ = 0, delivered_ = 0;
    double in_free_ = 0, out_free_ = 0; // when each line is free again, ns
    std::deque<Receiver> receivers_;    // by CPU
};

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Events with keyframes: the state at any position costs one copy and a short fold. A position n means "after n events".
#pragma once
#include "core/sink.hpp"
#include <deque>
#include <vector>

namespace pipescope {

enum class Step { event, stage, call }; // what one press of forward or back goes over

class Timeline : public EventSink {
public:
    // Keyframes every `spacing` events; when they outgrow `budget` bytes every second one is dropped and spacing doubles.
    explicit Timeline(std::size_t spacing = 1024, std::size_t budget = std::size_t{256} << 20);

    // Appends an event; one that apply() refuses is kept, counted in refused(), and changes nothing.
    void append(const Event& e) override;
    std::size_t size() const { return events_.size(); }
    const Event& operator[](std::size_t i) const { return events_[i]; }
    const std::vector<Event>& events() const { return events_; }

    // State after the first n events, n ≤ size(). The reference holds until the next call of seek() or append().
    const State& seek(std::size_t n);
    // Next position after n, or before n, where a step of this kind stops; size() and 0 when there is none.
    std::size_t next(std::size_t n, Step step) const;
    std::size_t prev(std::size_t n, Step step) const;
    std::size_t at_time(std::uint64_t t_ns) const; // position after the last event with time ≤ t_ns

    std::size_t refused() const { return refused_; }
    std::size_t keyframes() const { return frames_.size(); }
    std::size_t spacing() const { return spacing_; }
    // The state after all events, always at hand: what an engine that appends works on.
    const State& state() const override { return end_; }

private:
    struct Frame {
        std::size_t n;
        State state;
    };
    void keep_frame();
    std::vector<Event> events_;
    std::deque<Frame> frames_;
    std::size_t spacing_, budget_, used_ = 0, refused_ = 0;
    std::vector<std::size_t> stage_stops_, call_stops_;
    State end_, cursor_;
    std::size_t cursor_n_ = 0;
};

// Bytes that a copy of the state takes, roughly.
std::size_t state_bytes(const State& s);

} // namespace pipescope

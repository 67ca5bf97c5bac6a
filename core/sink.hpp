// SPDX-License-Identifier: MIT
// Where the kernel's events go: whatever takes them applies them to the state that the kernel reads.
#pragma once
#include "core/state.hpp"

namespace pipescope {

class EventSink {
public:
    virtual ~EventSink() = default;
    virtual void append(const Event& e) = 0;
    virtual const State& state() const = 0; // after every event appended so far
};

// Applies and forgets: a run without a recorder.
class BareSink final : public EventSink {
public:
    void append(const Event& e) override { apply(state_, e); }
    const State& state() const override { return state_; }

private:
    State state_;
};

} // namespace pipescope

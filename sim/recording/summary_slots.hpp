// SPDX-License-Identifier: MIT
// Counts the fillings of a ring's slots, from single changes or from snapshots of the whole ring.
#pragma once
#include "sim/recording/summary.hpp"

namespace pipescope {

class SlotCounter {
public:
    // After the event was applied to `s`.
    void changed(const Event& e, const State& s);
    const std::vector<std::uint32_t>& filled() const { return filled_; } // indices of the slots that the last event filled
    const SlotCounts& counts() const { return counts_; }
    void fill_in(PipeSummary& out, const State& s, const StringTable& strings) const;

private:
    void count(const PipeBuffer& slot, const State& s, RingSource source);
    void advance(const Pipe& p, const State& s);
    void snapshot(const Pipe& p, const State& s);

    SlotCounts counts_;
    std::vector<std::uint32_t> filled_;
    TaskId user_ = no_id; // whose the user pages were
    bool several_users_ = false;
    bool begun_ = false;        // counted_ has a meaning
    std::uint32_t counted_ = 0; // free-running index of the first slot not counted yet
    std::uint32_t ring_size_ = 0;
    std::vector<bool> set_, awaited_; // slots filled before head passes them, and slots that head passed unfilled
    std::uint64_t snapshots_ = 0, torn_ = 0;
};

} // namespace pipescope

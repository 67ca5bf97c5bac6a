// SPDX-License-Identifier: MIT
// The array of page frames: one entry a frame, and two for a folio of 1 GiB, whose 262143 tails are all alike.
#pragma once
#include "core/types.hpp"
#include <vector>

namespace pipescope {

inline constexpr PageId giant_base = 1u << 27; // frames from here on belong to folios of 1 GiB, one behind another

template <class P> class FrameArray {
public:
    struct Giant {
        P head, tail;
    };
    // As std::vector, for the frames below giant_base.
    std::size_t size() const { return low_.size(); }
    void resize(std::size_t n) { low_.resize(n); }
    P& emplace_back() { return low_.emplace_back(); }
    auto begin() const { return low_.begin(); }
    auto end() const { return low_.end(); }

    bool contains(std::size_t i) const { return i < low_.size() || (i >= giant_base && (i - giant_base) >> pud_order < giants_.size()); }
    const P& operator[](std::size_t i) const { return i < giant_base ? low_[i] : half(giants_[(i - giant_base) >> pud_order], i); }
    P& operator[](std::size_t i) { return i < giant_base ? low_[i] : half(giants_[(i - giant_base) >> pud_order], i); }
    std::vector<Giant>& giants() { return giants_; }
    const std::vector<Giant>& giants() const { return giants_; }

private:
    template <class G> static auto& half(G& g, std::size_t i) { return i & ((1u << pud_order) - 1) ? g.tail : g.head; }
    std::vector<P> low_;
    std::vector<Giant> giants_;
};

} // namespace pipescope

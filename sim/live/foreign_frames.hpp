// SPDX-License-Identifier: MIT
// Frame numbers behind the buffers that recorded programs vmsplice, looked up as their calls arrive.
#pragma once
#include "sim/bpf/shared.h"
#include "sim/live/world.hpp"
#include <map>
#include <set>

namespace pipescope {

class ForeignFrames {
public:
    // Of a vmsplice: the pages of its buffer, unless they were looked up a moment ago.
    void look(const rec_head& record);
    const FrameUsers& users() const { return users_; }

private:
    struct Seen {
        std::uint64_t t_ns = 0, pages = 0;
    };
    FrameUsers users_;
    std::set<std::uint32_t> vmsplicing_; // tids whose last long record was of a vmsplice
    std::map<std::uint32_t, std::uint64_t> first_;                      // by tid: the lowest address met, from where its pages are numbered
    std::map<std::pair<std::uint32_t, std::uint64_t>, Seen> looked_up_; // by tid and page
};

} // namespace pipescope

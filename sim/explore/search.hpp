// SPDX-License-Identifier: MIT
// A search through the orders in which tasks can take their steps, each distinguishable one at least once; knows nothing of pipes.
#pragma once
#include "sim/explore/footprint.hpp"
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace pipescope::explore {

// One run from the start. Deterministic: the same steps give the same run.
class Execution {
public:
    virtual ~Execution() = default;
    virtual std::vector<std::uint32_t> enabled() = 0;  // tasks that could take a step now, ascending; none: it is over
    virtual Footprint step(std::uint32_t task) = 0;
};

struct SearchResult {
    std::uint64_t schedules = 0; // runs to the end
    std::uint64_t cut = 0;       // runs given up half way, as every way on was explored from elsewhere
    bool complete = false;       // false: the limit was reached first
};

// Dynamic partial-order reduction with sleep sets (Flanagan and Godefroid, 2005): an order is tried anew only where two
// steps were seen to depend on each other. `ended` gets each finished run and its schedule; false stops the search.
SearchResult search(const std::function<std::unique_ptr<Execution>()>& begin, std::uint64_t limit, std::size_t depth_limit,
    const std::function<bool(Execution&, const std::vector<std::uint32_t>&)>& ended);

} // namespace pipescope::explore

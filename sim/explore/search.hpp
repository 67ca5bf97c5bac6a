// SPDX-License-Identifier: MIT
// A search through all orders in which tasks can take their steps; knows nothing of pipes.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pipescope::explore {

// One run from the start. Deterministic: the same steps give the same run.
class Execution {
public:
    virtual ~Execution() = default;
    virtual std::vector<std::uint32_t> enabled() = 0; // tasks that could take a step now; none: it is over
    virtual void step(std::uint32_t task) = 0;
    virtual std::uint64_t key() = 0;                  // equal keys: the same ways on, with the same outcomes
    virtual std::string outcome() = 0;                // once it is over
};

struct Found {
    std::string outcome;
    double orders = 0;                   // that end so; exact up to 2^53
    std::vector<std::uint32_t> schedule; // one of them
};
struct SearchResult {
    std::uint64_t states = 0; // distinguishable ones that were reached
    double orders = 0;        // of steps, in all
    bool complete = false;    // false: the limit was reached first
    bool endless = false;     // some order comes back to a state it was in: those that go round are not counted
    std::vector<Found> found;
};

// States that several orders lead to are searched once; the orders are counted as paths through them. At most `limit`
// states, and `depth` steps in one run.
SearchResult search(const std::function<std::unique_ptr<Execution>()>& begin, std::uint64_t limit, std::size_t depth,
    const std::function<void(std::uint64_t)>& progress);

} // namespace pipescope::explore

// SPDX-License-Identifier: MIT
// The search: a stack of choices, replayed from the start for each order that is tried.
#include "sim/explore/search.hpp"
#include <algorithm>
#include <map>
#include <set>

namespace pipescope::explore {
namespace {

using Task = std::uint32_t;
using Clock = std::map<Task, std::size_t>; // of each task, how many steps of the run happened before; by position + 1

struct Node { // a position of the run, and the step that was taken from it
    std::vector<Task> enabled;
    std::map<Task, Footprint> asleep; // tasks whose step from here is covered elsewhere, and what it touches
    std::set<Task> wanted;
    Task chosen = 0;
    Footprint touched;
    Clock clock; // of the step
};

bool has(const std::vector<Task>& v, Task t) { return std::find(v.begin(), v.end(), t) != v.end(); }

void join(Clock& a, const Clock& b) {
    for (const auto& [t, n] : b) a[t] = std::max(a[t], n);
}

class Search {
public:
    explicit Search(const std::function<std::unique_ptr<Execution>()>& begin) : begin_(begin) {}

    // Follows the stack and goes on to the end; nothing when every way on is asleep.
    std::unique_ptr<Execution> run(std::size_t depth_limit) {
        auto e = begin_();
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            Footprint f = e->step(nodes_[i].chosen);
            if (i + 1 == nodes_.size()) { // the last one is a new choice
                nodes_[i].touched = std::move(f);
                races(i);
            }
        }
        while (nodes_.size() < depth_limit) {
            Node n;
            n.enabled = e->enabled();
            if (n.enabled.empty()) return e;
            if (!nodes_.empty())
                for (const auto& [t, f] : nodes_.back().asleep)
                    if (t != nodes_.back().chosen && !dependent(f, nodes_.back().touched)) n.asleep.emplace(t, f);
            const auto next = std::find_if(n.enabled.begin(), n.enabled.end(), [&](Task t) { return !n.asleep.contains(t); });
            if (next == n.enabled.end()) return nullptr;
            n.chosen = *next;
            n.wanted = {n.chosen};
            nodes_.push_back(std::move(n));
            nodes_.back().touched = e->step(nodes_.back().chosen);
            races(nodes_.size() - 1);
        }
        return e;
    }
    // The next choice that is still wanted, deepest first; false: none.
    bool back() {
        while (!nodes_.empty()) {
            Node& n = nodes_.back();
            n.asleep.emplace(n.chosen, n.touched);
            for (const Task t : n.wanted)
                if (!n.asleep.contains(t) && has(n.enabled, t)) {
                    n.chosen = t;
                    return true;
                }
            nodes_.pop_back();
        }
        return false;
    }
    std::vector<Task> schedule() const {
        std::vector<Task> out;
        for (const Node& n : nodes_) out.push_back(n.chosen);
        return out;
    }

private:
    // Step j against those before it: where two depend and nothing orders them, the other order is wanted too.
    void races(std::size_t j) {
        Node& now = nodes_[j];
        now.clock.clear();
        for (std::size_t i = j; i-- > 0;)
            if (nodes_[i].chosen == now.chosen) {
                now.clock = nodes_[i].clock;
                break;
            }
        const auto before = [](const Clock& c, Task t) {
            const auto it = c.find(t);
            return it == c.end() ? std::size_t{0} : it->second;
        };
        for (std::size_t i = j; i-- > 0;) { // from the nearest on: what that one orders is ordered
            Node& then = nodes_[i];
            if (then.chosen == now.chosen || !dependent(then.touched, now.touched) || before(now.clock, then.chosen) > i) continue;
            if (has(then.enabled, now.chosen)) then.wanted.insert(now.chosen);
            else
                for (const Task t : then.enabled) then.wanted.insert(t);
            join(now.clock, then.clock);
        }
        now.clock[now.chosen] = j + 1;
    }
    const std::function<std::unique_ptr<Execution>()>& begin_;
    std::vector<Node> nodes_;
};

} // namespace

SearchResult search(const std::function<std::unique_ptr<Execution>()>& begin, std::uint64_t limit, std::size_t depth_limit,
    const std::function<bool(Execution&, const std::vector<std::uint32_t>&)>& ended) {
    SearchResult r;
    Search s(begin);
    do {
        if (r.schedules + r.cut >= limit) return r;
        if (const auto e = s.run(depth_limit)) {
            ++r.schedules;
            if (!ended(*e, s.schedule())) return r;
        } else {
            ++r.cut;
        }
    } while (s.back());
    r.complete = true;
    return r;
}

} // namespace pipescope::explore

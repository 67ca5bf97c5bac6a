// SPDX-License-Identifier: MIT
// The search: depth first, each state once, replayed from the start where a run cannot be continued.
#include "sim/explore/search.hpp"
#include <map>
#include <unordered_map>

namespace pipescope::explore {
namespace {

using Counts = std::map<std::size_t, double>; // by outcome: orders from here that end so

class Search {
public:
    Search(const std::function<std::unique_ptr<Execution>()>& begin, std::uint64_t limit, std::size_t depth, const std::function<void(std::uint64_t)>& progress)
        : begin_(begin), limit_(limit), depth_(depth), progress_(progress) {}

    SearchResult run() {
        r_.complete = true;
        for (const auto& [outcome, n] : from(begin_())) r_.found[outcome].orders = n, r_.orders += n;
        r_.states = known_.size();
        return std::move(r_);
    }

private:
    struct State {
        bool open = true; // on the way that is being followed
        Counts counts;
    };
    std::size_t outcome(std::string text) {
        const auto [it, fresh] = outcomes_.emplace(std::move(text), r_.found.size());
        if (fresh) r_.found.push_back({it->first, 0, way_});
        return it->second;
    }
    Counts from(std::unique_ptr<Execution> e) {
        const std::uint64_t key = e->key();
        if (const auto it = known_.find(key); it != known_.end()) {
            r_.endless = r_.endless || it->second.open;
            return it->second.counts;
        }
        if (known_.size() >= limit_ || way_.size() >= depth_) return r_.complete = false, Counts{};
        known_.emplace(key, State{});
        if (progress_ && known_.size() % 1024 == 0) progress_(known_.size());
        Counts sum;
        const std::vector<std::uint32_t> tasks = e->enabled();
        if (tasks.empty()) sum[outcome(e->outcome())] = 1;
        for (const std::uint32_t t : tasks) {
            if (!e) { // it went the way of the task before
                e = begin_();
                for (const std::uint32_t w : way_) e->step(w);
            }
            e->step(t);
            way_.push_back(t);
            for (const auto& [outcome, n] : from(std::move(e))) sum[outcome] += n;
            way_.pop_back();
        }
        known_[key] = {false, sum};
        return sum;
    }
    const std::function<std::unique_ptr<Execution>()>& begin_;
    const std::uint64_t limit_;
    const std::size_t depth_;
    const std::function<void(std::uint64_t)>& progress_;
    std::unordered_map<std::uint64_t, State> known_;
    std::map<std::string, std::size_t> outcomes_;
    std::vector<std::uint32_t> way_;
    SearchResult r_;
};

} // namespace

SearchResult search(const std::function<std::unique_ptr<Execution>()>& begin, std::uint64_t limit, std::size_t depth, const std::function<void(std::uint64_t)>& progress) {
    return Search(begin, limit, depth, progress).run();
}

} // namespace pipescope::explore

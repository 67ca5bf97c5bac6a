// SPDX-License-Identifier: MIT
// Books the time between two events of a task to the place it was at, and puts trees in order.
#include "app/costs.hpp"
#include "sim/narrate.hpp"
#include <algorithm>
#include <functional>

namespace pipescope {
namespace {

constexpr std::size_t spacing = 1024; // steps between two kept sums
constexpr std::uint32_t most_ids = 1u << 20;

} // namespace

std::uint32_t RunCosts::child(std::uint32_t parent, Kind k, std::uint16_t what, TaskId task) {
    if (parent != no_id)
        for (const std::uint32_t c : nodes_[parent].children)
            if (nodes_[c].kind == k && nodes_[c].what == what) return c;
    const auto n = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({k, what, parent, task, {}});
    if (parent != no_id) nodes_[parent].children.push_back(n);
    return n;
}

void RunCosts::fold(std::vector<Sum>& sums, const Step& s) {
    const auto most = static_cast<std::size_t>(std::max(s.from == no_id ? 0 : s.from, s.to == no_id ? 0 : s.to)) + 1;
    if (sums.size() < most) sums.resize(most);
    if (s.from != no_id) sums[s.from].ns += static_cast<std::int64_t>(s.t), --sums[s.from].open;
    if (s.to != no_id) sums[s.to].ns -= static_cast<std::int64_t>(s.t), ++sums[s.to].open;
}

void RunCosts::go(TaskNow& t, std::uint32_t to, std::uint64_t now) {
    if (t.at == to) return;
    if (steps_.size() % spacing == 0) kept_.push_back(now_);
    steps_.push_back({seen_ + 1, now, t.at, to});
    fold(now_, steps_.back());
    t.at = to;
}

void RunCosts::update(const Timeline& t) {
    for (; seen_ < t.size(); ++seen_) take(t[seen_]);
}

void RunCosts::take(const Event& e) {
    if (e.kind == EventKind::task_new && e.task < most_ids && e.task >= tasks_.size()) tasks_.resize(e.task + std::size_t{1});
    if (e.task < tasks_.size()) take_task(e, tasks_[e.task], e.task);
    if ((e.kind == EventKind::wake || e.kind == EventKind::sock_wake) && e.b < tasks_.size() && tasks_[e.b].root != no_id && tasks_[e.b].off)
        go(tasks_[e.b], child(tasks_[e.b].root, Kind::ready, 0, e.b), e.t_ns); // until it runs
}

void RunCosts::take_task(const Event& e, TaskNow& t, TaskId id) {
    const auto off = [&](Kind k) { t.off = true, go(t, child(t.root, k, 0, id), e.t_ns); };
    const auto inside = [&] { t.off = false, go(t, t.path.empty() ? child(t.root, Kind::user, 0, id) : t.path.back(), e.t_ns); };
    switch (e.kind) {
    case EventKind::sys_enter:
        if (t.root == no_id) t.root = child(no_id, Kind::task, 0, id);
        t.path = {child(t.root, Kind::sys, static_cast<std::uint16_t>(e.a), id)};
        return inside();
    case EventKind::sys_exit:
        if (t.root == no_id) return;
        t.path.clear();
        return off(Kind::user);
    case EventKind::task_exit: return t.path.clear(), go(t, no_id, e.t_ns);
    default: break;
    }
    if (t.root == no_id || t.path.empty()) return;
    switch (e.kind) {
    case EventKind::fn_enter:
        if (t.path.size() < 32) t.path.push_back(child(t.path.back(), Kind::fn, static_cast<std::uint16_t>(e.a), id));
        return inside();
    case EventKind::fn_exit:
        if (t.path.size() > 1) t.path.pop_back();
        return inside();
    case EventKind::stage: t.off = false; return go(t, child(t.path.back(), Kind::stage, static_cast<std::uint16_t>(e.stage), id), e.t_ns);
    case EventKind::run_state:
        switch (static_cast<RunState>(e.a)) {
        case RunState::sleep: return off(static_cast<WaitFor>(e.b) == WaitFor::space ? Kind::space : Kind::data);
        case RunState::lock_sleep: return off(Kind::lock);
        case RunState::runnable:
            if (t.off) off(Kind::ready); // a spinner is on its CPU all the while
            return;
        case RunState::running:
            if (t.off) inside();
            return;
        default: return;
        }
    default: return;
    }
}

CostTree RunCosts::at(std::size_t n, std::uint64_t t_ns, const State& s, const StringTable& names, double least) const {
    const auto end = static_cast<std::size_t>(
        std::upper_bound(steps_.begin(), steps_.end(), n, [](std::uint64_t v, const Step& x) { return v < x.n; }) - steps_.begin());
    const std::size_t k = end / spacing;
    std::vector<Sum> sums = k < kept_.size() ? kept_[k] : now_;
    for (std::size_t i = k * spacing; i < end; ++i) fold(sums, steps_[i]);
    sums.resize(nodes_.size());
    std::vector<std::int64_t> self(nodes_.size()), total(nodes_.size());
    CostTree out;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        self[i] = std::max<std::int64_t>(sums[i].ns + sums[i].open * static_cast<std::int64_t>(t_ns), 0);
        const Node& node = nodes_[i];
        if (node.kind == Kind::task) out.off.emplace_back(node.task, OffCpu{});
        if (node.kind < Kind::user) continue;
        OffCpu& o = std::find_if(out.off.begin(), out.off.end(), [&](const auto& x) { return x.first == node.task; })->second;
        const auto ns = static_cast<std::uint64_t>(self[i]);
        (node.kind == Kind::user ? o.user_ns : node.kind == Kind::lock ? o.lock_ns : node.kind == Kind::space ? o.space_ns : node.kind == Kind::data ? o.data_ns : o.ready_ns) += ns;
    }
    for (std::size_t i = nodes_.size(); i-- > 0;) { // children come behind their parents
        if (nodes_[i].kind >= Kind::user) continue;
        total[i] += self[i];
        if (nodes_[i].parent != no_id) total[nodes_[i].parent] += total[i];
        else out.total_ns += static_cast<std::uint64_t>(total[i]);
    }
    if (!out.total_ns) return out;
    const double all = static_cast<double>(out.total_ns);
    const std::function<void(std::vector<std::uint32_t>, std::uint32_t)> put = [&](std::vector<std::uint32_t> list, std::uint32_t depth) {
        std::stable_sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) { return total[a] > total[b]; });
        for (const std::uint32_t i : list) {
            const Node& node = nodes_[i];
            const double share = static_cast<double>(total[i]) / all;
            if (node.kind >= Kind::user || total[i] == 0 || share < least) continue;
            const std::string name = node.kind == Kind::task ? task_label(s, names, node.task)
                                     : node.kind == Kind::sys ? sys_name(static_cast<Sys>(node.what))
                                     : node.kind == Kind::fn  ? fn_name(static_cast<Fn>(node.what))
                                                              : stage_info(static_cast<Stage>(node.what)).label;
            out.lines.push_back({name, depth, share, static_cast<double>(self[i]) / all, node.kind == Kind::stage});
            put(node.children, depth + 1);
        }
    };
    std::vector<std::uint32_t> roots;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i)
        if (nodes_[i].parent == no_id) roots.push_back(i);
    put(roots, 0);
    return out;
}

CostTree ledger_costs(const Ledger& l, double least) {
    CostTree out;
    const Ps all = l.total();
    out.total_ns = static_cast<std::uint64_t>(all / 1000);
    if (all <= 0) return out;
    const std::function<void(Ledger::NodeId, std::uint32_t)> put = [&](Ledger::NodeId n, std::uint32_t depth) {
        std::vector<std::pair<Ps, Ledger::NodeId>> order;
        for (const Ledger::NodeId c : l.nodes()[n].children) order.emplace_back(l.total(c), c);
        std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
        for (const auto& [ps, c] : order) {
            const double share = static_cast<double>(ps) / static_cast<double>(all);
            if (share < least) continue;
            out.lines.push_back({l.name(l.nodes()[c].sym), depth, share, static_cast<double>(l.nodes()[c].self_ps) / static_cast<double>(all), false});
            put(c, depth + 1);
        }
    };
    put(0, 0);
    return out;
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// The tree of call paths with its times: shares and the printed report.
#include "sim/des/ledger.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace pipescope {
namespace {

constexpr const char* sym_names[] = {
#define SYM(id, name) name,
#include "sim/des/symbols.def"
#undef SYM
};

} // namespace

std::pair<Sym, Sym> sym_of(Fn f) {
    switch (f) {
    case Fn::none:
    case Fn::vmsplice_to_pipe:
    case Fn::iter_to_pipe: return {Sym::self, Sym::self}; // inlined
    case Fn::sys_vmsplice: return {Sym::do_sys_vmsplice, Sym::self};
    case Fn::sys_splice: return {Sym::do_sys_splice, Sym::self};
    case Fn::pipe_write: return {Sym::pipe_write, Sym::self};
    case Fn::pipe_read: return {Sym::pipe_read, Sym::self};
    case Fn::mutex_lock: return {Sym::mutex_lock, Sym::self};
    case Fn::get_user_pages_fast: return {Sym::iov_iter_get_pages, Sym::internal_gup};
    case Fn::handle_mm_fault: return {Sym::page_fault, Sym::self};
    default: return {static_cast<Sym>(sym_fn + static_cast<std::uint16_t>(f)), Sym::self};
    }
}

Sym Ledger::task_name(const std::string& name) {
    const auto at = static_cast<std::size_t>(std::ranges::find(tasks_, name) - tasks_.begin());
    if (at == tasks_.size()) tasks_.push_back(name);
    return static_cast<Sym>(sym_task + at);
}

const char* Ledger::name(Sym s) const {
    const auto n = static_cast<std::uint16_t>(s);
    if (n >= sym_task) return tasks_[n - sym_task].c_str();
    if (n >= sym_fn) return fn_name(static_cast<Fn>(n - sym_fn));
    if (n >= sym_sys) return sys_name(static_cast<Sys>(n - sym_sys));
    return sym_names[n];
}

Ledger::NodeId Ledger::make(NodeId parent, Sym s) {
    const auto n = static_cast<NodeId>(nodes_.size());
    nodes_.push_back({s, parent, 0, {}});
    nodes_[parent].children.push_back(n);
    return n;
}

Ps Ledger::total(NodeId n) const {
    Ps sum = nodes_[n].self_ps;
    for (const NodeId c : nodes_[n].children) sum += total(c);
    return sum;
}

void Ledger::match(NodeId n, std::string_view path, Ps& sum) const {
    const auto slash = path.find('/');
    const std::string_view first = path.substr(0, slash), rest = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    for (const NodeId c : nodes_[n].children) {
        if (first != name(nodes_[c].sym)) continue;
        if (rest.empty()) sum += total(c);
        else match(c, rest, sum);
    }
}

Ps Ledger::time(std::string_view path) const {
    Ps sum = 0;
    match(0, path, sum);
    return sum;
}

double Ledger::share(std::string_view path) const {
    const Ps all = total();
    return all ? static_cast<double>(time(path)) / static_cast<double>(all) : 0;
}

LockUse& Ledger::lock(std::uint32_t pipe, std::uint32_t task) {
    if (pipe >= locks.size()) locks.resize(pipe + std::size_t{1});
    if (task >= locks[pipe].size()) locks[pipe].resize(task + std::size_t{1});
    return locks[pipe][task];
}

LockUse& LockUse::operator+=(const LockUse& o) {
    taken += o.taken, waits += o.waits, sleeps += o.sleeps;
    held_ps += o.held_ps, waited_ps += o.waited_ps, spun_ps += o.spun_ps;
    return *this;
}

void Ledger::print(NodeId n, std::uint32_t depth, Ps all, double least, std::string& out) const {
    std::vector<std::pair<Ps, NodeId>> order;
    for (const NodeId c : nodes_[n].children) order.emplace_back(total(c), c);
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
    for (const auto& [ps, c] : order) {
        const double share = static_cast<double>(ps) / static_cast<double>(all),
                     self = static_cast<double>(nodes_[c].self_ps) / static_cast<double>(all);
        if (share < least) continue;
        out += fmt::format("{:6.2f} % {:6.2f} %  {:{}}{}\n", share * 100, self * 100, "", depth * 2, name(nodes_[c].sym));
        print(c, depth + 1, all, least, out);
    }
}

std::string Ledger::report(double least) const {
    std::string out = "   total     self  function\n";
    if (const Ps all = total()) print(0, 0, all, least, out);
    return out;
}

void Ledger::clear() {
    for (Node& n : nodes_) n.self_ps = 0;
    counts = {};
    locks.clear();
}

} // namespace pipescope

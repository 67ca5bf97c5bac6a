// SPDX-License-Identifier: MIT
// Where simulated time went, by call path, and what was done how often.
#pragma once
#include "core/stage.hpp"
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pipescope {

using Ps = std::int64_t; // picoseconds of virtual time

// A function in a call path: one of symbols.def, a program, a system call, or a function of the model.
enum class Sym : std::uint16_t {
#define SYM(id, name) id,
#include "sim/des/symbols.def"
#undef SYM
    count
};
inline constexpr std::uint16_t sym_sys = 100, sym_fn = 200, sym_task = 1000; // from here on: Sys, Fn, names of tasks
constexpr Sym sym_of(Sys s) { return static_cast<Sym>(sym_sys + static_cast<std::uint16_t>(s)); }
// What a profile calls a model function: up to two levels, the outer first; self where the compiler put it into its caller.
std::pair<Sym, Sym> sym_of(Fn f);

struct Counts {
    std::uint64_t bytes_moved = 0, bytes_copied = 0, pages_allocated = 0, pages_freed = 0, refs_taken = 0, refs_dropped = 0, ref_updates = 0,
                  refs_remote = 0, walks = 0, slow_pages = 0, locks = 0, lock_waits = 0, handoffs = 0, sleeps = 0, sleeps_cancelled = 0, wake_ups = 0,
                  wake_ups_switching = 0, context_switches = 0, syscalls = 0, eagains = 0;
    Ps lock_wait_ps = 0;
};

struct LockUse { // of one pipe's mutex by one task
    std::uint64_t taken = 0, waits = 0, sleeps = 0; // sleeps: of the waits, those that gave the CPU away
    Ps held_ps = 0, waited_ps = 0, spun_ps = 0;     // waited: asleep or spinning; spun: the part on a CPU

    LockUse& operator+=(const LockUse& o);
};

class Ledger {
public:
    using NodeId = std::uint32_t;
    struct Node {
        Sym sym = Sym::root;
        NodeId parent = 0;
        Ps self_ps = 0;
        std::vector<NodeId> children;
    };

    Ledger() : nodes_(1) {}
    Counts counts;
    std::vector<std::vector<LockUse>> locks; // by PipeId, by TaskId
    LockUse& lock(std::uint32_t pipe, std::uint32_t task);

    Sym task_name(const std::string& name); // a symbol for a program; programs of one name share it
    NodeId child(NodeId parent, Sym s) {
        for (const NodeId c : nodes_[parent].children)
            if (nodes_[c].sym == s) return c;
        return make(parent, s);
    }
    void add(NodeId n, Ps ps) { nodes_[n].self_ps += ps; }

    const std::vector<Node>& nodes() const { return nodes_; }
    const char* name(Sym s) const;
    Ps total(NodeId n = 0) const; // with everything it called
    // Of all time, 0…1: the path of names from a program on, "write/vmsplice/do_syscall_64/__do_sys_vmsplice/mutex_lock".
    double share(std::string_view path) const;
    Ps time(std::string_view path) const; // the same in picoseconds
    // As `perf report --children` prints it: parts under `least` (a share) are left out.
    std::string report(double least) const;
    void clear(); // times and counts; the paths stay

private:
    NodeId make(NodeId parent, Sym s);
    void match(NodeId n, std::string_view path, Ps& sum) const;
    void print(NodeId n, std::uint32_t depth, Ps all, double least, std::string& out) const;

    std::vector<Node> nodes_;
    std::vector<std::string> tasks_;
};

} // namespace pipescope

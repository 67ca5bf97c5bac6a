// SPDX-License-Identifier: MIT
// What had been done up to a position: bytes, copies, pages, references, locks, sleeps, calls; whole or of one pipe.
#pragma once
#include "sim/timeline.hpp"
#include <array>
#include <unordered_set>
#include <vector>

namespace pipescope {

// The figures. *_ns are nanoseconds of virtual or recorded time; those still running count up to the position.
enum class Count : std::uint8_t {
    bytes_in, bytes_out, copied_in, copied_out, copied_else, pages_allocated, pages_freed, tables, refs_taken, refs_dropped, walks, slow_walks, faults,
    locks, lock_waits, lock_spins, lock_ns, sleeps_space, sleeps_data, sleep_ns, wakes, switches, calls, eagains, count
};
const char* count_name(Count c); // "bytes into the ring"

struct Tally {
    std::array<std::int64_t, static_cast<std::size_t>(Count::count)> of{};
    std::int64_t operator[](Count c) const { return of[static_cast<std::size_t>(c)]; }
    // How often each byte was copied on its way in and on its way out; 0 before there are any.
    double copies_in() const { return ratio(Count::copied_in, Count::bytes_in); }
    double copies_out() const { return ratio(Count::copied_out, Count::bytes_out); }

private:
    double ratio(Count a, Count b) const { return (*this)[b] ? static_cast<double>((*this)[a]) / static_cast<double>((*this)[b]) : 0; }
};

// Grows with the timeline, and answers for any position by a sum kept every so many steps and the few steps behind it.
class Tallies {
public:
    void update(const Timeline& t);
    // After n events, at time t_ns; pipe no_id: of everything.
    Tally at(std::size_t n, std::uint64_t t_ns, PipeId pipe) const;
    bool copies_known() const { return copies_known_; } // a recording has no events of copies, pages and references

private:
    struct Step { // from event n on, the figure is by more
        std::uint64_t n;
        PipeId pipe;
        Count what;
        std::uint8_t open; // 1 and 2: an interval begins or ends; `by` is then less or plus its time
        std::int64_t by;
    };
    struct Sums {
        Tally done;
        std::array<std::int64_t, static_cast<std::size_t>(Count::count)> open{}; // intervals that still run
    };
    struct TaskNow {
        PipeId pipe = no_id; // of its call, or of its last stage
        Sys sys = Sys::none;
        Stage stage = Stage::none;
        bool waits = false, sleeps = false;
        PipeId wait_pipe = no_id, sleep_pipe = no_id;
    };
    struct PipeNow {
        std::vector<std::uint32_t> len; // bytes by slot
        std::uint32_t head = 0, tail = 0;
        bool read_live = false; // what a snapshot shows is no change of the model's
    };
    void take(const Event& e);
    void take_task(const Event& e, TaskNow& t);
    void take_ring(const Event& e, PipeNow& p);
    void moved(const Event& e, std::uint32_t before, std::uint32_t after);
    void add(Count c, PipeId pipe, std::int64_t by = 1, std::uint8_t open = 0);
    void wait(TaskNow& t, bool on, std::uint64_t now, PipeId pipe);
    void sleep(TaskNow& t, bool on, std::uint64_t now, PipeId pipe);
    static void fold(Sums& s, const Step& step);

    std::vector<Step> steps_;
    std::vector<std::vector<Sums>> kept_; // every spacing steps: the whole, then each pipe
    std::vector<Sums> now_{1};
    std::vector<TaskNow> tasks_;
    std::vector<PipeNow> pipes_;
    std::unordered_set<PageId> tables_; // page tables: counted by themselves
    std::size_t seen_ = 0;
    bool copies_known_ = false;
};

} // namespace pipescope

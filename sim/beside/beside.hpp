// SPDX-License-Identifier: MIT
// The model beside the kernel: the calls of a recording drive the model, and each ring read from the kernel is compared.
#pragma once
#include "sim/recording/direction.hpp"
#include "sim/recording/summary.hpp"
#include <memory>
#include <optional>
#include <string>

namespace pipescope {

struct Divergence {
    std::uint64_t event = 0; // as `step` and `shot --at` number them
    PipeId pipe = no_id;
    std::uint32_t slot = no_id; // the first that differs; no_id: head and tail do, or a result
    std::string text;           // what the kernel has and what the model has
    std::string kernel, model;  // both rings in a line; empty where a result differs
};
struct BesideReport {
    std::uint64_t rings = 0, results = 0; // of the kernel that the model agreed with
    std::uint64_t late = 0;      // rings read at another moment than their time says: after the next turn, or in the midst of one
    std::uint64_t resumed = 0;   // times that the comparison began anew: after a call that it cannot follow, or a loss
    std::uint64_t not_followed = 0; // calls whose other side the recording does not show: splice into the pipe, tee, sendfile
    std::uint64_t guessed = 0;      // differences where the order of turns was a guess: a ring could not be read, or many tasks were inside
    std::uint64_t unexplained = 0;  // differences that lost events may be the reason for
    std::optional<Divergence> first;
};

// Follows calls in the order of their events. Between two rings calls of several tasks may have had turns at the mutex: head
// and tail of the next ring, and the results, tell whose. Compared: head, tail, and of each slot offset, len, flags and kind;
// pages by which is which are not. Who holds the ends open is taken from the kernel.
class Beside {
public:
    Beside(const TraceMeta& meta, const Summarizer& summarizer);
    ~Beside();
    void add(std::uint64_t number, const Event& e); // each event after the summarizer took it; number from 1
    BesideReport finish();                          // once, at the end

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

BesideReport compare_beside(const Trace& trace);

} // namespace pipescope

// SPDX-License-Identifier: MIT
// The rules, one function each: looks at the figures and appends what it finds.
#pragma once
#include "sim/findings/findings.hpp"

namespace pipescope::rules {

using Findings = std::vector<Finding>;

// rules_balance.cpp: who holds up whom
void balance(const Figures& f, PipeId p, Findings& out);    // reader_slower, writer_slower, in_turns, balanced
void tokens(const Figures& f, PipeId p, Findings& out);     // a pipe that counts, as a jobserver's
void lock_contention(const Figures& f, PipeId p, Findings& out);
void busy_loop(const Figures& f, PipeId p, Findings& out);
void no_cpu(const Figures& f, PipeId p, Findings& out);     // woken, but no CPU was free

// rules_pieces.cpp: what fills the slots
void small_calls(const Figures& f, PipeId p, Findings& out);
void small_pieces(const Figures& f, PipeId p, Findings& out); // the ring full of slots that hold little
void merging_defeated(const Figures& f, PipeId p, Findings& out);
void small_ring(const Figures& f, PipeId p, Findings& out);   // the user's quota

// rules_memory.cpp: whose pages, and what becomes of them
void stored_in_ring(const Figures& f, PipeId p, Findings& out);
void page_reused(const Figures& f, PipeId p, Findings& out);
void untouched(const Figures& f, PipeId p, Findings& out);    // pages made inside vmsplice, or the zero page
void vmsplice_copies(const Figures& f, PipeId p, Findings& out);
void teed(const Figures& f, PipeId p, Findings& out);

// rules_ends.cpp: how calls ended
void sigpipe(const Figures& f, PipeId p, Findings& out);
void cut_short(const Figures& f, PipeId p, Findings& out);
void several_writers(const Figures& f, PipeId p, Findings& out);

// A pipe as a semaphore: every call moves one byte.
bool is_counter(const Figures& f, PipeId p);
// Of a whole: 0 where that is 0.
inline double share(std::uint64_t part, std::uint64_t whole) { return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0; }
inline std::uint64_t span(const PipeFigures& p) { return p.last_ns > p.first_ns ? p.last_ns - p.first_ns : 0; } // ns
std::string percent_of(std::uint64_t part, std::uint64_t whole); // "12 %", "less than 1 %"
std::string task_of(const Figures& f, const EndFigures& e);
std::string times(std::uint64_t n, const char* what); // "1 write", "3 writes"

} // namespace pipescope::rules

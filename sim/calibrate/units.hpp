// SPDX-License-Identifier: MIT
// What is measured without the model: a system call, a cache line on its way, waking and switching, what interrupts.
#pragma once
#include "sim/calibrate/exchange.hpp"

namespace pipescope {

double measure_syscall();                                            // ns of one that does nothing
bool measure_line(const int (&cpu)[2], double& ns, std::string& error); // a line from one CPU's cache to the other's

// A reader that began to read `wait_us` before a byte comes: the write's ns, and from its start to the end of the read.
struct WakeAfter {
    double wait_us = 0;
    Measured write, read;
    std::vector<std::array<double, 2>> seen; // write, read of each, by write
};
bool measure_wake(const int (&cpu)[2], std::vector<WakeAfter>& into, std::string& error);
bool measure_switch(int cpu, double& ns, std::string& error); // a byte from one task to another on the same CPU, both ways, halved

struct Interrupts { // of a program that does nothing but look at the clock
    double per_second = 0, mean_ns = 0, spread = 0; // spread: how far they are from the mean, evenly, as a part of it
};
Interrupts measure_interrupts(int cpu);

} // namespace pipescope

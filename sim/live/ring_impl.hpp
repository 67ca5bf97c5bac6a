// SPDX-License-Identifier: MIT
// The inside of RingReader, shared by its reading and its learning half.
#pragma once
#include "sim/live/ring_reader.hpp"
#include "sim/bpf/shared.h"

struct ring_bpf;

namespace pipescope {

struct RingReader::Impl {
    ring_bpf* skeleton = nullptr;
    ring_answer* answer = nullptr;
    int ring_prog = -1, page_prog = -1, walk_prog = -1; // -1: refused
    LiveFacts facts;
    std::uint64_t direct_map = 0; // where physical address 0 is mapped; 0 not learnt
    std::uint32_t levels = 0;     // of the page tables

    ~Impl();
    bool run(int program, ring_args& args) const;
    // The filled slots of a pipe in answer->ring.slot, from `first` on.
    bool ring(int fd, std::uint32_t first = 0) const;
    void learn();

private:
    void learn_pages();
    void learn_ops();
    void learn_direct_map();
};

} // namespace pipescope

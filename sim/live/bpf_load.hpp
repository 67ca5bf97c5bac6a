// SPDX-License-Identifier: MIT
// Loads the programs of a BPF object that this kernel and this user allow, and says of the others why not.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

struct bpf_object;

namespace pipescope {

// libbpf's own messages go nowhere: for a refusal it advises on ulimit -l, which has nothing to do with it.
void bpf_quiet();
// "Operation not permitted (CAP_BPF and CAP_PERFMON are needed)": what a negative errno of libbpf means here.
std::string bpf_reason(int err);

struct BpfRefusal {
    std::string program;
    int err = 0;
};
// Tries each program of the object file alone, so that one that fails does not take the others with it.
std::vector<BpfRefusal> bpf_refusals(const void* elf, std::size_t size, const std::vector<std::string>& programs);
// Of an opened object, only these programs are to be loaded.
void bpf_choose(bpf_object* object, const std::vector<std::string>& programs);

} // namespace pipescope

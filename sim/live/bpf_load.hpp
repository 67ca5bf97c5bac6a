// SPDX-License-Identifier: MIT
// Loads the programs of a BPF object that this kernel and this user allow, and says of the others why not.
#pragma once
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string>
#include <vector>

#if PIPESCOPE_HAVE_BPF
#include <bpf/libbpf.h>

namespace pipescope {

// libbpf's own messages go nowhere: for a refusal it advises on ulimit -l, which has nothing to do with it.
void bpf_quiet();
// Where the kernel's type information is: PIPESCOPE_BTF, for a kernel that does not bring it, or its own file.
const char* bpf_btf_path();
// "Operation not permitted (BPF needs CAP_BPF and CAP_PERFMON)": what an errno of libbpf means here.
std::string bpf_reason(int err);

bpf_object_open_opts bpf_open_options();

// The first of these functions that this kernel has; empty for none.
std::string bpf_function(const std::vector<std::string>& names);
// Whether a program may be attached to this function: loads one that does nothing. 0, or the errno.
int bpf_fentry_refused(const std::string& function);

struct BpfRefusal {
    std::string program;
    int err = 0;
};
// Tries each program of the object file alone, so that one that fails does not take the others with it.
std::vector<BpfRefusal> bpf_refusals(const void* elf, std::size_t size, const std::vector<std::string>& programs);
// Of an opened object, only these programs are to be loaded.
void bpf_choose(bpf_object* object, const std::vector<std::string>& programs);

// Opens a bpftool skeleton and loads as many of `programs` as can be had; `programs` becomes those. All at once is the
// usual case and the quick one; where that fails, it is found out which ones do. Nothing when not even one can be had.
template <class Skeleton, class Configure>
Skeleton* bpf_load_allowed(std::vector<std::string>& programs, std::vector<BpfRefusal>& refusals, Configure&& configure) {
    for (int attempt = 0; attempt < 2; ++attempt) {
        if (attempt) {
            std::size_t size = 0;
            const void* elf = Skeleton::elf_bytes(&size);
            const std::vector<BpfRefusal> refused = bpf_refusals(elf, size, programs);
            for (const BpfRefusal& r : refused) std::erase(programs, r.program);
            refusals.insert(refusals.end(), refused.begin(), refused.end());
            if (programs.empty() || refused.empty()) return nullptr;
        }
        const bpf_object_open_opts opts = bpf_open_options();
        Skeleton* skeleton = Skeleton::open(&opts);
        if (!skeleton) {
            refusals.push_back({"", errno});
            return nullptr;
        }
        configure(*skeleton);
        bpf_choose(skeleton->obj, programs);
        if (const int err = Skeleton::load(skeleton); err == 0) return skeleton;
        else if (attempt) refusals.push_back({"", -err});
        Skeleton::destroy(skeleton);
    }
    return nullptr;
}

} // namespace pipescope
#endif

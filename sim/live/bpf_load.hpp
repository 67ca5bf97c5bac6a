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
// Of an opened object, only these programs are to be loaded.
void bpf_choose(bpf_object* object, const std::vector<std::string>& programs);

// Opens a bpftool skeleton and loads these programs of it; nothing, with `err`, when the kernel refuses.
template <class Skeleton, class Configure> Skeleton* bpf_load(const std::vector<std::string>& programs, Configure& configure, int& err) {
    const bpf_object_open_opts opts = bpf_open_options();
    Skeleton* skeleton = Skeleton::open(&opts);
    if (!skeleton) return err = errno, nullptr;
    configure(*skeleton);
    bpf_choose(skeleton->obj, programs);
    if (err = -Skeleton::load(skeleton); err == 0) return skeleton;
    Skeleton::destroy(skeleton);
    return nullptr;
}

// Loads as many of `programs` as can be had; `programs` becomes those. All at once is the usual case and the quick one;
// where that fails, each is tried alone, so that one that is refused does not take the others with it. Nothing when not
// even one can be had.
template <class Skeleton, class Configure>
Skeleton* bpf_load_allowed(std::vector<std::string>& programs, std::vector<BpfRefusal>& refusals, Configure&& configure) {
    int err = 0;
    if (Skeleton* all = bpf_load<Skeleton>(programs, configure, err)) return all;
    const std::size_t before = refusals.size();
    for (const std::string& name : programs) {
        if (Skeleton* one = bpf_load<Skeleton>({name}, configure, err)) Skeleton::destroy(one);
        else refusals.push_back({name, err});
    }
    for (std::size_t i = before; i < refusals.size(); ++i) std::erase(programs, refusals[i].program);
    if (programs.empty()) return nullptr;
    Skeleton* allowed = bpf_load<Skeleton>(programs, configure, err);
    if (!allowed) refusals.push_back({"", err});
    return allowed;
}

} // namespace pipescope
#endif

// SPDX-License-Identifier: MIT
// Program by program loading on top of libbpf.
#include "sim/live/bpf_load.hpp"
#if PIPESCOPE_HAVE_BPF
#include <algorithm>
#include <bpf/libbpf.h>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace pipescope {

void bpf_quiet() {
    libbpf_set_print([](libbpf_print_level, const char*, va_list) { return 0; });
}

std::string bpf_reason(int err) {
    err = err < 0 ? -err : err;
    if (::access("/sys/kernel/btf/vmlinux", R_OK) != 0) return "the kernel has no type information in /sys/kernel/btf/vmlinux";
    const std::string text = std::strerror(err);
    if (err == EPERM || err == EACCES) return text + " (BPF needs CAP_BPF and CAP_PERFMON)";
    if (err == EINVAL) return text + " (the kernel's verifier refused it, or knows no such program type)";
    return text;
}

std::vector<BpfRefusal> bpf_refusals(const void* elf, std::size_t size, const std::vector<std::string>& programs) {
    std::vector<BpfRefusal> refusals;
    for (const std::string& name : programs) {
        bpf_object* object = bpf_object__open_mem(elf, size, nullptr);
        int err = object ? 0 : -errno;
        if (object) {
            bpf_choose(object, {name});
            err = bpf_object__load(object);
            bpf_object__close(object);
        }
        if (err) refusals.push_back({name, err < 0 ? -err : err});
    }
    return refusals;
}

void bpf_choose(bpf_object* object, const std::vector<std::string>& programs) {
    bpf_program* program = nullptr;
    bpf_object__for_each_program(program, object) {
        const bool wanted = std::find(programs.begin(), programs.end(), bpf_program__name(program)) != programs.end();
        bpf_program__set_autoload(program, wanted);
    }
}

} // namespace pipescope
#endif

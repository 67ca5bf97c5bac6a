// SPDX-License-Identifier: MIT
// Program by program loading on top of libbpf.
#include "sim/live/bpf_load.hpp"
#if PIPESCOPE_HAVE_BPF
#include <algorithm>
#include <bpf/bpf.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pipescope {

void bpf_quiet() {
    libbpf_set_print([](libbpf_print_level, const char*, va_list) { return 0; });
}

namespace {

// A program refused for want of a capability shows as this errno or that: the capabilities themselves are clearer.
bool may_use_bpf() {
    constexpr unsigned sys_admin = 21, perfmon = 38, bpf = 39;
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2]{};
    if (::syscall(SYS_capget, &header, data)) return true;
    const auto has = [&](unsigned cap) { return (data[cap / 32].effective >> cap % 32 & 1) != 0; };
    return has(sys_admin) || (has(perfmon) && has(bpf));
}

} // namespace

const char* bpf_btf_path() {
    const char* other = std::getenv("PIPESCOPE_BTF");
    return other && *other ? other : "/sys/kernel/btf/vmlinux";
}

bpf_object_open_opts bpf_open_options() {
    bpf_object_open_opts opts{};
    opts.sz = sizeof opts;
    if (std::getenv("PIPESCOPE_BTF")) opts.btf_custom_path = bpf_btf_path();
    return opts;
}

std::string bpf_reason(int err) {
    err = err < 0 ? -err : err;
    const std::string text = std::strerror(err);
    if (!may_use_bpf()) return text + " (BPF needs CAP_BPF and CAP_PERFMON)";
    if (::access(bpf_btf_path(), R_OK) != 0) return std::string("the kernel has no type information in ") + bpf_btf_path();
    if (err == ESRCH) return "this kernel has no such event";
    if (err == EPERM) return text + " (the kernel is locked down, or a container forbids it)";
    if (err == EINVAL || err == EACCES) return text + " (the kernel's verifier refused it, or knows no such program type)";
    return text;
}

std::string bpf_function(const std::vector<std::string>& names) {
    for (const std::string& name : names)
        if (libbpf_find_vmlinux_btf_id(name.c_str(), BPF_TRACE_FENTRY) > 0) return name;
    return "";
}

int bpf_fentry_refused(const std::string& function) {
    const int id = libbpf_find_vmlinux_btf_id(function.c_str(), BPF_TRACE_FENTRY);
    if (id <= 0) return ENOENT;
    const bpf_insn nothing[] = {{BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0}, {BPF_JMP | BPF_EXIT, 0, 0, 0, 0}};
    bpf_prog_load_opts opts{};
    opts.sz = sizeof opts;
    opts.expected_attach_type = BPF_TRACE_FENTRY;
    opts.attach_btf_id = static_cast<__u32>(id);
    const int fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "pipescope_probe", "Dual MIT/GPL", nothing, std::size(nothing), &opts);
    if (fd < 0) return -fd;
    const int link = bpf_link_create(fd, 0, BPF_TRACE_FENTRY, nullptr); // some kernels load it and then cannot attach
    const int err = link < 0 ? -link : 0;
    if (link >= 0) ::close(link);
    ::close(fd);
    return err;
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

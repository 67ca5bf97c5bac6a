// SPDX-License-Identifier: MIT
// BpfCapture on libbpf, and its stub.
#include "sim/live/capture_bpf.hpp"
#include <algorithm>
#include <cstring>
#if PIPESCOPE_HAVE_BPF
#include "sim/live/bpf_load.hpp"
#include "record.skel.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace pipescope {
namespace {
constexpr int records_in_round = 1 << 16; // as long as records keep coming libbpf would not return
} // namespace

#if PIPESCOPE_HAVE_BPF

struct BpfCapture::Impl {
    record_bpf* skeleton = nullptr;
    ring_buffer* buffer = nullptr;
    std::vector<std::string> programs;
    std::vector<bpf_link*> links;
    int left_in_round = 0;

    ~Impl() {
        for (bpf_link* link : links) bpf_link__destroy(link);
        if (buffer) ring_buffer__free(buffer);
        if (skeleton) record_bpf::destroy(skeleton);
    }
};

BpfCapture::BpfCapture() : impl_(std::make_unique<Impl>()) {}
BpfCapture::~BpfCapture() = default;

std::unique_ptr<BpfCapture> BpfCapture::open(std::uint64_t pipe_address, std::string& why) {
    bpf_quiet();
    std::unique_ptr<BpfCapture> capture(new BpfCapture);
    Impl& impl = *capture->impl_;
    const auto configure = [&](record_bpf& skeleton) { skeleton.rodata->recorded_pipe = pipe_address; };
    // The calls are what a recording is made of; waits and wake-ups are welcome where they can be had.
    std::vector<BpfRefusal> refusals;
    for (const bool direct : {true, false}) {
        refusals.clear();
        impl.programs = {"lock_begin", "lock_end", "sched_switch", "sched_waking"};
        impl.programs.insert(impl.programs.end(), {direct ? "enter_direct" : "enter_probed", direct ? "exit_direct" : "exit_probed"});
        impl.skeleton = bpf_load_allowed<record_bpf>(impl.programs, refusals, configure);
        const auto calls = std::count_if(impl.programs.begin(), impl.programs.end(), [](const std::string& p) { return p[0] == 'e'; });
        if (impl.skeleton && calls == 2) break;
        if (impl.skeleton) record_bpf::destroy(impl.skeleton);
        impl.skeleton = nullptr;
    }
    if (!impl.skeleton) {
        why = "system calls cannot be recorded by BPF here: " + bpf_reason(refusals.empty() ? EINVAL : refusals.back().err);
        return nullptr;
    }
    for (const BpfRefusal& r : refusals) capture->missing_ += (capture->missing_.empty() ? "no " : ", no ") + r.program + ": " + bpf_reason(r.err);
    const auto arrived = [](void* self, void* data, std::size_t size) {
        BpfCapture& c = *static_cast<BpfCapture*>(self);
        c.records_.keep(data, size);
        return --c.impl_->left_in_round > 0 ? 0 : -1; // makes libbpf return
    };
    impl.buffer = ring_buffer__new(bpf_map__fd(impl.skeleton->maps.records), arrived, capture.get(), nullptr);
    if (!impl.buffer) {
        why = "the BPF ring buffer cannot be mapped: " + std::string(std::strerror(errno));
        return nullptr;
    }
    return capture;
}

bool BpfCapture::record(pid_t pid, std::string& why) {
    const int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    const std::vector<std::byte> empty(bpf_map__value_size(impl_->skeleton->maps.recorded));
    const int err = fd < 0 ? -errno : bpf_map_update_elem(bpf_map__fd(impl_->skeleton->maps.recorded), &fd, empty.data(), BPF_ANY);
    if (fd >= 0) ::close(fd);
    if (err) why = "process " + std::to_string(pid) + " cannot be recorded: " + std::strerror(-err);
    return err == 0;
}

bool BpfCapture::attach(std::string& why) {
    for (const std::string& name : impl_->programs) {
        bpf_link* link = bpf_program__attach(bpf_object__find_program_by_name(impl_->skeleton->obj, name.c_str()));
        if (link) {
            impl_->links.push_back(link);
            continue;
        }
        const std::string reason = name + " cannot be attached: " + bpf_reason(errno);
        if (name[0] == 'e') { // enter, exit
            why = reason;
            return false;
        }
        missing_ += (missing_.empty() ? "" : ", ") + reason;
    }
    return true;
}

void BpfCapture::detach() {
    for (bpf_link* link : impl_->links) bpf_link__destroy(link);
    impl_->links.clear();
}

void BpfCapture::drain() {
    impl_->left_in_round = records_in_round;
    ring_buffer__consume(impl_->buffer);
}
std::uint64_t BpfCapture::lost() const { return impl_->skeleton->bss->records_lost; }

#else

struct BpfCapture::Impl {};
BpfCapture::BpfCapture() = default;
BpfCapture::~BpfCapture() = default;
std::unique_ptr<BpfCapture> BpfCapture::open(std::uint64_t, std::string& why) {
    why = "this pipescope was built without BPF";
    return nullptr;
}
bool BpfCapture::record(pid_t, std::string&) { return false; }
bool BpfCapture::attach(std::string&) { return false; }
void BpfCapture::detach() {}
void BpfCapture::drain() {}
std::uint64_t BpfCapture::lost() const { return 0; }

#endif

} // namespace pipescope

// SPDX-License-Identifier: MIT
// BpfCapture on libbpf, and its stub.
#include "sim/live/capture_bpf.hpp"
#include <algorithm>
#include <bit>
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

#if PIPESCOPE_HAVE_BPF

namespace {

constexpr int records_in_round = 1 << 16; // as long as records keep coming libbpf would not return
constexpr unsigned pidfd_thread = 0200;   // PIDFD_THREAD, 6.9
constexpr std::uint64_t default_buffer_bytes = 64 << 20; // of all ring buffers together
constexpr std::uint64_t least_buffer_bytes = 4096;
constexpr std::uint32_t most_buffers = 16; // on machines with more CPUs than that several share one

// What this kernel has of what the programs would like, the best first.
struct Features {
    bool direct_loads, have_loop, switch_state, by_tid; // have_loop: bpf_loop, 5.17
};
constexpr Features feature_sets[] = {
    {true, true, true, false}, {false, true, true, false}, {false, true, false, false}, {false, false, false, false}, {false, false, false, true}};

const std::vector<std::string> needed = {"enter", "exit_"}, needed_plain = {"enter_plain", "exit_plain"}, sampled = {"exit_sampled"};
constexpr long wanted_of_sampled = 3; // the first ones of these
const std::vector<std::string> wanted = {"fork_", "exec_", "gone", "lock_begin", "lock_end", "sched_switch", "sched_waking", "page_alloc", "page_fault",
    "mmap_lock"};
// Functions whose time is measured, by what they are called on one kernel or another, and the two programs of each.
struct StageFunction {
    std::vector<std::string> names;
    std::string begins, ends;
};
const StageFunction stage_functions[] = {{{"__wake_up_sync_key"}, "wake_begins", "wake_ends"},
    {{"__alloc_pages_noprof", "__alloc_pages", "__alloc_pages_nodemask"}, "alloc_begins", "alloc_ends"},
    {{"gup_fast_fallback", "internal_get_user_pages_fast"}, "gup_begins", "gup_ends"}};

bool is_needed(const std::string& name) {
    for (const auto* set : {&needed, &needed_plain, &sampled})
        if (std::find(set->begin(), set->end(), name) != set->end()) return true;
    return false;
}

} // namespace

struct BpfCapture::Impl {
    record_bpf* skeleton = nullptr;
    std::vector<ring_buffer*> buffers;
    std::vector<std::string> programs;
    std::vector<bpf_link*> links;
    bool by_tid = false;
    int left_in_round = 0;
    std::uint64_t not_run = 0; // as long as the programs were attached

    ~Impl() {
        for (bpf_link* link : links) bpf_link__destroy(link);
        for (ring_buffer* buffer : buffers) ring_buffer__free(buffer);
        if (skeleton) record_bpf::destroy(skeleton);
    }
    // One ring buffer for the programs of a CPU each, emptied by `arrived`.
    bool make_buffers(std::uint64_t bytes, ring_buffer_sample_fn arrived, void* self) {
        const std::uint32_t n = skeleton->rodata->last_buffer + 1;
        const auto each = static_cast<std::uint32_t>(std::bit_ceil(std::max((bytes ? bytes : default_buffer_bytes) / n, least_buffer_bytes)));
        for (std::uint32_t i = 0; i < n; ++i) {
            const int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "records", 0, 0, each, nullptr);
            if (fd < 0) return false;
            const bool there = bpf_map_update_elem(bpf_map__fd(skeleton->maps.buffers), &i, &fd, BPF_ANY) == 0;
            if (ring_buffer* buffer = there ? ring_buffer__new(fd, arrived, self, nullptr) : nullptr) buffers.push_back(buffer);
            ::close(fd); // the map of maps and the mapping keep it
            if (buffers.size() != i + 1) return false;
        }
        return true;
    }
    template <class Use> void each_program(Use&& use) const {
        for (const std::string& name : programs) {
            bpf_prog_info info{};
            __u32 size = sizeof info;
            const int fd = bpf_program__fd(bpf_object__find_program_by_name(skeleton->obj, name.c_str()));
            if (bpf_obj_get_info_by_fd(fd, &info, &size) == 0) use(name, info);
        }
    }
    // A program does not run while it runs already on the same CPU, under a task that was preempted in it.
    std::uint64_t misses() const {
        std::uint64_t n = 0;
        each_program([&](const std::string&, const bpf_prog_info& info) { n += info.recursion_misses; });
        return n;
    }
};

BpfCapture::BpfCapture() : impl_(std::make_unique<Impl>()) {}
BpfCapture::~BpfCapture() = default;

std::unique_ptr<BpfCapture> BpfCapture::open(const Sampling& sampling, std::string& why) {
    bpf_quiet();
    std::unique_ptr<BpfCapture> capture(new BpfCapture);
    Impl& impl = *capture->impl_;
    // The calls are what a recording is made of; the rest is welcome where it can be had.
    std::vector<BpfRefusal> refusals, first;
    // Whether functions may be attached to is asked once: asking with all programs at a time would load each by itself.
    std::vector<std::pair<std::string, std::string>> staged; // a program, and the function it is for
    if (!sampling.on()) {
        int refused = 0;
        for (const StageFunction& f : stage_functions) {
            const std::string function = bpf_function(f.names);
            const int err = function.empty() ? ENOENT : bpf_fentry_refused(function);
            if (!err) staged.insert(staged.end(), {{f.begins, function}, {f.ends, function}});
            else if (refused = err; err == EPERM) break;
        }
        if (staged.empty()) capture->missing_ = "no times inside the calls: functions may not be attached to: " + bpf_reason(refused);
    }
    for (const Features& f : feature_sets) {
        const auto configure = [&](record_bpf& skeleton) {
            skeleton.rodata->direct_loads = f.direct_loads;
            skeleton.rodata->switch_state = f.switch_state, skeleton.rodata->by_tid = f.by_tid;
            skeleton.rodata->sample_calls = sampling.calls, skeleton.rodata->sample_ns = sampling.ns;
            for (const auto& [program, function] : staged)
                bpf_program__set_attach_target(bpf_object__find_program_by_name(skeleton.obj, program.c_str()), 0, function.c_str());
            const int cpus = libbpf_num_possible_cpus();
            const std::uint32_t buffers = std::min(std::bit_ceil(static_cast<std::uint32_t>(std::max(cpus, 1))), most_buffers);
            skeleton.rodata->last_buffer = buffers - 1;
            bpf_map__set_max_entries(skeleton.maps.buffers, buffers);
            bpf_map__set_max_entries(skeleton.maps.rooms, rooms_of_cpu * static_cast<std::uint32_t>(std::max(cpus, 1)));
            bpf_map__set_autocreate(f.by_tid ? skeleton.maps.recorded : skeleton.maps.recorded_tids, false);
        };
        refusals.clear();
        impl.programs = sampling.on() ? sampled : f.have_loop ? needed : needed_plain;
        impl.programs.insert(impl.programs.end(), wanted.begin(), sampling.on() ? wanted.begin() + wanted_of_sampled : wanted.end());
        for (const auto& [program, function] : staged) impl.programs.push_back(program);
        impl.skeleton = bpf_load_allowed<record_bpf>(impl.programs, refusals, configure);
        impl.by_tid = f.by_tid;
        if (first.empty()) first = refusals;
        const auto calls = std::count_if(impl.programs.begin(), impl.programs.end(), is_needed);
        if (impl.skeleton && calls == static_cast<long>(sampling.on() ? sampled.size() : needed.size())) break;
        if (impl.skeleton) record_bpf::destroy(impl.skeleton);
        impl.skeleton = nullptr;
    }
    if (!impl.skeleton) {
        why = "system calls cannot be recorded by BPF here: " + bpf_reason(first.empty() ? EINVAL : first.front().err);
        return nullptr;
    }
    for (const BpfRefusal& r : refusals)
        if (!r.program.empty()) capture->missing_ += (capture->missing_.empty() ? "no " : "; no ") + r.program + ": " + bpf_reason(r.err);
    const auto arrived = [](void* self, void* data, std::size_t size) {
        BpfCapture& c = *static_cast<BpfCapture*>(self);
        if (c.look_) c.look_(*static_cast<const rec_head*>(data));
        c.records_.keep(data, size);
        ++c.taken_;
        return --c.impl_->left_in_round > 0 ? 0 : -1; // makes libbpf return
    };
    if (!impl.make_buffers(sampling.buffer_bytes, arrived, capture.get())) {
        why = "the BPF ring buffers cannot be had: " + std::string(std::strerror(errno));
        return nullptr;
    }
    return capture;
}

bool BpfCapture::record(pid_t pid, std::string& why, bool thread) {
    const bpf_map* map = impl_->by_tid ? impl_->skeleton->maps.recorded_tids : impl_->skeleton->maps.recorded;
    const std::vector<std::byte> empty(bpf_map__value_size(map));
    int err = 0;
    if (impl_->by_tid) {
        err = bpf_map_update_elem(bpf_map__fd(map), &pid, empty.data(), BPF_ANY);
    } else {
        const int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, thread ? pidfd_thread : 0));
        err = fd < 0 ? -errno : bpf_map_update_elem(bpf_map__fd(map), &fd, empty.data(), BPF_ANY);
        if (fd >= 0) ::close(fd);
    }
    if (err) why = "process " + std::to_string(pid) + " cannot be recorded: " + std::strerror(-err);
    return err == 0;
}

bool BpfCapture::attach(std::string& why) {
    for (const std::string& name : impl_->programs) {
        bpf_link* link = bpf_program__attach(bpf_object__find_program_by_name(impl_->skeleton->obj, name.c_str()));
        if (link) {
            impl_->links.push_back(link);
            stages_ = stages_ || name == stage_functions[0].begins;
            continue;
        }
        const std::string reason = name + " cannot be attached: " + bpf_reason(errno);
        if (is_needed(name)) {
            why = reason;
            return false;
        }
        missing_ += (missing_.empty() ? "" : "; ") + reason;
    }
    return true;
}

void BpfCapture::detach() {
    if (!impl_->links.empty()) impl_->not_run = impl_->misses();
    for (bpf_link* link : impl_->links) bpf_link__destroy(link);
    impl_->links.clear();
}

void BpfCapture::drain() {
    for (ring_buffer* buffer : impl_->buffers) {
        impl_->left_in_round = records_in_round;
        ring_buffer__consume(buffer);
    }
}
std::uint64_t BpfCapture::lost() const {
    return impl_->skeleton->bss->records_lost + (impl_->links.empty() ? impl_->not_run : impl_->misses());
}
std::vector<RecordSummary::Program> BpfCapture::programs() const {
    std::vector<RecordSummary::Program> all;
    impl_->each_program([&](const std::string& name, const bpf_prog_info& info) { all.push_back({name, info.run_cnt, info.run_time_ns}); });
    return all;
}
std::uint64_t BpfCapture::missed() const { return impl_->skeleton->bss->tasks_missed; }

#else

struct BpfCapture::Impl {};
BpfCapture::BpfCapture() = default;
BpfCapture::~BpfCapture() = default;
std::unique_ptr<BpfCapture> BpfCapture::open(const Sampling&, std::string& why) {
    why = "this pipescope was built without BPF";
    return nullptr;
}
bool BpfCapture::record(pid_t, std::string&, bool) { return false; }
bool BpfCapture::attach(std::string&) { return false; }
void BpfCapture::detach() {}
void BpfCapture::drain() {}
std::uint64_t BpfCapture::lost() const { return 0; }
std::vector<RecordSummary::Program> BpfCapture::programs() const { return {}; }
std::uint64_t BpfCapture::missed() const { return 0; }

#endif

} // namespace pipescope

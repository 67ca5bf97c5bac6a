// SPDX-License-Identifier: MIT
// Kernel versions and the features each had.
#include "core/version.hpp"
#include <algorithm>

namespace pipescope {
namespace {

using K = KernelVersion;
constexpr KernelFeature features[] = {
    {"dirty-pipe", &K::dirty_pipe, true, "5.8 to 5.10.101, 5.15.24, 5.16.10 and 5.17-rc5", "9d2231c5d74e (5.17-rc6)",
        "a page of the page cache comes into a slot that still says CAN_MERGE, and the next write lands in the file"},
    {"cow-4k", &K::page_reuse_by_mapcount, true, "up to 5.7", "17839856fd58 (5.8), 09854ba94c6a (5.9)",
        "after fork a store goes in place when the other side has unmapped the page, though a pipe holds it"},
    {"cow-thp", &K::thp_reuse_by_mapcount, true, "up to 5.17", "3bff7e3f1f16 (5.18)", "the same for a 2 MiB page"},
    {"tee-refcount", &K::tee_refcount, true, "before 5.1-rc5", "15fab63e1e57 (5.1-rc5)",
        "tee takes references without end: the count wraps and the page is freed while it is mapped"},
    {"linked-merge", &K::linked_merge, true, "before 5.1", "a0ce2f0aa6ad (5.1)",
        "what tee or a split made a second view of a page can still be appended to"},
    {"slot-before-copy", &K::copy_before_insert, false, "5.5 to 6.14", "ee5eda8ea595 (6.15)", "a write that faults leaves a slot of length 0"},
    {"herd", &K::herd, true, "up to 5.5", "0ddad21d3e99 (5.6)", "one wait queue: each change wakes every reader and every writer"},
    {"waiting-writers", &K::waiting_writers, true, "up to 5.4", "a28c8b9db8a1 (5.5)", "a read goes on, and sleeps, as long as a writer sleeps"},
    {"close-wakes-one", &K::close_wakes_one, true, "5.6-rc1 and 5.6-rc2", "6551d5c56eb0 (5.6-rc3)", "the last close of a side wakes one sleeper"},
    {"one-slot", &K::one_slot, true, "up to 5.13", "46c4c9d1beb7 (5.14)", "over the soft limit a new pipe has one slot"},
    {"epollet-lost", &K::poll_usage, false, "5.5 to 5.13", "3a34b13a88ca, 3b844826b6c6 (5.14)",
        "a write to a pipe that is not empty tells an edge-triggered reader nothing"},
    {"resize-no-wake", &K::resize_no_wake, true, "up to 5.4", "gone by 5.10", "F_SETPIPE_SZ wakes no writer"},
    {"resize-lost-wakeup", &K::resize_lost_wakeup, true, "5.8 to 6.7", "e95aada4cb93 (6.8)",
        "F_SETPIPE_SZ wakes a writer before it may use the new slots, and it sleeps again"},
    {"wake-still-full", &K::wake_on_freed_slot, false, "5.5 to 6.13", "aaec5a95d596 (6.14)", "a read that frees no slot wakes a writer"},
    {"torn-head-tail", &K::torn_head_tail, true, "6.14-rc1 to 6.14-rc5 (and without harm from 5.5)", "3d252160b818 (6.14-rc6)",
        "a writer reads head, later tail, finds an empty ring full, and sleeps for ever"},
    {"inq-whole", &K::inq_whole, true, "6.17 to 6.18.15 or a little later", "by 6.18.44",
        "FIONREAD of a stream socket counts a buffer that was read in part as if it were whole"},
    {"vmsplice-copy", &K::vmsplice_copies, true, "proposed for 7.x in 2026", "not merged as far as is known here",
        "vmsplice copies, as a write or a read of the same memory would"},
};

// What stands behind the series' two numbers: ".24" or "-rc3". A series alone is its last release.
struct Release {
    int major = 0, minor = 0;
    int patch = 1 << 20; // of 5.15.24: 24
    int rc = 1 << 20;    // of 6.14-rc3: 3
};

bool number(std::string_view& text, int& out) {
    std::size_t n = 0;
    for (out = 0; n < text.size() && n < 5 && text[n] >= '0' && text[n] <= '9'; ++n) out = out * 10 + (text[n] - '0');
    text.remove_prefix(n);
    return n > 0;
}

std::optional<Release> parse(std::string_view text) {
    Release r;
    if (text.size() > 64 || !number(text, r.major) || text.empty() || text[0] != '.') return std::nullopt;
    text.remove_prefix(1);
    if (!number(text, r.minor)) return std::nullopt;
    if (text.starts_with(".")) {
        text.remove_prefix(1);
        if (!number(text, r.patch)) return std::nullopt;
    }
    if (text.starts_with("-rc")) {
        text.remove_prefix(3);
        if (!number(text, r.rc)) return std::nullopt;
    }
    if (!text.empty() && text[0] != '-') return std::nullopt; // "-generic": whoever built it
    return r;
}

// The last release of a series with a bug that its maintainers took out of it; 0: none has it.
struct LastWith {
    int major, minor, patch;
};
bool up_to(const Release& r, std::span<const LastWith> last) {
    for (const LastWith& l : last)
        if (l.major == r.major && l.minor == r.minor) return r.patch <= l.patch;
    return false;
}
constexpr LastWith last_dirty_pipe[] = {{5, 10, 101}, {5, 15, 24}};
constexpr LastWith last_inq_whole[] = {{6, 18, 15}};
constexpr LastWith last_resize_race[] = {{5, 10, 209}, {5, 15, 148}, {6, 1, 75}, {6, 6, 14}};

bool listed(const Release& r) {
    const std::string series = std::to_string(r.major) + "." + std::to_string(r.minor);
    return std::find(std::begin(kernel_versions), std::end(kernel_versions), series) != std::end(kernel_versions);
}

std::optional<KernelVersion> of_release(std::string_view name, bool any) {
    const auto r = parse(name);
    if (!r) return std::nullopt;
    if (!any && !listed(*r)) return std::nullopt;
    KernelVersion v;
    v.name = name;
    v.number = r->major * 100 + r->minor;
    v.copy_before_insert = v.number >= 615;
    v.tmp_pages = v.number >= 615 ? 2 : 1;
    v.wake_on_freed_slot = v.number >= 614;
    const bool told = r->patch != Release{}.patch; // a series alone is as it was before its maintainers brought newer behaviour to it
    v.patch = told ? r->patch : 0;
    v.poll_usage = v.number >= 514 || (v.number == 510 && v.patch >= 56);
    v.test_before_requeue = v.number >= 615;
    v.anon_exclusive = v.number >= 519;
    v.thp_reuse_by_mapcount = v.number < 518;
    v.huge_zero_replaced = v.number >= 613; // seen split on 6.12, replaced on 6.18
    v.splice_pages = v.number >= 605;
    v.dgram_peer_last = v.number >= 614;
    v.gup_grab_first = v.number >= 613; // seen after on 6.12, before on 6.18
    v.hugetlb_dontneed = v.number >= 518;
    v.pt_reclaim = v.number >= 614;
    v.fork_copies_pinned = v.number >= 509;
    v.zero_splice = v.number >= 607;
    v.setpipe_u32 = v.number >= 606;
    v.mapped_dirty = v.number >= 615;
    v.anon_prefix = v.number >= 615;
    v.sendfile_queues = v.number >= 512;
    v.hole_is_zero_page = v.number >= 605;
    v.hole_is_cached = v.number < 518;
    v.pipe_nowait = v.number >= 604;
    v.rwf_nosignal = v.number >= 618;
    v.mprotect_writable = v.number >= 600;
    v.inq_whole = v.number == 617 || up_to(*r, last_inq_whole) || (v.number == 618 && r->rc < Release{}.rc);
    v.one_slot = v.number < 514 && !(v.number == 510 && v.patch >= 58);
    v.dirty_pipe = up_to(*r, last_dirty_pipe) || (v.number == 517 && r->rc <= 5);
    v.resize_lost_wakeup = v.number == 517 || up_to(*r, last_resize_race);
    v.torn_head_tail = v.number == 614 && r->rc <= 5;
    return v;
}

} // namespace

std::span<const KernelFeature> kernel_features() { return features; }
bool has_feature(const KernelVersion& v, const KernelFeature& f) { return v.*f.field == f.value; }

const KernelFeature* kernel_feature(std::string_view name) {
    const auto* const it = std::find_if(std::begin(features), std::end(features), [&](const KernelFeature& f) { return f.name == name; });
    return it == std::end(features) ? nullptr : it;
}

KernelVersion kernel_of_release(std::string_view release) {
    const std::string_view figures = release.substr(0, release.find_first_not_of("0123456789."));
    // "5.10.0-32-amd64": a distribution's count, not upstream's; it has what the series had in the end.
    const bool counted = figures.ends_with(".0") && figures.size() < release.size();
    KernelVersion v = of_release(counted ? figures.substr(0, figures.size() - 2) : figures, true).value_or(KernelVersion{});
    v.asked = true;
    return v;
}

std::optional<KernelVersion> kernel_version(std::string_view base, std::string_view wanted) {
    auto v = of_release(base == vmsplice_copy_name ? kernel_versions[std::size(kernel_versions) - 1] : base, false);
    if (!v) return std::nullopt;
    v->name = base;
    v->asked = true;
    v->vmsplice_copies = base == vmsplice_copy_name;
    for (bool more = !wanted.empty(); more;) {
        const std::size_t plus = wanted.find('+');
        const KernelFeature* const f = kernel_feature(wanted.substr(0, plus));
        if (!f) return std::nullopt;
        if (!has_feature(*v, *f)) v->name += "+" + std::string(f->name); // what it has anyway needs no saying
        (*v).*f->field = f->value;
        more = plus != std::string_view::npos;
        if (more) wanted.remove_prefix(plus + 1);
    }
    return v;
}

std::optional<KernelVersion> kernel_version(std::string_view name) {
    const std::size_t plus = name.find('+');
    if (plus == std::string_view::npos) return kernel_version(name, {});
    return plus + 1 == name.size() ? std::nullopt : kernel_version(name.substr(0, plus), name.substr(plus + 1));
}

std::string unknown_kernel(std::string_view name) {
    std::string text = std::string(name.substr(0, 60)) + ": not a kernel the model knows; known are";
    for (const std::string_view v : kernel_versions) text += " " + std::string(v) + ",";
    text += " releases of these such as 5.15.24, and " + std::string(vmsplice_copy_name) + "; each with";
    for (const KernelFeature& f : features)
        if (f.name != vmsplice_copy_name) text += " +" + std::string(f.name);
    return text;
}

bool page_flags_as_modelled(std::string_view release) {
    int part[2] = {};
    std::size_t i = 0;
    for (int& n : part) {
        for (; i < release.size() && release[i] >= '0' && release[i] <= '9' && n < 1000; ++i) n = n * 10 + (release[i] - '0');
        if (i < release.size() && release[i] == '.') ++i;
    }
    return part[0] * 100 + part[1] >= 612; // 6.12 is the oldest whose table is known to be this one
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Kernel versions and the features each had.
#include "core/version.hpp"

namespace pipescope {

namespace {

// "6.1.192-3" gives 601; 0 for what begins otherwise.
int number_of(std::string_view release) {
    int part[2] = {}, at = 0;
    for (const char c : release) {
        if (c == '.' && at == 0) at = 1;
        else if (c >= '0' && c <= '9' && part[at] < 100) part[at] = part[at] * 10 + (c - '0');
        else break;
    }
    return at ? part[0] * 100 + part[1] : 0;
}

KernelVersion with_features(std::string_view name, int number) {
    KernelVersion v;
    v.name = name;
    v.number = number;
    v.copy_before_insert = v.number >= 615;
    v.tmp_pages = v.number >= 615 ? 2 : 1;
    v.wake_on_freed_slot = v.number >= 614;
    v.poll_usage = v.number >= 514;
    v.test_before_requeue = v.number >= 615;
    v.anon_exclusive = v.number >= 519;
    v.thp_reuse_by_mapcount = v.number < 518;
    v.huge_zero_replaced = v.number >= 613; // seen split on 6.12, replaced on 6.18
    v.splice_pages = v.number >= 605;
    v.dgram_peer_last = v.number >= 614;
    v.zero_splice = v.number >= 607;
    v.setpipe_u32 = v.number >= 606;
    v.anon_prefix = v.number >= 615;
    return v;
}

} // namespace

std::optional<KernelVersion> kernel_version(std::string_view name) {
    for (const std::string_view known : kernel_versions)
        if (known == name) return with_features(known, number_of(known));
    return std::nullopt;
}

KernelVersion kernel_of_release(std::string_view release) {
    const int number = number_of(release);
    std::string_view name = kernel_versions[0];
    for (const std::string_view known : kernel_versions)
        if (number_of(known) <= number) name = known;
    return number ? with_features(name, number) : KernelVersion{};
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Kernel versions and the features each had.
#include "core/version.hpp"

namespace pipescope {

std::optional<KernelVersion> kernel_version(std::string_view name) {
    KernelVersion v;
    for (std::string_view known : kernel_versions) {
        if (known != name) continue;
        v.name = known;
        int major = known[0] - '0', minor = 0;
        for (char c : known.substr(2)) minor = minor * 10 + (c - '0');
        v.number = major * 100 + minor;
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
    return std::nullopt;
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// What differs between kernel versions, as named features; version numbers are compared in version.cpp alone.
#pragma once
#include <optional>
#include <string_view>

namespace pipescope {

struct KernelVersion {
    std::string_view name = "6.18";
    int number = 618;              // 510 for 5.10, 618 for 6.18: for kernel{min=,max=} of a litmus case
    bool copy_before_insert = true; // 6.15: a slot is filled in after the copy, so none has length 0
    int tmp_pages = 2;             // spare pages a pipe keeps; one up to 6.14
    bool wake_on_freed_slot = true; // 6.14: readers wake a writer only when they freed a slot of a full ring
    bool poll_usage = true;        // 5.14: once polled, every write wakes readers
    bool test_before_requeue = true; // 6.15: a woken waiter tests first and leaves without queueing again
    bool anon_exclusive = true;    // 5.19: an exclusive anonymous page is written in place whatever its references
    bool thp_reuse_by_mapcount = false; // up to 5.17: a store into a huge page mapped once ignores the pipe's references
    bool huge_zero_replaced = true; // 6.18: a store into the huge zero page maps a whole huge page, before it split
    bool splice_pages = true;      // 6.5: pipe to socket by MSG_SPLICE_PAGES, 16 slots a message; before by sendpage
    bool dgram_peer_last = true;   // 6.14: a datagram without a peer is built first, and then refused
    bool zero_splice = true;       // 6.7: /dev/zero and /dev/full can be spliced
    bool setpipe_u32 = true;       // 6.6: the size argument is cut to 32 bits
    bool anon_prefix = true;       // 6.15: anon_pipe_write and anon_pipe_read
};

// "6.18", "5.10", …; nothing for a version the model does not know.
std::optional<KernelVersion> kernel_version(std::string_view name);
// What a running kernel's release ("6.16.12-amd64") has; the name is that of the newest known version not after it.
KernelVersion kernel_of_release(std::string_view release);
inline constexpr std::string_view kernel_versions[] = {"5.10", "5.15", "5.17", "6.1", "6.6", "6.12", "6.14", "6.18"};

} // namespace pipescope

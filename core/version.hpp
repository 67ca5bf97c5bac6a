// SPDX-License-Identifier: MIT
// What differs between kernel versions, as named features; version numbers are compared in version.cpp alone.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pipescope {

struct KernelVersion {
    std::string name = "6.18";          // as it was asked for, "5.15.24", and the features it would not have: "5.15+dirty-pipe"
    int number = 618;              // 510 for 5.10, 618 for 6.18: for kernel{min=,max=} of a litmus case
    int patch = 0;                      // of 5.15.24: 24; 0 for a series alone
    bool asked = false;                 // somebody named it; otherwise a scenario's own choice counts
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
    bool gup_grab_first = true;    // 6.13: the references of a huge leaf are taken before its pages are recorded
    bool hugetlb_dontneed = true;  // 5.18: MADV_DONTNEED of hugetlb memory
    bool pt_reclaim = true;        // 6.14: MADV_DONTNEED frees the page tables that it empties
    bool fork_copies_pinned = true; // 5.9: fork copies a page that may be pinned at once
    bool zero_splice = true;       // 6.7: /dev/zero and /dev/full can be spliced
    bool setpipe_u32 = true;       // 6.6: the size argument is cut to 32 bits
    bool mapped_dirty = true;      // 6.15: a writable entry of a dirty page of a file starts out dirty
    bool anon_prefix = true;       // 6.15: anon_pipe_write and anon_pipe_read
    bool sendfile_queues = true;        // 5.12: sendfile into a pipe queues the file's pages; before, it wrote copies of them
    bool hole_is_zero_page = true;      // 6.5: a hole of a file in memory is queued as the zero page
    bool hole_is_cached = false;        // up to 5.17: reading a hole gave it a page of the page cache
    bool pipe_nowait = true;            // 6.4: RWF_NOWAIT works on a pipe until it is spliced
    bool rwf_nosignal = true;           // 6.18: RWF_NOSIGNAL holds SIGPIPE back
    bool mprotect_writable = true;      // 6.0: mprotect makes entries of exclusive pages writable at once; before, the next store did
    bool inq_whole = false;             // 6.17, and 6.18 to its 15th release at least: FIONREAD of a stream counts what was read of its first buffer
    bool vmsplice_copies = false;       // proposed in 2026: vmsplice is a write or a read of the same memory
    // Bugs: on in the versions that had them, and by name in any other.
    bool dirty_pipe = false;             // a slot from a file keeps the flags of whoever had it before
    bool page_reuse_by_mapcount = false; // a store into a page mapped once ignores the pipe's references
    bool tee_refcount = false;           // a reference is taken whatever the count is, so it can wrap
    bool linked_merge = false;           // a slot stays mergeable where tee or a split made it a second view of a page
    bool one_slot = false;               // a user over the soft limit gets pipes of one slot
    bool torn_head_tail = false;         // pipe_writable reads head and tail one after the other
    bool herd = false;                   // one wait queue, everybody on it wakes
    bool waiting_writers = false;        // a read goes on while a writer sleeps
    bool resize_no_wake = false;         // F_SETPIPE_SZ wakes no writer
    bool resize_lost_wakeup = false;     // F_SETPIPE_SZ wakes writers before they may use the new slots
    bool close_wakes_one = false;        // the last close of a side wakes one sleeper

    bool operator==(const KernelVersion&) const = default;
};

// A bug or another difference that can be had by name on any version: "6.18+dirty-pipe".
struct KernelFeature {
    std::string_view name;
    bool KernelVersion::*field;
    bool value;               // what the field has where the feature is
    std::string_view kernels; // that had it
    std::string_view fix;     // the commit that ended it
    std::string_view does;
};
std::span<const KernelFeature> kernel_features();
bool has_feature(const KernelVersion& v, const KernelFeature& f);
const KernelFeature* kernel_feature(std::string_view name); // null: none of that name

// "6.18", a release of a known series ("5.15.24", "6.14-rc3", "6.18.44-generic"), "vmsplice-copy", and each with
// "+feature" as often as you like; nothing for what the model does not know. A series without a release is its last one.
std::optional<KernelVersion> kernel_version(std::string_view name);
// The same with a list of features as one word, "dirty-pipe+herd", which may be empty.
std::optional<KernelVersion> kernel_version(std::string_view base, std::string_view features);
// What a running kernel's release has, also one of a series that is not in the list.
KernelVersion kernel_of_release(std::string_view release);
// Whether a kernel, by its `uname -r`, has the flags of struct page at the bits that PageFlag names.
bool page_flags_as_modelled(std::string_view release);
inline constexpr std::string_view kernel_versions[] = {"5.10", "5.15", "5.17", "6.1", "6.6", "6.12", "6.14", "6.18"};
inline constexpr std::string_view vmsplice_copy_name = "vmsplice-copy";
// "--kernel 7.0: not a kernel the model knows …" without the first word: what was wrong, and every name that is known.
std::string unknown_kernel(std::string_view name);

} // namespace pipescope

// SPDX-License-Identifier: Dual MIT/GPL
// Stages inside a call, where functions may be attached to: the time that went into copying, allocating and waking.
#pragma once
#include "record_task.h"

static __always_inline int stage_begins(__u32 stage) {
    struct recorded_task* t = recorded_of(bpf_get_current_task_btf());
    if (t && t->in_call) t->stage_began[stage] = bpf_ktime_get_ns();
    return 0;
}
static __always_inline int stage_ends(__u32 stage) {
    struct recorded_task* t = recorded_of(bpf_get_current_task_btf());
    if (!t || !t->in_call || !t->stage_began[stage]) return 0;
    t->call.stage_ns[stage] += bpf_ktime_get_ns() - t->stage_began[stage];
    t->stage_began[stage] = 0;
    return 0;
}

// What the functions are called on this kernel the recorder sets before it loads the programs.
SEC("fentry/copy_page_from_iter") int copy_in_begins(void* ctx) { return stage_begins(stage_copy); }
SEC("fexit/copy_page_from_iter") int copy_in_ends(void* ctx) { return stage_ends(stage_copy); }
SEC("fentry/copy_page_to_iter") int copy_out_begins(void* ctx) { return stage_begins(stage_copy); }
SEC("fexit/copy_page_to_iter") int copy_out_ends(void* ctx) { return stage_ends(stage_copy); }
SEC("fentry/__alloc_pages_noprof") int alloc_begins(void* ctx) { return stage_begins(stage_alloc); }
SEC("fexit/__alloc_pages_noprof") int alloc_ends(void* ctx) { return stage_ends(stage_alloc); }
SEC("fentry/__wake_up_sync_key") int wake_begins(void* ctx) { return stage_begins(stage_wake); }
SEC("fexit/__wake_up_sync_key") int wake_ends(void* ctx) { return stage_ends(stage_wake); }

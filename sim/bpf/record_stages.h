// SPDX-License-Identifier: Dual MIT/GPL
// Stages inside a call, where functions may be attached to: the time that went into finding user pages, allocating and waking.
#pragma once
#include "record_task.h"

static __always_inline int stage_begins(__u32 stage) {
    struct recorded_task* t = recorded_current();
    if (t && t->in_call) t->stage_began[stage] = bpf_ktime_get_ns();
    return 0;
}
static __always_inline int stage_ends(__u32 stage) {
    struct recorded_task* t = recorded_current();
    if (!t || !t->in_call || !t->stage_began[stage]) return 0;
    t->call.stage_ns[stage] += bpf_ktime_get_ns() - t->stage_began[stage];
    t->stage_began[stage] = 0;
    return 0;
}

// What the functions are called on this kernel the recorder sets before it loads the programs. Those that copy cannot be
// attached to anywhere: lib/ is built without ftrace. What is left of a call's time is mostly theirs.
SEC("fentry/gup_fast_fallback") int gup_begins(void* ctx) { return stage_begins(stage_gup); }
SEC("fexit/gup_fast_fallback") int gup_ends(void* ctx) { return stage_ends(stage_gup); }
SEC("fentry/__alloc_pages_noprof") int alloc_begins(void* ctx) { return stage_begins(stage_alloc); }
SEC("fexit/__alloc_pages_noprof") int alloc_ends(void* ctx) { return stage_ends(stage_alloc); }
SEC("fentry/__wake_up_sync_key") int wake_begins(void* ctx) { return stage_begins(stage_wake); }
SEC("fexit/__wake_up_sync_key") int wake_ends(void* ctx) { return stage_ends(stage_wake); }

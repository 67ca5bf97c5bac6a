// SPDX-License-Identifier: Dual MIT/GPL
// What a struct page says of itself: its folio's head, order, flags and counts.
#pragma once
#include "kernel_types.h"
#include "shared.h"

static __always_inline __u32 folio_order_of(__u64 head, bool direct) {
    if (bpf_core_field_exists(struct folio___byte, _folio_order)) {
        const __u64 at = head + bpf_core_field_offset(struct folio___byte, _folio_order);
        return kernel_u32(at & ~3ull, direct) >> (at & 3) * 8 & 0xff;
    }
    if (bpf_core_field_exists(struct folio___word, _flags_1))
        return kernel_u32(head + bpf_core_field_offset(struct folio___word, _flags_1), direct) & 0xff;
    if (bpf_core_field_exists(struct page___small, compound_order)) {
        const __u64 at = head + bpf_core_type_size(struct page) + bpf_core_field_offset(struct page___small, compound_order);
        return kernel_u32(at & ~3ull, direct) >> (at & 3) * 8 & 0xff;
    }
    return 0;
}

// folio_mapcount(): mappings of any part. A page that carries a page_type in place of the count is not mapped.
static __always_inline __s32 mapcount_of(__u64 head, __u32 order, bool direct) {
    __u64 at = head + bpf_core_field_offset(struct page, _mapcount);
    if (order && bpf_core_field_exists(struct folio___large, _large_mapcount))
        at = head + bpf_core_field_offset(struct folio___large, _large_mapcount);
    const __s32 raw = (__s32)kernel_u32(at, direct);
    return raw < -1 ? 0 : raw + 1;
}

static __always_inline __u64 compound_head_of(__u64 page, bool direct) {
    const __u64 link = kernel_word(page + 8, direct); // compound_head: bit 0 says tail, the rest is the head's address,
    if (!(link & 1)) return page;
    return link >> 40 == 0xffffff ? page & link : link - 1; // or, from about 7.0 (compound_info), the mask that leads there
}

// Fills in what belongs to slot->page; the folio's head.
static __always_inline __u64 read_page(struct bpf_slot* slot, bool direct) {
    const __u64 head = compound_head_of(slot->page, direct);
    const __u64 flags = kernel_word(head, direct);
    const __u64 head_bit = 1ull << (bpf_core_enum_value(enum pageflags___head, PG_head___head) & 63);
    slot->page_flags = (__u32)flags;
    slot->order = folio_order_of(head, direct) & -(__u32)((flags & head_bit) / head_bit); // without branches, as above
    slot->tail = ((head ^ slot->page) | -(head ^ slot->page)) >> 63;
    slot->refcount = (__s32)kernel_u32(head + bpf_core_field_offset(struct page, _refcount), direct);
    return head;
}

// SPDX-License-Identifier: MIT
// Socket buffers: making, filling, queueing and freeing them, and their bytes as page fragments; after net/core/skbuff.c.
#include "core/kernel/kernel.hpp"
#include <bit>
#include <poll.h>

namespace pipescope {
namespace {

constexpr std::uint32_t shared_info = 320, sk_buff_size = 256; // bytes, aligned to a cache line: skb_shared_info, sk_buff
constexpr std::uint32_t frag_order = 3;                        // SKB_FRAG_PAGE_ORDER: 32 KiB
constexpr std::uint32_t frag_bytes = page_size << frag_order;

std::uint32_t skb_room(std::uint32_t linear) { // kmalloc's size for a linear part
    return std::bit_ceil(std::max(512u, ((linear + 63) & ~63u) + shared_info));
}

} // namespace

// sock_alloc_send_pskb once there is room: a linear part, then the fewest fragments of up to 32 KiB each. The sender is
// charged for what was allocated.
Skb Kernel::skb_alloc(TaskId me, SockId owner, std::uint32_t linear, std::uint32_t data_len) {
    Skb skb;
    skb.owner = owner;
    skb.linear = linear;
    skb.truesize = skb_room(linear) + sk_buff_size;
    if (linear) skb.head = alloc_pages(me, static_cast<std::uint32_t>(std::countr_zero(std::bit_ceil(std::max(linear, page_size)) >> page_shift)), PageOwner::socket);
    for (std::uint32_t order = frag_order; data_len;) {
        while (order && ((data_len + page_size - 1) & ~(page_size - 1)) < page_size << order) --order;
        const std::uint32_t size = std::min(data_len, page_size << order);
        skb.frags.push_back({alloc_pages(me, order, PageOwner::socket), 0, size});
        skb.truesize += page_size << order;
        data_len -= size;
    }
    emit(EventKind::sock_wmem, me, no_id, owner, skb.truesize);
    return skb;
}

void Kernel::skb_charge(TaskId me, Skb& skb, std::uint32_t bytes) {
    skb.truesize += bytes;
    emit(EventKind::sock_wmem, me, no_id, skb.owner, bytes);
}

// kfree_skb and its destructor sock_wfree: the sender gets its room back, and is woken once a quarter of it is in use.
void Kernel::skb_free(TaskId me, const Skb& skb) {
    if (skb.head != no_page) put_page(me, skb.head);
    for (const SkFrag& f : skb.frags) put_page(me, f.page);
    emit(EventKind::sock_wmem, me, no_id, skb.owner, 0u - skb.truesize);
    const Socket& k = s.sockets[skb.owner];
    if (!k.dead && (std::uint64_t{k.wmem} + 2) * 4 <= k.sndbuf) sock_wake(me, skb.owner, POLLOUT);
}

bool Kernel::skb_copy_from_iter(TaskId me, const Skb& skb, IovIter& from) {
    const auto fill = [&](PageId page, std::uint32_t offset, std::uint32_t n) {
        while (n) {
            const std::uint32_t at = offset & (page_size - 1), part = std::min(n, page_size - at);
            if (copy_page_from_iter(me, nth_page(page, offset), at, part, from) < part) return false;
            offset += part, n -= part;
        }
        return true;
    };
    if (!fill(skb.head, 0, skb.linear)) return false;
    for (const SkFrag& f : skb.frags)
        if (!fill(f.page, f.offset, f.size)) return false;
    return true;
}

// skb_copy_datagram_iter: n bytes from `skip` on; false when the memory gave out, some of it written by then.
bool Kernel::skb_copy_to_iter(TaskId me, const Skb& skb, std::uint32_t skip, std::uint32_t n, IovIter& to) {
    const auto part = [&](PageId page, std::uint32_t offset, std::uint32_t size) {
        if (skip >= size) {
            skip -= size;
            return true;
        }
        const std::uint32_t k = std::min(n, size - skip);
        const std::uint32_t got = k ? copy_page_to_iter(me, page, offset + skip, k, to) : 0;
        skip = 0, n -= k;
        return got == k;
    };
    if (!part(skb.head, 0, skb.linear)) return false;
    for (const SkFrag& f : skb.frags)
        if (!part(f.page, f.offset, f.size)) return false;
    return true;
}

void Kernel::copy_pages(TaskId me, PageId from, std::uint32_t from_offset, PageId to, std::uint32_t to_offset, std::uint32_t n) {
    while (n) {
        const std::uint32_t a = from_offset & (page_size - 1), b = to_offset & (page_size - 1), k = std::min({n, page_size - a, page_size - b});
        emit(EventKind::copy, me, no_id, nth_page(from, from_offset), nth_page(to, to_offset), k, a, b);
        from_offset += k, to_offset += k, n -= k;
    }
}

// The bytes of a buffer from `at` on, piece by piece: f(page, offset, bytes).
template <class F> static void each_piece(const Skb& skb, std::uint32_t at, std::uint32_t n, F f) {
    const auto part = [&](PageId page, std::uint32_t offset, std::uint32_t size) {
        const std::uint32_t skip = std::min(at, size), k = std::min(n, size - skip);
        if (k) f(page, offset + skip, k);
        at -= skip, n -= k;
    };
    part(skb.head, 0, skb.linear);
    for (const SkFrag& g : skb.frags) part(g.page, g.offset, g.size);
}

void Kernel::skb_store(TaskId me, const Skb& skb, std::uint32_t at, SkFrag from) {
    each_piece(skb, at, from.size, [&](PageId page, std::uint32_t offset, std::uint32_t n) {
        copy_pages(me, from.page, from.offset, page, offset, n);
        from.offset += n;
    });
}

void Kernel::skb_load(TaskId me, const Skb& skb, std::uint32_t at, PageId to, std::uint32_t n) {
    std::uint32_t done = 0;
    each_piece(skb, at, n, [&](PageId page, std::uint32_t offset, std::uint32_t k) {
        copy_pages(me, page, offset, to, done, k);
        done += k;
    });
}

void Kernel::skb_queue_tail(TaskId me, SockId to, const Skb& skb) {
    emit(EventKind::skb_queue, me, no_id, to, skb.head, skb.linear, skb.truesize, skb.owner);
    for (const SkFrag& f : skb.frags) emit(EventKind::skb_frag, me, no_id, to, f.page, f.size, f.offset);
}

// skb_append_pagefrags: by reference, a page at most; neighbours of one page become one fragment. False: no room.
bool Kernel::skb_append_pagefrag(TaskId me, Skb& skb, PageId page, std::uint32_t offset, std::uint32_t n) {
    if (!skb.frags.empty() && skb.frags.back().page == page && skb.frags.back().offset + skb.frags.back().size == offset) {
        skb.frags.back().size += n;
        return true;
    }
    if (skb.frags.size() >= max_skb_frags) return false;
    get_page(me, page);
    skb.frags.push_back({page, offset, n});
    return true;
}

// linear_to_page: the linear part of a buffer is copied behind what the task copied so before, into 32 KiB of its own.
PageId Kernel::linear_to_page(TaskId me, PageId head, std::uint32_t& offset, std::uint32_t& len) {
    PageFrag frag = s.tasks[me].frag;
    if (frag.page != no_page && page_count(frag.page) == 1) { // nobody refers to it any more: from the start again
        frag.offset = 0;
    } else if (frag.page == no_page || frag.offset + 32 > frag_bytes) {
        if (frag.page != no_page) put_page(me, frag.page);
        frag = {alloc_pages(me, frag_order, PageOwner::socket), 0};
    }
    len = std::min(len, frag_bytes - frag.offset);
    copy_pages(me, head, offset, frag.page, frag.offset, len);
    offset = frag.offset;
    emit(EventKind::page_frag, me, no_id, 0, frag.page, frag.offset + len);
    return frag.page;
}

// skb_splice_bits and splice_to_pipe: at most 17 pieces, neighbours in one page joined; what finds no slot is dropped.
Co<long> Kernel::skb_splice_bits(TaskId me, PipeId pipe, const Skb& skb, std::uint32_t skip, std::uint32_t len) {
    FnScope fn(*this, me, Fn::skb_splice_bits);
    std::vector<SkFrag> spd; // splice_pipe_desc
    const auto add = [&](PageId page, std::uint32_t offset, std::uint32_t size, bool linear) { // __splice_segment
        if (skip >= size) {
            skip -= size;
            return;
        }
        offset += skip, size -= skip, skip = 0;
        while (len && size) {
            if (spd.size() == max_skb_frags) {
                len = 0;
                return;
            }
            std::uint32_t n = std::min(len, size), at = offset;
            const PageId from = linear ? linear_to_page(me, page, at, n) : page;
            if (!spd.empty() && spd.back().page == from && spd.back().offset + spd.back().size == at) {
                spd.back().size += n;
            } else {
                get_page(me, from);
                spd.push_back({from, at, n});
            }
            offset += n, size -= n, len -= n;
        }
    };
    co_await stage(me, Stage::q_frags, pipe, {.c = len});
    add(skb.head, 0, skb.linear, true);
    for (const SkFrag& f : skb.frags) add(f.page, f.offset, f.size, false);
    long ret = 0;
    std::size_t used = 0;
    for (; used < spd.size() && !pipe_at(pipe).full(); ++used) {
        const SkFrag f = spd[used];
        const std::uint32_t head = pipe_at(pipe).head, slot = pipe_at(pipe).slot(head);
        co_await stage(me, Stage::q_add, pipe, {.a = slot, .b = f.page, .c = f.size, .x = head + 1, .y = f.offset});
        buf_set(me, pipe, slot, {f.page, f.offset, f.size, 0, BufOps::nosteal});
        emit(EventKind::head_set, me, pipe, head + 1);
        ret += f.size;
    }
    for (std::size_t i = used; i < spd.size(); ++i) put_page(me, spd[i].page);
    co_return ret ? ret : -EAGAIN;
}

} // namespace pipescope

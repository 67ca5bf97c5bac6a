// SPDX-License-Identifier: MIT
// FOLL_PIN: pages held for a device, as direct I/O and io_uring's registered buffers hold them; after mm/gup.c.
#include "core/kernel/kernel.hpp"
#include "core/mm/walk.hpp"
#include <algorithm>

namespace pipescope {

// folio_maybe_dma_pinned, asked only in an address space that has ever held: a thousand plain references look the same.
bool Kernel::maybe_dma_pinned(MmId mm, PageId page) const {
    if (mm >= has_pinned_.size() || !has_pinned_[mm]) return false;
    const Page& head = s.pages[s.pages[page].compound_head];
    return head.order ? head.pincount > 0 : head.refcount >= gup_pin_counting_bias;
}

long Kernel::pin_user_pages(TaskId me, std::uint64_t addr, std::uint64_t len, bool write) {
    const MmId mm = s.tasks[me].mm;
    if (len == 0 || addr >= task_size() || len > task_size() - addr) return -EFAULT;
    has_pinned_.resize(s.mms.size());
    has_pinned_[mm] = true;
    Pinned held{mm, addr, len, {}};
    long got = 0;
    for (std::uint64_t at = addr & ~std::uint64_t{page_size - 1}; at < addr + len;) {
        bool ready = false;
        Walk w;
        for (int tries = 0; tries < 3 && !ready; ++tries) {
            w = walk(s, mm, at);
            const Vma* const v = find_vma(mm, at);
            if (!v) break;
            if (!w.present || !(w.leaf().entry & PTE_US) || (write && !(w.leaf().entry & PTE_RW))) {
                if (fault(me, at, write) != 0) break;
                continue;
            }
            // What is only read is made the process's own first: a later store must not give it another page than the device has.
            const PageId own = w.order ? s.pages[w.page].compound_head : w.page;
            ready = write || !version.anon_exclusive || (w.leaf().entry & PTE_SPECIAL) || (v->flags & VMA_SHARED) || (s.pages[own].flags & PG_anon_exclusive);
            if (ready) break;
            if (hugetlb_order(v->flags)) hugetlb_fault(me, *v, at, false, true);
            else wp_fault(me, *v, at, true);
        }
        if (!ready) break;
        const std::uint64_t stop = std::min(addr + len, w.next(at));
        const auto n = static_cast<std::uint32_t>((stop - at + page_size - 1) >> page_shift);
        if (!(w.leaf().entry & PTE_SPECIAL)) { // the zero page is not counted
            emit(EventKind::page_pin, me, no_id, w.page, n);
            held.pages.emplace_back(w.page, n);
        }
        got += n;
        at = w.next(at);
    }
    const bool all = got == static_cast<long>((addr + len + page_size - 1) / page_size - addr / page_size);
    pinned_.push_back(std::move(held));
    if (all) return got;
    unpin_user_pages(me, addr, len); // registering a buffer takes all of it or nothing
    return -EFAULT;
}

long Kernel::unpin_user_pages(TaskId me, std::uint64_t addr, std::uint64_t len) {
    const auto it =
        std::find_if(pinned_.rbegin(), pinned_.rend(), [&](const Pinned& p) { return p.mm == s.tasks[me].mm && p.addr == addr && p.len == len; });
    if (it == pinned_.rend()) return -EINVAL;
    long n = 0;
    for (const auto& [page, count] : it->pages) {
        emit(EventKind::page_pin, me, no_id, page, 0u - count);
        if (const PageId head = s.pages[page].compound_head; s.pages[head].refcount == 0) emit(EventKind::page_free, me, no_id, head);
        n += count;
    }
    pinned_.erase(std::next(it).base());
    return n;
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// A position in a list of user memory segments, after struct iov_iter.
#pragma once
#include "core/call.hpp"
#include <algorithm>

namespace pipescope {

struct IovIter {
    const IoVec* seg = nullptr;
    std::size_t segs = 0;
    std::uint64_t offset = 0; // into the current segment
    std::uint64_t count = 0;  // bytes left in all
    bool bvec = false;        // after struct bio_vec: the addresses are page << page_shift | offset, not a program's

    IovIter() = default;
    IovIter(const std::vector<IoVec>& v, std::uint64_t limit) : seg(v.data()), segs(v.size()) {
        for (const IoVec& i : v) count += std::min(i.len, limit - std::min(limit, count));
        skip_empty();
    }
    std::uint64_t addr() const { return seg->addr + offset; }
    std::uint64_t seg_left() const { return segs ? std::min(seg->len - offset, count) : 0; }
    void advance(std::uint64_t n) {
        while (n && segs) {
            const std::uint64_t k = std::min(n, seg_left());
            offset += k, count -= k, n -= k;
            skip_empty();
            if (!k) break;
        }
    }

private:
    void skip_empty() {
        while (segs && offset == seg->len) ++seg, --segs, offset = 0;
    }
};

// import_iovec: 0, or -errno. The buffer of a plain read or write is no list: its length is asked about after its address.
inline long import_iovec(const std::vector<IoVec>& v, bool list, std::uint64_t task_size) {
    if (v.size() > uio_maxiov) return -EINVAL;
    if (list)
        for (const IoVec& i : v)
            if (static_cast<std::int64_t>(i.len) < 0) return -EINVAL;
    for (const IoVec& i : v) // access_ok
        if (i.addr >= task_size + page_size || i.len > task_size + page_size - i.addr) return -EFAULT;
    return 0;
}

} // namespace pipescope

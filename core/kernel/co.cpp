// SPDX-License-Identifier: MIT
// The free lists that coroutine frames come from.
#include "core/kernel/co.hpp"
#include <array>
#include <new>

namespace pipescope {
namespace {

constexpr std::size_t grain = 64, classes = 64; // frames up to 4 KiB are pooled

struct FreeFrame {
    FreeFrame* next;
};
struct Pool {
    std::array<FreeFrame*, classes> lists{};
    ~Pool() {
        for (FreeFrame* f : lists)
            while (f) {
                FreeFrame* next = f->next;
                ::operator delete(f);
                f = next;
            }
    }
};
thread_local Pool pool;

} // namespace

void* frame_alloc(std::size_t bytes) {
    const std::size_t c = (bytes + grain - 1) / grain;
    if (c >= classes) return ::operator new(bytes);
    if (FreeFrame* f = pool.lists[c]) {
        pool.lists[c] = f->next;
        return f;
    }
    return ::operator new(c * grain);
}

void frame_free(void* p, std::size_t bytes) {
    const std::size_t c = (bytes + grain - 1) / grain;
    if (c >= classes) {
        ::operator delete(p);
        return;
    }
    auto* f = static_cast<FreeFrame*>(p);
    f->next = pool.lists[c];
    pool.lists[c] = f;
}

} // namespace pipescope

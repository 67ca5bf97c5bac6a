// SPDX-License-Identifier: MIT
// Pinned memory on the live kernel: a buffer registered with io_uring is held with FOLL_PIN until it is unregistered.
#include "sim/scenario/kernel_backend.hpp"
#include <cerrno>
#include <linux/io_uring.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace pipescope {
namespace {

long ring_register(int fd, unsigned what, const iovec* v, unsigned n) {
    return ::syscall(SYS_io_uring_register, static_cast<long>(fd), static_cast<unsigned long>(what), v, static_cast<unsigned long>(n));
}

} // namespace

// Registered buffers are there to be written: there is no other kind of pin to be had without a device.
long KernelBackend::pin_pages(TaskId t, std::uint64_t addr, std::uint64_t len, bool write) {
    if (!runners_[t].worker || !write) return -ENOSYS;
    return runners_[t].worker->call([&]() -> long {
        io_uring_params params{};
        const int fd = static_cast<int>(::syscall(SYS_io_uring_setup, 1UL, &params));
        if (fd < 0) return -ENOSYS;
        const iovec v{reinterpret_cast<void*>(addr), len};
        if (ring_register(fd, IORING_REGISTER_BUFFERS, &v, 1) < 0) {
            const int e = errno;
            ::close(fd);
            return e == EPERM || e == ENOMEM ? -ENOSYS : -e;
        }
        pins_.push_back({addr, len, fd});
        return static_cast<long>((addr + len + page_size - 1) / page_size - addr / page_size);
    });
}

long KernelBackend::unpin_pages(TaskId t, std::uint64_t addr, std::uint64_t len) {
    if (!runners_[t].worker) return -ENOSYS;
    return runners_[t].worker->call([&]() -> long {
        for (std::size_t i = pins_.size(); i-- > 0;) {
            if (pins_[i].addr != addr || pins_[i].len != len) continue;
            ring_register(pins_[i].ring, IORING_UNREGISTER_BUFFERS, nullptr, 0);
            ::close(pins_[i].ring);
            pins_.erase(pins_.begin() + static_cast<std::ptrdiff_t>(i));
            return static_cast<long>((addr + len + page_size - 1) / page_size - addr / page_size);
        }
        return -EINVAL;
    });
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// How many calls the model does a second on one core: bare, observed, and stopping at every stage.
#include "core/kernel/kernel.hpp"
#include "sim/timeline.hpp"
#include <chrono>
#include <cstdio>
#include <memory>

using namespace pipescope;

namespace {

struct Rig {
    std::unique_ptr<EventSink> sink;
    std::unique_ptr<Kernel> kernel;
    TaskId task = 0;
    Call write, read;

    explicit Rig(bool keep) : sink(keep ? static_cast<EventSink*>(new Timeline) : new BareSink), kernel(new Kernel(*sink, *kernel_version("6.18"))) {
        Kernel& k = *kernel;
        const MmId mm = k.mm_new();
        task = k.task_new(0, mm, k.fdtable_new(), 1, 0);
        int fds[2];
        k.pipe_new(task, 64, 0, 0, fds);
        const auto memory = [&] {
            const std::uint64_t a = k.mmap(task, 1 << 18, VMA_READ | VMA_WRITE, page_size);
            for (std::uint64_t i = 0; i < 64; ++i) k.fault(task, a + i * page_size, true);
            return a;
        };
        write.nr = Sys::write, write.fd = fds[1], write.iov = {{memory(), 1 << 18}};
        read.nr = Sys::read, read.fd = fds[0], read.iov = {{memory(), 1 << 18}};
    }
    long go(const Call& c) {
        Thread t;
        auto co = kernel->syscall(task, c);
        co.start(t);
        while (!t.done()) t.run();
        return co.result();
    }
};

double seconds_since(std::chrono::steady_clock::time_point t) { return std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count(); }

void measure(const char* name, bool observe, bool stop, bool keep, int rounds) {
    Rig r(keep);
    r.kernel->observe = observe;
    r.kernel->stop_at_stages = stop;
    double writing = 0;
    for (int i = 0; i < rounds; ++i) {
        const auto t = std::chrono::steady_clock::now();
        r.go(r.write);
        writing += seconds_since(t);
        r.go(r.read);
    }
    std::printf("%-28s %9.0f pipe_writes of 64 pages a second", name, rounds / writing);
    r.write.iov[0].len = r.read.iov[0].len = 8;
    const auto t = std::chrono::steady_clock::now();
    for (int i = 0; i < rounds * 8; ++i) r.go(r.write), r.go(r.read);
    std::printf("  %6.2f M calls of 8 bytes a second\n", rounds * 16 / seconds_since(t) / 1e6);
}

} // namespace

int main() {
    measure("bare", false, false, false, 20000);
    measure("observed", true, false, false, 20000);
    measure("stopping at every stage", true, true, false, 20000);
    measure("into a timeline, stopping", true, true, true, 500);
}

// SPDX-License-Identifier: MIT
// Tasks, objects and waiting on the live kernel.
#include "sim/scenario/kernel_backend.hpp"
#include "sim/scenario/not_here.hpp"
#include <cerrno>
#include <fcntl.h>
#include <sched.h>
#include <thread>
#include <unistd.h>

namespace pipescope {

KernelBackend::KernelBackend(RingReader* shared) : reader_(shared), fds_(3, -1) {
    cpu_set_t set;
    CPU_ZERO(&set);
    ::sched_getaffinity(0, sizeof set, &set);
    for (int i = 0; i < CPU_SETSIZE; ++i)
        if (CPU_ISSET(static_cast<unsigned>(i), &set)) cpus_.push_back(i);
    if (cpus_.empty()) cpus_.push_back(0);
    if (cpus_.size() > 1) { // the one that watches is not to disturb those it watches
        CPU_CLR(static_cast<unsigned>(cpus_[0]), &set);
        ::sched_setaffinity(0, sizeof set, &set);
    }
    catch_worker_signals();
    if (!reader_) {
        own_reader_ = RingReader::open(unknown_);
        reader_ = own_reader_.get();
        if (!reader_ && unknown_.empty()) unknown_ = "the kernel's ring cannot be read here";
    }
    if (reader_ && !reader_->facts().vmemmap) {
        reader_ = nullptr;
        unknown_ = "page frame numbers may not be read here";
    }
    if (unknown_.empty() && !memory_.model_addresses()) unknown_ = "the addresses that the model uses are taken in this process";
    task_new("main", -1);
}

KernelBackend::~KernelBackend() {
    runners_.clear();
    for (const int fd : fds_)
        if (fd >= 0) ::close(fd);
}

std::string KernelBackend::unusable() const {
    if (!memory_.usable()) return "no address space to be had for the case's buffers";
    return runners_[0].worker->blind();
}

TaskId KernelBackend::task_new(const std::string&, int cpu) {
    const std::size_t n = cpu < 0 ? 0 : static_cast<std::size_t>(cpu) % cpus_.size();
    runners_.push_back({std::make_unique<KernelWorker>(cpus_[n])});
    return static_cast<TaskId>(runners_.size() - 1);
}

int KernelBackend::real(int fd) const {
    const std::lock_guard lock(fds_mutex_);
    return fd >= 0 && static_cast<std::size_t>(fd) < fds_.size() ? fds_[static_cast<std::size_t>(fd)] : -1;
}

int KernelBackend::install(int real_fd) {
    const std::lock_guard lock(fds_mutex_);
    std::size_t n = 3;
    while (n < fds_.size() && fds_[n] >= 0) ++n;
    if (n == fds_.size()) fds_.push_back(-1);
    fds_[n] = real_fd;
    return static_cast<int>(n);
}

long KernelBackend::close_fd(int fd) {
    int real_fd = -1;
    {
        const std::lock_guard lock(fds_mutex_);
        if (fd >= 3 && static_cast<std::size_t>(fd) < fds_.size()) std::swap(real_fd, fds_[static_cast<std::size_t>(fd)]);
    }
    return ::close(real_fd) < 0 ? -errno : 0;
}

std::array<int, 2> KernelBackend::pipe_new(TaskId t, const PipeOptions& o) {
    std::array<int, 2> fds{};
    const long r = runners_[t].worker->call([&]() -> long {
        int p[2];
        if (::pipe2(p, O_CLOEXEC | (o.nonblock ? O_NONBLOCK : 0) | (o.packet ? O_DIRECT : 0)) < 0) return -errno;
        if (o.slots != pipe_def_buffers && ::fcntl(p[1], F_SETPIPE_SZ, static_cast<int>(o.slots * page_size)) < 0) {
            const int e = errno;
            ::close(p[0]), ::close(p[1]);
            return -e;
        }
        fds = {install(p[0]), install(p[1])};
        return 0;
    });
    if (r < 0) fds = {static_cast<int>(r), static_cast<int>(r)};
    return fds;
}

Memory KernelBackend::buffer_new(TaskId t, const BufferOptions& o) {
    Memory m;
    std::optional<NotHere> lack; // an exception stays on its thread
    runners_[t].worker->call([&] {
        try {
            m = memory_.buffer(o);
        } catch (const NotHere& e) {
            lack = e;
        }
        return 0L;
    });
    if (lack) throw *lack;
    return m;
}

int KernelBackend::open_null(TaskId t) {
    return static_cast<int>(runners_[t].worker->call([&]() -> long {
        const int fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
        return fd < 0 ? -errno : install(fd);
    }));
}

void KernelBackend::start(TaskId t, const Call& c) {
    runners_[t].due = true;
    runners_[t].worker->start([this, c] { return perform(c); });
}

// Everybody has finished or sleeps in the kernel once two rounds of looks saw the same: whoever slept in both, without
// having slept anew in between, slept the whole time, so between the rounds nobody was left who could wake anybody.
void KernelBackend::settle() {
    std::vector<KernelWorker::Look> before;
    for (int round = 0;; ++round) {
        std::vector<KernelWorker::Look> now;
        bool settled = true, any = false;
        for (const Runner& r : runners_) {
            now.push_back({});
            if (!r.worker->busy()) continue;
            any = true;
            if (round < 200) { // nearly every call is over within microseconds: no need to ask the kernel
                settled = false;
                continue;
            }
            now.back() = r.worker->look();
            if (!now.back().asleep) settled = false;
        }
        if (!any || (settled && now == before)) return;
        before = settled ? std::move(now) : std::vector<KernelWorker::Look>{};
        if (round >= 200) std::this_thread::sleep_for(std::chrono::microseconds(round < 1000 ? 10 : 500));
        else std::this_thread::yield();
    }
}

std::optional<long> KernelBackend::finished(TaskId t) {
    Runner& r = runners_[t];
    if (!r.due || r.worker->busy()) return std::nullopt;
    r.due = false;
    return r.worker->result();
}

bool KernelBackend::store(TaskId t, std::uint64_t addr, std::span<const std::uint8_t> bytes) {
    return runners_[t].worker->call([&] { return static_cast<long>(memory_.store(addr, bytes)); }) != 0;
}

bool KernelBackend::load(TaskId t, std::uint64_t addr, std::span<std::uint8_t> bytes) {
    return runners_[t].worker->call([&] { return static_cast<long>(memory_.load(addr, bytes)); }) != 0;
}

Memory KernelBackend::scratch(TaskId t, std::uint64_t len) {
    Memory m;
    runners_[t].worker->call([&] { return m = memory_.scratch(t, len), 0L; });
    return m;
}

std::uint32_t KernelBackend::take_signals(TaskId t) { return runners_[t].worker->take_signals(); }

} // namespace pipescope

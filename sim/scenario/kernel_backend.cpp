// SPDX-License-Identifier: MIT
// Tasks, descriptors and waiting on the live kernel.
#include "sim/scenario/kernel_backend.hpp"
#include <cerrno>
#include <sched.h>
#include <sys/resource.h>
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
    // Between any two calls it has to be scheduled: on a busy machine that is most of a case's time.
    ::setpriority(PRIO_PROCESS, 0, -10); // where it is permitted; to this thread alone
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
    for (const int fd : epolls_) ::close(fd);
    for (const int fd : fds_)
        if (fd >= 0) ::close(fd);
}

std::string KernelBackend::unusable() const {
    if (!memory_.usable()) return "no address space to be had for the case's buffers";
    return runners_[0].worker->blind();
}

TaskId KernelBackend::task_new(const std::string&, int cpu) {
    const std::size_t n = cpu < 0 ? 0 : static_cast<std::size_t>(cpu) % cpus_.size();
    runners_.push_back({.worker = std::make_unique<KernelWorker>(cpus_[n]), .child = nullptr});
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

void KernelBackend::start(TaskId t, const Call& c) {
    Runner& r = runners_[t];
    r.due = true;
    if (r.child) r.child->start(c);
    else r.worker->start([this, c] { return perform(c); });
}

long KernelBackend::ask(TaskId t, KernelJob job, KernelOrder& o) {
    Runner& r = runners_[t];
    return r.child ? r.child->ask(job, o) : r.worker->call([&] { return job(*this, t, o); });
}

TaskId KernelBackend::fork_task(TaskId parent, const std::string&) {
    if (!runners_[parent].worker) return no_id; // a copy of a copy is not offered
    const auto id = static_cast<TaskId>(runners_.size());
    auto child = std::make_unique<KernelChild>();
    const bool done = runners_[parent].worker->call([&] { return long{child->fork(*this, id, [this](const Call& c) { return perform(c); })}; });
    if (!done) return no_id;
    runners_.push_back({.worker = nullptr, .child = std::move(child)});
    return id;
}

void KernelBackend::exit_task(TaskId t) {
    if (runners_[t].child) runners_[t].child->exit();
    settle();
}

void KernelBackend::kill(TaskId t, int sig) {
    if (runners_[t].child) runners_[t].child->signal(sig);
    else runners_[t].worker->signal(sig);
    settle();
}

// Everybody has finished or sleeps in the kernel once two rounds of looks saw the same: whoever slept in both, without
// having slept anew in between, slept the whole time, so between the rounds nobody was left who could wake anybody.
void KernelBackend::settle() {
    std::vector<KernelEye::Look> before;
    for (int round = 0;; ++round) {
        std::vector<KernelEye::Look> now;
        bool settled = true, any = false;
        for (const Runner& r : runners_) {
            now.push_back({});
            if (!r.busy()) continue;
            any = true;
            if (round < 200) { // nearly every call is over within microseconds: no need to ask the kernel
                settled = false;
                continue;
            }
            now.back() = r.look();
            if (!now.back().asleep) settled = false;
        }
        if (!any || (settled && now == before)) return;
        before = settled ? std::move(now) : std::vector<KernelEye::Look>{};
        if (round >= 200) std::this_thread::sleep_for(std::chrono::microseconds(round < 1000 ? 10 : 500));
        else std::this_thread::yield();
    }
}

std::optional<long> KernelBackend::finished(TaskId t) {
    Runner& r = runners_[t];
    if (!r.due || r.busy()) return std::nullopt;
    r.due = false;
    return r.result();
}

} // namespace pipescope

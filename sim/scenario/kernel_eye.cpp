// SPDX-License-Identifier: MIT
// A thread's state, its system call and its count of sleeps, read from /proc.
#include "sim/scenario/kernel_eye.hpp"
#include <cstdlib>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace pipescope {
namespace {

std::string contents(int fd, std::size_t size) {
    std::string text(size, '\0');
    const ssize_t n = fd >= 0 ? ::pread(fd, text.data(), size, 0) : -1;
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return text;
}

} // namespace

KernelEye::KernelEye(int pid, int tid) {
    const std::string folder = "/proc/" + std::to_string(pid) + "/task/" + std::to_string(tid) + "/";
    const auto open = [&](const char* name) { return ::open((folder + name).c_str(), O_RDONLY | O_CLOEXEC); };
    stat_ = open("stat"), status_ = open("status"), syscall_ = open("syscall"), wchan_ = open("wchan");
}

KernelEye& KernelEye::operator=(KernelEye&& o) noexcept {
    std::swap(stat_, o.stat_), std::swap(status_, o.status_), std::swap(syscall_, o.syscall_), std::swap(wchan_, o.wchan_);
    return *this;
}

KernelEye::~KernelEye() {
    for (const int fd : {stat_, status_, syscall_, wchan_})
        if (fd >= 0) ::close(fd);
}

std::string KernelEye::blind() const {
    if (!contents(syscall_, 32).empty()) return "";
    const std::string where = contents(wchan_, 64);
    if (!where.empty() && where != "0") return "";
    return "whether a thread sleeps in a call cannot be seen here: /proc/self/task/TID/syscall and wchan tell nothing";
}

KernelEye::Look KernelEye::look() const {
    Look out;
    const std::string stat = contents(stat_, 512);
    const std::size_t paren = stat.rfind(')'); // the name before it may hold anything
    if (paren == std::string::npos || paren + 2 >= stat.size() || (stat[paren + 2] != 'S' && stat[paren + 2] != 'D')) return out; // D: for a mutex
    // Asleep, but not where it waits for its next job.
    if (const std::string call = contents(syscall_, 64); !call.empty()) {
        if (call[0] < '0' || call[0] > '9') return out; // "running"
        if (std::atol(call.c_str()) == SYS_futex) return out;
    } else {
        const std::string where = contents(wchan_, 64);
        if (where.find("pipe") == std::string::npos && where.find("poll") == std::string::npos && where.find("partner") == std::string::npos && where.find("sock") == std::string::npos && where.find("unix") == std::string::npos && where.find("mutex") == std::string::npos) return out; // an opener of a FIFO
    }
    const std::string status = contents(status_, 4096);
    const std::size_t at = status.find("\nvoluntary_ctxt_switches:");
    if (at != std::string::npos) out.switches = std::strtoull(status.c_str() + at + 25, nullptr, 10);
    out.asleep = true;
    return out;
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// A process of its own for what runs on the live kernel: what goes wrong there stays there.
#pragma once
#include <functional>
#include <memory>
#include <string>

namespace pipescope {

class RingReader;
// Opening one takes most of the time of a short case: all processes share it, one at a time. Null where rings are not to be read.
RingReader* shared_ring_reader();

// A copy of this process that works only when it is asked to, an answer at a time, and lives on in between. It is ended with
// the thread that starts it.
class KernelProcess {
public:
    using Work = std::function<std::string()>; // gives an answer, of one line
    // `begin` runs in the copy and gives what then makes each answer. Null with `error` where there can be no copy.
    static std::unique_ptr<KernelProcess> start(const std::function<Work()>& begin, std::string& error);
    ~KernelProcess(); // it ends, with its threads that still sleep in the kernel
    KernelProcess(const KernelProcess&) = delete;
    KernelProcess& operator=(const KernelProcess&) = delete;

    bool ask(); // for one more answer, when none is due; false: it is gone, which take() explains
    enum class Got { answer, nothing_yet, gone };
    Got take(int wait_ms, std::string& answer, std::string& why_gone);
    int pid() const { return pid_; }

private:
    KernelProcess(int pid, int line) : pid_(pid), line_(line) {}
    std::string end(int grace_ms); // how it ended
    int pid_, line_;
    std::string text_; // received, up to the end of an answer
};

// Runs `job` in such a copy and gives what it returned; nothing with `error` when it did not come to its end in time.
std::string in_own_process(const std::function<std::string()>& job, int limit_ms, std::string& error);

} // namespace pipescope

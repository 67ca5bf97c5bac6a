// SPDX-License-Identifier: MIT
// A program of somebody else, started and held before its first instruction until it is recorded, or one that runs already.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace pipescope {

class Command {
public:
    // A child that waits to become this program. Nothing with `error`, one sentence that names it, when there is no such
    // program to be had. Its descriptors, signals, group and terminal are this process's.
    static std::unique_ptr<Command> start(const std::vector<std::string>& argv, std::string& error);
    // The same of this program's own: the child runs `job`, whose result is its exit status, and ends with this process.
    static std::unique_ptr<Command> start(const std::function<int()>& job, const std::string& text, std::string& error);
    static std::unique_ptr<Command> attach(pid_t pid, std::string& error);
    ~Command(); // a child that was never let go ends; everything else goes on as it is

    bool go(std::string& error); // open_gate() and became()
    void open_gate();
    bool became(std::string& error); // waits until it is the program; false when it could not become it after all
    bool running();
    bool own() const { return own_; }
    bool started() const { return gate_ < 0; }
    pid_t pid() const { return pid_; }
    void ended(int wait_status); // somebody else waited for it
    int status() const { return status_; } // its exit status once it has ended, 128 and more for a signal; 0 for one attached to
    const std::string& text() const { return text_; } // as typed, quoted where a shell would need it

private:
    Command() = default;
    bool fork(const std::function<void(int fault)>& become, std::string& error); // `become` does not return; `fault` takes an errno
    pid_t pid_ = -1;
    bool own_ = false, ended_ = false;
    int gate_ = -1, fault_ = -1; // a socket: 1 lets it go, 0 ends it; and a pipe that tells the errno of exec
    int status_ = 0;
    std::string text_;
};

// Threads of a process, itself among them, and the name of one.
std::vector<pid_t> threads_of(pid_t pid);
std::string name_of(pid_t tid);

} // namespace pipescope

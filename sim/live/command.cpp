// SPDX-License-Identifier: MIT
// Starts a command, or finds a running process.
#include "sim/live/command.hpp"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace pipescope {
namespace {

// What execvp would run, as far as looking tells.
bool program_exists(const std::string& name, int& err) {
    const auto fits = [&](const std::string& path) {
        struct stat st {};
        if (::stat(path.c_str(), &st)) return err = err == EACCES ? EACCES : errno, false;
        if (S_ISDIR(st.st_mode) || ::access(path.c_str(), X_OK)) return err = EACCES, false;
        return true;
    };
    err = ENOENT;
    if (name.empty()) return false;
    if (name.find('/') != std::string::npos) return fits(name);
    const char* path = std::getenv("PATH");
    std::string rest = path ? path : "/bin:/usr/bin";
    for (std::size_t at = 0; at <= rest.size();) {
        const std::size_t end = std::min(rest.find(':', at), rest.size());
        const std::string folder = end == at ? "." : rest.substr(at, end - at);
        if (fits(folder + "/" + name)) return true;
        at = end + 1;
    }
    return false;
}

std::string quoted(const std::string& word) {
    constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%^";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

} // namespace

Command::~Command() {
    if (fault_ >= 0) ::close(fault_);
    if (gate_ < 0) return;
    ::close(gate_); // its end: the child reads nothing
    ::waitpid(pid_, nullptr, 0);
}

std::unique_ptr<Command> Command::start(const std::vector<std::string>& argv, std::string& error) {
    int err = 0;
    if (!program_exists(argv.front(), err)) {
        error = fmt::format("{}: {}", argv.front().empty() ? "''" : argv.front(), err == ENOENT ? "no such command" : std::strerror(err));
        return nullptr;
    }
    std::unique_ptr<Command> own(new Command);
    Command& c = *own;
    int gate[2], fault[2];
    if (::pipe2(gate, O_CLOEXEC)) return error = fmt::format("no pipe is to be had: {}", std::strerror(errno)), nullptr;
    if (::pipe2(fault, O_CLOEXEC)) {
        error = fmt::format("no pipe is to be had: {}", std::strerror(errno));
        ::close(gate[0]), ::close(gate[1]);
        return nullptr;
    }
    std::vector<char*> words;
    for (const std::string& w : argv) words.push_back(const_cast<char*>(w.c_str()));
    words.push_back(nullptr);
    c.pid_ = ::fork();
    if (c.pid_ == 0) {
        ::close(gate[1]);
        char go = 0;
        if (::read(gate[0], &go, 1) != 1) ::_exit(127);
        ::execvp(words[0], words.data());
        const int why = errno;
        if (::write(fault[1], &why, sizeof why) < 0) ::_exit(126);
        ::_exit(127);
    }
    err = errno;
    ::close(gate[0]), ::close(fault[1]);
    c.gate_ = gate[1], c.fault_ = fault[0];
    c.own_ = true;
    for (const std::string& w : argv) c.text_ += (c.text_.empty() ? "" : " ") + quoted(w);
    if (c.pid_ < 0) {
        ::close(std::exchange(c.gate_, -1));
        error = fmt::format("no process is to be had: {}", std::strerror(err));
        return nullptr;
    }
    return own;
}

std::unique_ptr<Command> Command::attach(pid_t pid, std::string& error) {
    // Whose descriptors may be looked at is whose calls may be recorded: the same right as a debugger's.
    DIR* fds = ::opendir(fmt::format("/proc/{}/fd", pid).c_str());
    if (!fds) {
        error = fmt::format("process {} {}: {}", pid, errno == ENOENT ? "is gone" : "may not be looked at", std::strerror(errno));
        return nullptr;
    }
    ::closedir(fds);
    if (pid == ::getpid()) return error = fmt::format("process {} is this recorder itself", pid), nullptr;
    std::unique_ptr<Command> own(new Command);
    Command& c = *own;
    c.pid_ = pid;
    std::ifstream in(fmt::format("/proc/{}/cmdline", pid), std::ios::binary);
    for (std::string word; std::getline(in, word, '\0');) c.text_ += (c.text_.empty() ? "" : " ") + quoted(word);
    if (c.text_.empty()) c.text_ = name_of(pid);
    return own;
}

bool Command::go(std::string& error) {
    const char byte = 1;
    const bool sent = ::write(gate_, &byte, 1) == 1;
    ::close(std::exchange(gate_, -1));
    int why = sent ? 0 : EPIPE;
    ssize_t got = 0;
    while ((got = ::read(fault_, &why, sizeof why)) < 0 && errno == EINTR) {}
    ::close(std::exchange(fault_, -1));
    if (sent && got != sizeof why) return true;
    error = fmt::format("{}: cannot be run: {}", text_, std::strerror(why));
    return false;
}

bool Command::running() {
    if (ended_) return false;
    if (!own_) return !(ended_ = ::kill(pid_, 0) != 0 && errno == ESRCH);
    int status = 0;
    const pid_t got = ::waitpid(pid_, &status, WNOHANG);
    if (got == 0) return true;
    ended_ = true;
    status_ = got < 0 ? 0 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return false;
}

std::vector<pid_t> threads_of(pid_t pid) {
    std::vector<pid_t> threads;
    if (DIR* folder = ::opendir(fmt::format("/proc/{}/task", pid).c_str())) {
        while (const dirent* e = ::readdir(folder))
            if (const int tid = std::atoi(e->d_name); tid > 0) threads.push_back(tid);
        ::closedir(folder);
    }
    return threads;
}

std::string name_of(pid_t tid) {
    std::ifstream in(fmt::format("/proc/{}/comm", tid));
    std::string name;
    std::getline(in, name);
    return name.empty() ? fmt::format("process {}", tid) : name;
}

} // namespace pipescope

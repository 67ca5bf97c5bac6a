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
#include <sys/prctl.h>
#include <sys/socket.h>
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
    const char no = 0;
    if (::send(gate_, &no, 1, MSG_NOSIGNAL) != 1) ::kill(pid_, SIGKILL);
    ::close(gate_);
    ::waitpid(pid_, nullptr, 0);
}

std::unique_ptr<Command> Command::start(const std::vector<std::string>& argv, std::string& error) {
    int err = 0;
    if (!program_exists(argv.front(), err)) {
        error = fmt::format("{}: {}", argv.front().empty() ? "''" : argv.front(), err == ENOENT ? "no such command" : std::strerror(err));
        return nullptr;
    }
    std::unique_ptr<Command> own(new Command);
    std::vector<char*> words;
    for (const std::string& w : argv) words.push_back(const_cast<char*>(w.c_str()));
    words.push_back(nullptr);
    for (const std::string& w : argv) own->text_ += (own->text_.empty() ? "" : " ") + quoted(w);
    const auto become = [&](int fault) {
        ::execvp(words[0], words.data());
        const int why = errno;
        if (::write(fault, &why, sizeof why) < 0) ::_exit(126);
        ::_exit(127);
    };
    return own->fork(become, error) ? std::move(own) : nullptr;
}

std::unique_ptr<Command> Command::start(const std::function<int()>& job, const std::string& text, std::string& error) {
    std::unique_ptr<Command> own(new Command);
    own->text_ = text;
    const auto become = [&](int fault) {
        ::close(fault);
        for (const int n : {SIGINT, SIGTERM}) ::signal(n, SIG_DFL); // the recorder's handlers are not for it
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::_exit(job());
    };
    return own->fork(become, error) ? std::move(own) : nullptr;
}

bool Command::fork(const std::function<void(int)>& become, std::string& error) {
    int gate[2], fault[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, gate)) return error = fmt::format("no socket is to be had: {}", std::strerror(errno)), false;
    if (::pipe2(fault, O_CLOEXEC)) {
        error = fmt::format("no pipe is to be had: {}", std::strerror(errno));
        ::close(gate[0]), ::close(gate[1]);
        return false;
    }
    pid_ = ::fork();
    if (pid_ == 0) {
        ::close(gate[1]);
        char go = 1; // the gate's end without a word: the recorder was killed, which is no reason not to run
        while (::read(gate[0], &go, 1) < 0 && errno == EINTR) {}
        if (!go) ::_exit(127);
        become(fault[1]);
    }
    const int why = errno;
    ::close(gate[0]), ::close(fault[1]);
    gate_ = gate[1], fault_ = fault[0];
    own_ = true;
    if (pid_ >= 0) return true;
    ::close(std::exchange(gate_, -1));
    error = fmt::format("no process is to be had: {}", std::strerror(why));
    return false;
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

void Command::open_gate() {
    const char yes = 1;
    ::send(gate_, &yes, 1, MSG_NOSIGNAL);
    ::close(std::exchange(gate_, -1));
}

bool Command::became(std::string& error) {
    if (fault_ < 0) return true;
    int why = 0;
    ssize_t got = 0;
    while ((got = ::read(fault_, &why, sizeof why)) < 0 && errno == EINTR) {}
    ::close(std::exchange(fault_, -1));
    if (got != sizeof why) return true;
    error = fmt::format("{}: cannot be run: {}", text_, std::strerror(why));
    return false;
}

bool Command::go(std::string& error) {
    open_gate();
    return became(error);
}

void Command::ended(int wait_status) {
    ended_ = true;
    status_ = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

bool Command::running() {
    if (ended_) return false;
    if (!own_) return !(ended_ = ::kill(pid_, 0) != 0 && errno == ESRCH);
    int status = 0;
    const pid_t got = ::waitpid(pid_, &status, WNOHANG);
    if (got == 0) return true;
    if (got < 0) ended_ = true;
    else ended(status);
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

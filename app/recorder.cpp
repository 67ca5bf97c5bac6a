// SPDX-License-Identifier: MIT
// Starts the child, reads what it says, stops it.
#include "app/recorder.hpp"
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pipescope {
namespace {

constexpr std::string_view own = "pipescope record: ";

// "12 events, 0 lost, 3 MiB through the pipes, 1 KiB written": the part before `unit`.
std::string before(std::string_view line, std::string_view unit) {
    const std::size_t end = line.find(unit);
    if (end == std::string_view::npos) return "";
    const std::size_t comma = line.rfind(", ", end);
    const std::size_t from = comma == std::string_view::npos ? 0 : comma + 2;
    return std::string(line.substr(from, end - from));
}

} // namespace

bool RecorderNews::take(std::string_view line, const std::string& file) {
    if (line.substr(0, own.size()) == own) {
        line.remove_prefix(own.size());
        constexpr std::string_view inferred = "the ring will be inferred: ";
        if (const std::size_t at = line.find(inferred); at != std::string_view::npos) tier = "syscalls", why = line.substr(at + inferred.size());
        else fault = line;
        return true;
    }
    const std::string begin = file + ": ";
    if (line.substr(0, begin.size()) != begin) return false;
    line.remove_prefix(begin.size());
    constexpr std::string_view by = "while recorded by ";
    if (const std::size_t at = line.find(by); at != std::string_view::npos) {
        const std::string_view rest = line.substr(at + by.size());
        tier = rest.substr(0, rest.find(','));
        return true;
    }
    for (const auto& [unit, to] : {std::pair<std::string_view, std::string*>{" events", &events}, {" lost", &lost}, {" through the pipes", &bytes}, {" written", &written}})
        if (std::string v = before(line, unit); !v.empty()) *to = std::move(v);
    return true;
}

Recorder::~Recorder() {
    if (pid_ > 0) ::kill(pid_, SIGINT);
    if (fd_ >= 0) ::close(fd_);
}

bool Recorder::start(const std::string& command, const std::string& tier, const std::string& file, std::string& error, const std::string& program) {
    if (running()) return error = "a recording is running already", false;
    if (command.find_first_not_of(" \t") == std::string::npos) return error = "there is no command to record", false;
    if (file.empty()) return error = "there is no file to record into", false;
    if (fd_ >= 0) ::close(fd_);
    fd_ = ::open(std::filesystem::temp_directory_path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_APPEND, 0600);
    if (fd_ < 0) return error = fmt::format("no temporary file for what the recorder says: {}", std::strerror(errno)), false;
    const std::string self = program.empty() ? "/proc/self/exe" : program;
    std::array<std::string, 11> words = {"pipescope", "record", "--progress", "--capture", tier, "-o", file, "--", "sh", "-c", command};
    std::array<char*, 12> argv{};
    for (std::size_t i = 0; i < words.size(); ++i) argv[i] = words[i].data();
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::setpgid(0, 0); // Ctrl-C on the window's terminal is not for it, and stop() reaches the command too
        ::dup2(null, 0), ::dup2(null, 1), ::dup2(fd_, 2);
        ::execv(self.c_str(), argv.data());
        ::dprintf(2, "pipescope record: cannot be started: %s\n", std::strerror(errno));
        ::_exit(127);
    }
    const int why = errno;
    ::close(null);
    if (pid < 0) return error = fmt::format("the recorder cannot be started: {}", std::strerror(why)), false;
    ::setpgid(pid, pid);
    pid_ = pid, file_ = file, read_ = 0, ended_ = asked_ = false, status_ = 0, rest_.clear(), news_ = {};
    return true;
}

void Recorder::read_lines(bool last) {
    char part[4096];
    for (ssize_t n = 0; (n = ::pread(fd_, part, sizeof part, read_)) > 0; read_ += n) rest_.append(part, static_cast<std::size_t>(n));
    std::size_t from = 0;
    for (std::size_t end = 0; (end = rest_.find('\n', from)) != std::string::npos; from = end + 1) news_.take(std::string_view(rest_).substr(from, end - from), file_);
    rest_.erase(0, from);
    if (last && !rest_.empty()) news_.take(rest_, file_), rest_.clear();
    if (rest_.size() > (1u << 16)) rest_.clear(); // a command that ends no line
}

void Recorder::poll() {
    if (!running()) return;
    int status = 0;
    const pid_t gone = ::waitpid(pid_, &status, WNOHANG);
    if (gone == 0) return read_lines(false);
    read_lines(true);
    status_ = gone < 0 ? 0 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    pid_ = 0, ended_ = true;
}

void Recorder::stop() {
    if (!running()) return;
    ::kill(asked_ ? pid_ : -pid_, asked_ ? SIGKILL : SIGINT); // the group first, as a terminal does it
    asked_ = true;
}

std::string free_recording_name() {
    std::error_code ec;
    for (int i = 1; i < 10'000; ++i)
        if (const std::string name = fmt::format("run-{}.psc", i); !std::filesystem::exists(name, ec)) return name;
    return "run.psc";
}

} // namespace pipescope

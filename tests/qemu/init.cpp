// SPDX-License-Identifier: MIT
// The first and only process of a guest: runs the commands of /commands one after another, says how each ended, powers off.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <vector>

namespace {

void mount_at(const char* type, const char* where) {
    ::mkdir(where, 0755);
    if (::mount(type, where, type, 0, nullptr) && errno != EBUSY) std::printf("no %s on %s: %s\n", type, where, std::strerror(errno));
}

// What the commands print goes to the second serial line: on the first the kernel speaks at any time.
void take_second_line() {
    const int line = ::open("/dev/ttyS1", O_RDWR | O_NOCTTY);
    if (line < 0) return;
    termios t{};
    if (::tcgetattr(line, &t) == 0) {
        ::cfmakeraw(&t);
        ::tcsetattr(line, TCSANOW, &t);
    }
    for (const int fd : {0, 1, 2}) ::dup2(line, fd);
    if (line > 2) ::close(line);
}

int run(std::vector<std::string> words) {
    const pid_t pid = ::fork();
    if (pid == 0) {
        std::vector<char*> argv;
        for (std::string& w : words) argv.push_back(w.data());
        argv.push_back(nullptr);
        ::execv(argv[0], argv.data());
        std::printf("%s: %s\n", argv[0], std::strerror(errno));
        std::fflush(stdout);
        ::_exit(127);
    }
    for (int status = 0;;) { // children of children end up here too
        const pid_t ended = ::wait(&status);
        if (ended < 0 && errno != EINTR) return 126;
        if (ended == pid) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
}

} // namespace

int main() {
    mount_at("devtmpfs", "/dev");
    take_second_line();
    mount_at("proc", "/proc");
    mount_at("sysfs", "/sys");
    mount_at("tmpfs", "/tmp");
    utsname u{};
    ::uname(&u);
    std::printf("@@ kernel %s\n", u.release);
    std::ifstream commands("/commands");
    for (std::string line; std::getline(commands, line);) {
        std::istringstream in(line);
        std::vector<std::string> words;
        for (std::string w; in >> w;) words.push_back(w);
        if (words.empty()) continue;
        std::printf("@@ begin %s\n", words.size() > 1 ? words[1].c_str() : words[0].c_str());
        std::fflush(stdout);
        const int status = run(words);
        std::printf("@@ status %d\n", status);
        std::fflush(stdout);
    }
    std::printf("@@ end\n");
    std::fflush(stdout);
    ::tcdrain(1);
    ::sync();
    ::reboot(RB_POWER_OFF);
    return 0;
}

// SPDX-License-Identifier: MIT
// Writers to standard output, a pipe, that each do one thing wrong or odd: what `info` is to find in their recordings.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr std::size_t page = 4096;

char* memory(std::size_t bytes) {
    void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) std::exit(2);
    return static_cast<char*>(p);
}

// All of it, as the ring has room. False when the reader is gone.
bool hand_over(char* from, std::size_t bytes) {
    while (bytes) {
        iovec v{from, bytes};
        const ssize_t n = ::vmsplice(STDOUT_FILENO, &v, 1, 0);
        if (n <= 0) return false;
        from += n, bytes -= static_cast<std::size_t>(n);
    }
    return true;
}

int pieces() { // 100 bytes at a time: a slot for each
    char* b = memory(page * 64);
    std::memset(b, 'p', page * 64);
    for (std::size_t i = 0; i < 4000; ++i)
        if (!hand_over(b + i * 100 % (page * 60), 100)) return 1;
    return 0;
}

int reuse() { // two halves of 16 KiB take turns, but the ring holds four of them
    char* b = memory(page * 8);
    for (int i = 0; i < 400; ++i) {
        char* half = b + (i & 1) * page * 4;
        std::memset(half, 'a' + i % 26, page * 4);
        if (!hand_over(half, page * 4)) return 1;
    }
    return 0;
}

int untouched() { // memory that was never written to
    char* b = memory(page * 64);
    for (int i = 0; i < 50; ++i)
        if (!hand_over(b, page * 64)) return 1;
    return 0;
}

int two() { // two processes, each with writes longer than PIPE_BUF
    const pid_t child = ::fork();
    char* b = memory(page * 4);
    std::memset(b, child ? 'p' : 'c', page * 4);
    for (int i = 0; i < 1000; ++i)
        if (::write(STDOUT_FILENO, b, page * 4) < 0) return 1;
    if (!child) ::_exit(0);
    ::waitpid(child, nullptr, 0);
    return 0;
}

int packets() { // O_DIRECT
    ::fcntl(STDOUT_FILENO, F_SETFL, O_DIRECT | O_WRONLY);
    char b[100];
    std::memset(b, 'd', sizeof b);
    for (int i = 0; i < 4000; ++i)
        if (::write(STDOUT_FILENO, b, sizeof b) < 0) return 1;
    return 0;
}

int spin() { // non-blocking, and a reader that sleeps first
    ::fcntl(STDOUT_FILENO, F_SETFL, O_NONBLOCK | O_WRONLY);
    char* b = memory(page * 32);
    std::memset(b, 's', page * 32);
    for (std::size_t left = page * 1024; left;) {
        const ssize_t n = ::write(STDOUT_FILENO, b, page * 32 < left ? page * 32 : left);
        if (n > 0) left -= static_cast<std::size_t>(n);
    }
    return 0;
}

int tee_it() { // standard input on to standard output, of which standard error gets a second view
    for (;;) {
        const ssize_t n = ::tee(STDIN_FILENO, STDERR_FILENO, page * 16, 0);
        if (n <= 0) return n < 0;
        for (ssize_t done = 0; done < n;) {
            const ssize_t m = ::splice(STDIN_FILENO, nullptr, STDOUT_FILENO, nullptr, static_cast<std::size_t>(n - done), 0);
            if (m <= 0) return 1;
            done += m;
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "pieces") return pieces();
    if (what == "reuse") return reuse();
    if (what == "untouched") return untouched();
    if (what == "two") return two();
    if (what == "packets") return packets();
    if (what == "spin") return spin();
    if (what == "tee") return tee_it();
    std::fprintf(stderr, "odd_writers pieces|reuse|untouched|two|packets|spin|tee\n");
    return 2;
}

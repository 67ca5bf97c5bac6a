// SPDX-License-Identifier: MIT
// Reads a byte with line editing switched off.
#include "app/one_key.hpp"
#include <cerrno>
#include <termios.h>
#include <unistd.h>

namespace pipescope {

char key_pressed() {
    termios before{};
    if (::tcgetattr(STDIN_FILENO, &before) < 0) return 0;
    termios plain = before;
    plain.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
    plain.c_cc[VMIN] = 1, plain.c_cc[VTIME] = 0;
    ::tcsetattr(STDIN_FILENO, TCSANOW, &plain); // what was typed ahead counts
    char key = 0;
    ssize_t n = 0;
    while ((n = ::read(STDIN_FILENO, &key, 1)) < 0 && errno == EINTR) {
    }
    ::tcsetattr(STDIN_FILENO, TCSANOW, &before);
    return n == 1 ? key : 0;
}

} // namespace pipescope

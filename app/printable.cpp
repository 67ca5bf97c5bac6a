// SPDX-License-Identifier: MIT
// Escaping.
#include "app/printable.hpp"
#include <fmt/format.h>

namespace pipescope {

std::string printable(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        const bool c1 = c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
        if (c1) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[++i]));
        else if (c < 32 || c == 127) out += fmt::format("\\x{:02x}", c);
        else out += text[i];
    }
    return out;
}

std::string one_line(std::string_view text) {
    std::string s(text);
    for (char& c : s)
        if (c == '\n' || c == '\r') c = ' ';
    return printable(s);
}

} // namespace pipescope

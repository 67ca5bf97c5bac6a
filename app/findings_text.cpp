// SPDX-License-Identifier: MIT
// Text in columns.
#include "app/findings_text.hpp"
#include "app/printable.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pipescope {
namespace {

// Breaks at blanks.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
    std::string out;
    std::size_t column = indent, at = 0;
    while (at < text.size()) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        if (column > indent && column + 1 + (end - at) > width) {
            out += '\n' + std::string(indent, ' ');
            column = indent;
        } else if (column > indent) {
            out += ' ', ++column;
        }
        out.append(text, at, end - at);
        column += end - at;
        at = end + 1;
    }
    return out;
}

} // namespace

std::vector<std::string> beside_lines(const BesideReport& b) {
    std::vector<std::string> out;
    if (b.rings + b.results) {
        std::string text = fmt::format("driven by the same calls it agrees with {} rings read from the kernel and {} results", b.rings, b.results);
        if (b.late) text += fmt::format("; {} rings were read at another moment than their time says", b.late);
        out.push_back(text);
    }
    if (b.first) out.push_back(fmt::format("DIVERGED at event {}, pipe {}: {}", b.first->event, b.first->pipe + 1, b.first->text));
    if (b.not_followed) out.push_back(fmt::format("{} calls between a pipe and something else cannot be followed", b.not_followed));
    if (b.guessed) out.push_back(fmt::format("{} differences come where the order of turns is a guess: a ring changed while it was read, or several tasks of one side were inside", b.guessed));
    if (b.resumed) out.push_back(fmt::format("the comparison began anew {} times", b.resumed));
    if (b.unexplained) out.push_back(fmt::format("{} differences come before a loss of events, which may explain them", b.unexplained));
    return out;
}

std::string findings_text(const std::vector<Finding>& findings) {
    std::string out;
    constexpr std::size_t indent = 18, width = 118;
    for (const Finding& f : findings) {
        std::string text = printable(f.text);
        if (!f.events.empty()) text += fmt::format(" [event{} {}]", f.events.size() > 1 ? "s" : "", fmt::join(f.events, ", "));
        out += fmt::format("{:<{}}{}\n", f.rule, indent, wrapped(text, indent, width));
    }
    return out;
}

} // namespace pipescope

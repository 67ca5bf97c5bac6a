// SPDX-License-Identifier: MIT
// Reading and printing schedules.
#include "sim/schedule.hpp"

namespace pipescope {

bool schedule_parse(const std::string& text, Schedule& out) {
    out.clear();
    std::size_t after = 0;
    bool at = false; // a position was named, and no task for it yet
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == ' ' || text[i] == ',') {
            ++i;
            continue;
        }
        const bool position = text[i] == '@';
        if (position && (at || ++i == text.size())) return false;
        std::size_t n = 0, digits = 0;
        while (i < text.size() && text[i] >= '0' && text[i] <= '9' && digits < (position ? 12u : 6u))
            n = n * 10 + static_cast<std::size_t>(text[i++] - '0'), ++digits;
        if (digits == 0 || (i < text.size() && text[i] != ' ' && text[i] != ',')) return false;
        if (position && n < after) return false; // turns come in order
        if (position) after = n;
        else out.push_back({static_cast<TaskId>(n), after});
        at = position;
    }
    return !at;
}

std::string schedule_text(const Schedule& s) {
    std::string out;
    std::size_t after = 0;
    for (const Turn& t : s) {
        if (!out.empty()) out += ' ';
        if (t.after != after) out += '@' + std::to_string(after = t.after) + ' ';
        out += std::to_string(t.task);
    }
    return out;
}

Schedule schedule_of(const std::vector<std::uint32_t>& tasks) {
    Schedule out;
    for (const std::uint32_t t : tasks) out.push_back({t, 0});
    return out;
}

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Text of strangers on its way to a terminal: names in scenarios and recordings must not move its cursor.
#pragma once
#include <string>
#include <string_view>

namespace pipescope {

// Control characters, C1 ones in UTF-8 included, by their number: "\x1b".
std::string printable(std::string_view text);
std::string one_line(std::string_view text); // the same with line ends as spaces

} // namespace pipescope

// SPDX-License-Identifier: MIT
// uname(2), read with care for distributions that count for themselves.
#include "sim/running_kernel.hpp"
#include <string>
#include <sys/utsname.h>

namespace pipescope {

KernelVersion kernel_of_uname(std::string_view release, std::string_view version) {
    const std::string_view figures = release.substr(0, release.find_first_not_of("0123456789."));
    if (!figures.ends_with(".0") || figures.size() == release.size()) return kernel_of_release(release);
    const std::string series = " " + std::string(figures.substr(0, figures.size() - 1)); // " 5.10."
    const std::size_t at = version.find(series);
    if (at == std::string_view::npos) return kernel_of_release(release);
    const std::string_view rest = version.substr(at + 1);
    return kernel_of_release(rest.substr(0, rest.find_first_not_of("0123456789.")));
}

KernelVersion running_kernel() {
    utsname u{};
    uname(&u);
    return kernel_of_uname(u.release, u.version);
}

} // namespace pipescope

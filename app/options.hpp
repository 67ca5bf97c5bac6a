// SPDX-License-Identifier: MIT
// Checks of command-line values that several commands share.
#pragma once
#include "core/version.hpp"
#include <CLI/CLI.hpp>
#include <string>
#include <sys/utsname.h>

namespace pipescope {

// A whole number of at most 18 digits: a sign would be taken for a very large one.
inline CLI::Validator whole_number() {
    return CLI::Validator(
        [](std::string& s) {
            const bool good = !s.empty() && s.size() <= 18 && s.find_first_not_of("0123456789") == std::string::npos;
            return good ? std::string() : "\"" + s + "\" is not a whole number";
        },
        "N");
}

// The version that --kernel names; `auto`: what the kernel that runs here has.
inline std::optional<KernelVersion> kernel_named(const std::string& name) {
    if (name != "auto") return kernel_version(name);
    utsname u{};
    uname(&u);
    return kernel_of_release(u.release);
}

} // namespace pipescope

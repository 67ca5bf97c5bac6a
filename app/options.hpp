// SPDX-License-Identifier: MIT
// Checks of command-line values that several commands share.
#pragma once
#include "core/version.hpp"
#include "sim/running_kernel.hpp"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

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

// The kernel that --kernel names; the usual one, or the one a scenario names, when it was not given. An unknown name
// gives nothing, and a line on standard error. `auto` is the kernel that runs here.
inline std::optional<KernelVersion> kernel_option(const std::string& name) {
    if (name.empty()) return KernelVersion{};
    if (name == "auto") return running_kernel();
    auto v = kernel_version(name);
    if (!v) std::fprintf(stderr, "--kernel %s\n", unknown_kernel(name).c_str());
    return v;
}
inline constexpr const char* kernel_help =
    "the kernel to model: 6.18, 5.15.24, 6.18+dirty-pipe, vmsplice-copy; auto: the one running here; else what the scenario names, or 6.18";

} // namespace pipescope

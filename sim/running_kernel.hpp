// SPDX-License-Identifier: MIT
// Which kernel runs here, as the model knows kernels.
#pragma once
#include "core/version.hpp"
#include <string_view>

namespace pipescope {

KernelVersion running_kernel();
// Of what uname(2) gives. Debian's release counts its own builds ("5.10.0-32-amd64"); upstream's number stands in the
// version text ("#1 SMP Debian 5.10.223-1 (2024-08-10)").
KernelVersion kernel_of_uname(std::string_view release, std::string_view version);

} // namespace pipescope

// SPDX-License-Identifier: MIT
// Thrown by a back end that cannot make an object for want of something this machine lacks: no fault of the case.
#pragma once
#include <string>

namespace pipescope {

struct NotHere { // the case ends as skipped
    std::string why;
};

} // namespace pipescope

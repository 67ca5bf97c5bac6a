// SPDX-License-Identifier: MIT
// The window on a desktop.
#pragma once
#include <string>

namespace pipescope {

// Opens a document in a window and stays until it is closed; gives the exit status.
int window_run(const std::string& file);

} // namespace pipescope

// SPDX-License-Identifier: MIT
// One key from the terminal of standard input.
#pragma once

namespace pipescope {

// The next key that is pressed: not shown, and not waited for a line's end. 0 at the end of input. The terminal is as
// before when it returns; Ctrl-C, which is 3 here, would leave it as it is meanwhile.
char key_pressed();

} // namespace pipescope

-- SPDX-License-Identifier: MIT
-- From 6.6 on only the lower 32 bits of the size count.
kernel{min = "6.6"}
local p = pipe{nonblock = true}
expect(fcntl(p.w, "F_SETPIPE_SZ", 0x100002000), 8192)

-- SPDX-License-Identifier: MIT
-- Before 6.6 the size argument was an unsigned long: one above 2^31 is refused, not cut.
kernel{max = "6.5"}
local p = pipe()
expect(fcntl(p.w, "F_SETPIPE_SZ", 0x100002000), "EINVAL")
expect(fcntl(p.w, "F_GETPIPE_SZ"), 65536)

-- SPDX-License-Identifier: MIT
-- Sizes are rounded up to a power of two of pages; too large ones are refused.
local p = pipe{nonblock = true}
expect(fcntl(p.w, "F_SETPIPE_SZ", 1), 4096)
expect(fcntl(p.w, "F_SETPIPE_SZ", 4097), 8192)
expect(fcntl(p.r, "F_SETPIPE_SZ", 12288), 16384)
expect(fcntl(p.r, "F_SETPIPE_SZ", 65537), 131072)
expect(fcntl(p.w, "F_SETPIPE_SZ", 1048576), 1048576)
expect(fcntl(p.w, "F_SETPIPE_SZ", 2147483649), "EINVAL")
expect(fcntl(p.w, "F_SETPIPE_SZ", 0), 4096)
expect(fcntl(p.w, "F_GETPIPE_SZ"), 4096)

-- SPDX-License-Identifier: MIT
-- A resize counts slots, and always leaves tail 0 and head n.
local p = pipe{nonblock=true}
local b = buffer("64K")
expect(fcntl(p.w, "F_GETPIPE_SZ"), 65536)
expect(write(p.w, b, 12 * 4096), 12 * 4096)
expect(read(p.r, 12 * 4096), 12 * 4096)
expect(write(p.w, b, 8 * 4096), 8 * 4096)
expect(fcntl(p.w, "F_SETPIPE_SZ", 16384), "EBUSY")
expect(fcntl(p.w, "F_SETPIPE_SZ", 20000), 32768)
expect(ring_size(p), 8)
expect(fionread(p.r), 8 * 4096)
expect(write(p.w, b, 4096), "EAGAIN")

-- SPDX-License-Identifier: MIT
-- Slots count, not bytes: 16 packets of one byte fill the ring, and cannot be put into 8 slots.
local p = pipe{nonblock = true, packet = true}
local b = buffer("4K")
for _ = 1, 16 do expect(write(p.w, b, 1), 1) end
expect(write(p.w, b, 1), "EAGAIN")
expect(fcntl(p.w, "F_SETPIPE_SZ", 32768), "EBUSY")
expect(fionread(p.r), 16)

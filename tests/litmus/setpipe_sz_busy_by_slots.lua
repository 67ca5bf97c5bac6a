-- SPDX-License-Identifier: MIT
-- A shrink is refused while the slots in use do not fit, however few bytes they hold.
local p = pipe{nonblock = true, packet = true}
for i = 1, 9 do expect(write(p.w, "x"), 1) end
expect(fcntl(p.w, "F_SETPIPE_SZ", 32768), "EBUSY")
expect(read(p.r, 1), 1)
expect(fcntl(p.w, "F_SETPIPE_SZ", 32768), 32768)
expect(poll(p.w), "")

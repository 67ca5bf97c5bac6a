-- SPDX-License-Identifier: MIT
-- A resize puts the slots of a wrapped ring in order from 0; smaller than what is in use it is refused.
local p = pipe{nonblock = true}
local b = buffer("64K")
expect(write(p.w, b, 14 * 4096), 14 * 4096)
expect(read(p.r, 12 * 4096), 12 * 4096)
expect(write(p.w, b, 6 * 4096), 6 * 4096)
expect(ring(p):match("^head=20 tail=12 | 12:k1"), "head=20 tail=12 | 12:k1")
expect(fcntl(p.w, "F_SETPIPE_SZ", 16384), "EBUSY")
expect(fcntl(p.w, "F_SETPIPE_SZ", 32768), 32768)
local slots = {}
for i = 1, 8 do slots[i] = (i - 1) .. ":k" .. i .. "@0+4096 M" end
expect(ring(p), "head=8 tail=0 | " .. table.concat(slots, " | "))
expect(ring_size(p), 8)
expect(max_usage(p), 8)
expect(fcntl(p.r, "F_SETPIPE_SZ", 131072), 131072)
expect(ring(p), "head=8 tail=0 | " .. table.concat(slots, " | "))
expect(ring_size(p), 32)
expect(fionread(p.r), 32768)

-- SPDX-License-Identifier: MIT
-- One slot: a byte finds no room behind a page whose front was read, with little in the pipe.
local p = pipe{nonblock = true, slots = 1}
local b = buffer("4K")
expect(write(p.w, b, 1), 1)
expect(write(p.w, b, 4096), "EAGAIN")
expect(write(p.w, b, 1), 1)
expect(write(p.w, b, 4094), 4094)
expect(write(p.w, b, 1), "EAGAIN")
expect(read(p.r, 1), 1)
expect(write(p.w, b, 1), "EAGAIN")
expect(read(p.r, 4095), 4095)
expect(write(p.w, b, 1), 1)
expect(ring(p), "head=2 tail=1 | 0:k1@0+1 M")

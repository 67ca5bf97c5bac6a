-- SPDX-License-Identifier: MIT
-- A read that begins in plain bytes goes on into the packet behind, and the rest of that is lost.
local p = pipe{nonblock = true}
local b = buffer("4K")
expect(write(p.w, b, 90), 90)
expect(fcntl(p.w, "F_SETFL", "O_NONBLOCK|O_DIRECT"), 0)
expect(write(p.w, b, 4090), 4090) -- too long to append: a packet
expect(read(p.r, 100), 100)
expect(fionread(p.r), 0)

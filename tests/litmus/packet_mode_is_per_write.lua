-- SPDX-License-Identifier: MIT
-- O_DIRECT counts at the moment of each write; a packet-mode write still appends to an ordinary slot.
local p = pipe{nonblock = true, packet = true}
local b = buffer("16K")
expect(write(p.w, b, 10), 10)
expect(fcntl(p.w, "F_SETFL", "O_NONBLOCK"), 0)
expect(write(p.w, b, 10), 10)
expect(write(p.w, b, 10), 10)
expect(fcntl(p.w, "F_SETFL", "O_NONBLOCK|O_DIRECT"), 0)
expect(write(p.w, b, 10), 10)
expect(write(p.w, b, 4090), 4090)
expect(ring(p), "head=3 tail=0 | 0:k1@0+10 P | 1:k2@0+30 M | 2:k3@0+4090 P")
expect(read(p.r, 1000), 10)
expect(read(p.r, 1000), 1000) -- 30 plain bytes, then a packet that is cut
expect(read(p.r, 1000), "EAGAIN")

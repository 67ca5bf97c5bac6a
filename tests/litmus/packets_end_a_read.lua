-- SPDX-License-Identifier: MIT
-- In packet mode a read gives one packet, and what it did not want of it is thrown away.
local p = pipe{nonblock = true, packet = true}
local b = buffer("16K")
expect(write(p.w, b, 10), 10)
expect(write(p.w, b, 10), 10)
expect(write(p.w, b, 5000), 5000) -- two packets
expect(ring(p), "head=4 tail=0 | 0:k1@0+10 P | 1:k2@0+10 P | 2:k3@0+4096 P | 3:k4@0+904 P")
expect(read(p.r, 4), 4)
expect(fionread(p.r), 5010)
expect(read(p.r, 100000), 10)
expect(read(p.r, 100000), 4096)
expect(read(p.r, 100000), 904)
expect(read(p.r, 1), "EAGAIN")

-- SPDX-License-Identifier: MIT
-- Whether the ring is full is not asked before appending: a full ring still takes odd bytes.
local p = pipe{nonblock = true}
local b = buffer("16K")
for _ = 1, 15 do expect(write(p.w, b, 4096), 4096) end
expect(write(p.w, b, 10), 10)
expect(poll(p.w), "")
expect(write(p.w, b, 4196), 100) -- the odd 100 are in, the page finds no slot
expect(write(p.w, b, 4096), "EAGAIN")
expect(write(p.w, b, 8083), "EAGAIN") -- one byte too many to append
expect(write(p.w, b, 8082), 3986)
expect(fionread(p.r), 65536)
expect(write(p.w, b, 1), "EAGAIN")

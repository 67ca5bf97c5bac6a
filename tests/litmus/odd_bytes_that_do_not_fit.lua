-- SPDX-License-Identifier: MIT
-- The odd bytes of a long write stay at its end when the newest page has no room for them.
local p = pipe{nonblock = true}
local b = buffer("16K")
expect(write(p.w, b, 3000), 3000)
expect(write(p.w, b, 5193), 5193)
expect(ring(p), "head=3 tail=0 | 0:k1@0+3000 M | 1:k2@0+4096 M | 2:k3@0+1097 M")

-- SPDX-License-Identifier: MIT
-- When the ring is empty there is nothing to append to: the next write begins a page, in the next slot.
local p = pipe{nonblock = true}
local b = buffer("16K")
expect(write(p.w, b, 100), 100)
expect(read(p.r, 100), 100)
expect(ring(p), "head=1 tail=1")
expect(write(p.w, b, 5), 5)
expect(ring(p), "head=2 tail=1 | 1:k1@0+5 M")

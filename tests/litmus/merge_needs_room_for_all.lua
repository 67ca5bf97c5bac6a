-- SPDX-License-Identifier: MIT
-- One byte too many, and none of a short write is appended: it is never split.
local p = pipe{nonblock = true}
local b = buffer("16K")
expect(write(p.w, b, 300), 300)
expect(write(p.w, b, 3797), 3797)
expect(ring(p), "head=2 tail=0 | 0:k1@0+300 M | 1:k2@0+3797 M")

-- SPDX-License-Identifier: MIT
-- 10000 bytes take two whole pages and 1808 bytes of a third.
local p = pipe{nonblock = true}
local b = buffer("16K")
expect(write(p.w, b, 10000), 10000)
expect(ring(p), "head=3 tail=0 | 0:k1@0+4096 M | 1:k2@0+4096 M | 2:k3@0+1808 M")
expect(fionread(p.r), 10000)

-- SPDX-License-Identifier: MIT
-- Merging looks at the size modulo a page: 4106 puts its first 10 bytes behind the 100.
local p = pipe()
local b = buffer("16K")
expect(write(p.w, b, 100), 100)
expect(write(p.w, b, 4106), 4106)
expect(ring(p), "head=2 tail=0 | 0:k1@0+110 M | 1:k2@0+4096 M")
expect(write(p.w, b, 8192), 8192)
expect(ring(p), "head=4 tail=0 | 0:k1@0+110 M | 1:k2@0+4096 M | 2:k3@0+4096 M | 3:k4@0+4096 M")
